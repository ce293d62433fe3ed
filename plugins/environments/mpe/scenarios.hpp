// Four scenarios of the multi-agent particle environments (Lowe et al., "Multi-agent actor-critic for mixed
// cooperative-competitive environments", 2017; Mordatch and Abbeel, 2018), as MPE2 has them.
#pragma once

#include <string>

#include "world.hpp"

namespace spar::mpe {

/// Where the landmarks are, then the others, seen from the agent.
inline void look_around(const Cast& cast, const State& s, size_t agent, Pen& pen) {
  for (size_t l = 0; l < cast.landmarks; ++l) pen.put_from(s.position[agent], s.landmark[l]);
  for (size_t other = 0; other < cast.agents; ++other)
    if (other != agent) pen.put_from(s.position[agent], s.position[other]);
}

/// Three agents share the work of covering three landmarks and are fined for touching each other.
struct Spread {
  static constexpr const char* kId[] = {"org.spar.mpe/simple_spread_v3", "org.spar.mpe/simple_spread_v3_continuous"};
  static constexpr const char* kTitle[] = {"Three agents cover three landmarks",
                                           "Three agents cover three landmarks, continuous"};
  static Cast cast() {
    Cast out{3, 3, {}, {}};
    for (size_t a = 0; a < 3; ++a) out.agent[a] = {0.15, 5, 0, true, true, false};
    return out;
  }
  static std::string name(size_t agent) { return "agent_" + std::to_string(agent); }
  static int64_t width(size_t /*agent*/) { return 18; }
  static void prepare(const Cast& cast, State& s, NumpyRandom& random) { scatter(cast, s, random); }

  /// Half of it common (how far the landmarks are from their nearest agents), half the agent's own.
  static double reward(const Cast& cast, const State& s, size_t agent) {
    double own = 0, common = 0;
    for (size_t other = 0; other < cast.agents; ++other)
      if (other != agent && touch(cast, s, other, agent)) own -= 1;
    for (size_t l = 0; l < cast.landmarks; ++l) {
      double nearest = INFINITY;
      for (size_t a = 0; a < cast.agents; ++a) nearest = std::min(nearest, distance(s.position[a], s.landmark[l]));
      common -= nearest;
    }
    return common * (1 - 0.5) + own * 0.5;
  }
  static void look(const Cast& cast, const State& s, size_t agent, Pen pen) {
    pen.put(s.velocity[agent]);
    pen.put(s.position[agent]);
    look_around(cast, s, agent, pen);
    for (int i = 0; i < 4; ++i) pen.put(0.0);  // two channels of two silent others
  }
};

/// Three slow adversaries hunt a fast agent among obstacles.
struct Tag {
  static constexpr const char* kId[] = {"org.spar.mpe/simple_tag_v3", "org.spar.mpe/simple_tag_v3_continuous"};
  static constexpr const char* kTitle[] = {"Three hunters and a fast prey",
                                           "Three hunters and a fast prey, continuous"};
  static constexpr size_t kPrey = 3;
  static Cast cast() {
    Cast out{4, 2, {}, {0.2, 0, 0, true, false, false}};
    for (size_t a = 0; a < kPrey; ++a) out.agent[a] = {0.075, 3, 1.0, true, true, false};
    out.agent[kPrey] = {0.05, 4, 1.3, true, true, false};
    return out;
  }
  static std::string name(size_t agent) { return agent == kPrey ? "agent_0" : "adversary_" + std::to_string(agent); }
  static int64_t width(size_t agent) { return agent == kPrey ? 14 : 16; }
  static void prepare(const Cast& cast, State& s, NumpyRandom& random) { scatter(cast, s, random, 0.9); }

  static double reward(const Cast& cast, const State& s, size_t agent) {
    double caught = 0;
    for (size_t hunter = 0; hunter < kPrey; ++hunter)
      if (touch(cast, s, hunter, kPrey)) caught += 10;
    if (agent != kPrey) return caught;
    double out = -caught;
    for (const double at : s.position[kPrey]) out -= fine(std::abs(at));
    return out;
  }
  static void look(const Cast& cast, const State& s, size_t agent, Pen pen) {
    pen.put(s.velocity[agent]);
    pen.put(s.position[agent]);
    look_around(cast, s, agent, pen);
    if (agent != kPrey) pen.put(s.velocity[kPrey]);
  }

 private:
  /// For leaving the field.
  static double fine(double x) {
    if (x < 0.9) return 0;
    return x < 1.0 ? (x - 0.9) * 10 : std::min(std::exp(2 * x - 2), 10.0);
  }
};

/// Two agents know which landmark is the goal, an adversary does not.
struct Adversary {
  static constexpr const char* kId[] = {"org.spar.mpe/simple_adversary_v3",
                                        "org.spar.mpe/simple_adversary_v3_continuous"};
  static constexpr const char* kTitle[] = {"Two agents hide their goal from an adversary",
                                           "Two agents hide their goal from an adversary, continuous"};
  static Cast cast() {
    Cast out{3, 2, {}, {0.08, 0, 0, false, false, false}};
    for (size_t a = 0; a < 3; ++a) out.agent[a] = {0.15, 5, 0, false, true, false};
    return out;
  }
  static std::string name(size_t agent) { return agent == 0 ? "adversary_0" : "agent_" + std::to_string(agent - 1); }
  static int64_t width(size_t agent) { return agent == 0 ? 8 : 10; }
  static void prepare(const Cast& cast, State& s, NumpyRandom& random) {
    s.goal = random.integers(static_cast<int64_t>(cast.landmarks));
    scatter(cast, s, random);
  }

  static double reward(const Cast& /*cast*/, const State& s, size_t agent) {
    const double* goal = s.landmark[s.goal];
    const double adversary = distance(s.position[0], goal);
    if (agent == 0) return -adversary;
    return -std::min(distance(s.position[1], goal), distance(s.position[2], goal)) + adversary;
  }
  static void look(const Cast& cast, const State& s, size_t agent, Pen pen) {
    if (agent > 0) pen.put_from(s.position[agent], s.landmark[s.goal]);
    look_around(cast, s, agent, pen);
  }
};

/// A speaker that cannot move tells a listener which landmark is the goal.
struct SpeakerListener {
  static constexpr const char* kId[] = {"org.spar.mpe/simple_speaker_listener_v4",
                                        "org.spar.mpe/simple_speaker_listener_v4_continuous"};
  static constexpr const char* kTitle[] = {"A speaker directs a listener", "A speaker directs a listener, continuous"};
  static Cast cast() {
    Cast out{2, 3, {}, {0.04, 0, 0, false, false, false}};
    out.agent[0] = {0.075, 5, 0, false, false, true};
    out.agent[1] = {0.075, 5, 0, false, true, false};
    return out;
  }
  static std::string name(size_t agent) { return agent == 0 ? "speaker_0" : "listener_0"; }
  static int64_t width(size_t agent) { return agent == 0 ? 3 : 11; }
  static void prepare(const Cast& cast, State& s, NumpyRandom& random) {
    s.goal = random.integers(static_cast<int64_t>(cast.landmarks));
    scatter(cast, s, random);
  }

  static double reward(const Cast& /*cast*/, const State& s, size_t /*agent*/) {
    const double x = s.position[1][0] - s.landmark[s.goal][0], y = s.position[1][1] - s.landmark[s.goal][1];
    return -(x * x + y * y);
  }
  static void look(const Cast& cast, const State& s, size_t agent, Pen pen) {
    if (agent == 0) {
      for (int64_t c = 0; c < 3; ++c) pen.put(c == s.goal ? 0.65 : 0.15);
      return;
    }
    pen.put(s.velocity[1]);
    for (size_t l = 0; l < cast.landmarks; ++l) pen.put_from(s.position[1], s.landmark[l]);
    for (const double word : s.said[0]) pen.put(word);
  }
};

}  // namespace spar::mpe

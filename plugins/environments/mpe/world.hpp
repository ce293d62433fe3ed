// The particle world that the scenarios share: discs in the plane that are pushed, damped and repel each other. The
// arithmetic of MPE2 1.1 (positions move before velocities), in the same order, so that every bit agrees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "spar/environment.hpp"

namespace spar::mpe {

inline constexpr size_t kMostAgents = 4, kMostLandmarks = 3, kChannels = 3;

struct Body {
  double size = 0.05;
  double push = 5.0;      ///< acceleration of a full action
  double most_speed = 0;  ///< 0: no limit
  bool collides = false, moves = false, speaks = false;
};

/// What a scenario is made of.
struct Cast {
  size_t agents = 0, landmarks = 0;
  Body agent[kMostAgents];
  Body landmark;
};

struct State {
  double position[kMostAgents][2], velocity[kMostAgents][2], said[kMostAgents][kChannels];
  double landmark[kMostLandmarks][2];
  int64_t goal;  ///< landmark; 0 where there is none
};

/// What an agent does: a force before `push`, or words.
struct Deed {
  double force[2] = {0, 0};
  double words[kChannels] = {0, 0, 0};
};

inline double distance(const double* a, const double* b) {
  const double x = a[0] - b[0], y = a[1] - b[1];
  return std::sqrt(x * x + y * y);
}
inline bool touch(const Cast& cast, const State& s, size_t a, size_t b) {
  return distance(s.position[a], s.position[b]) < cast.agent[a].size + cast.agent[b].size;
}

/// log(exp(0) + exp(y)).
inline double log_add_exp(double y) {
  if (y == 0) return std::log(2.0);
  return y < 0 ? std::log1p(std::exp(y)) : y + std::log1p(std::exp(-y));
}

inline void push_apart(const Body& a, const Body& b, const double* at_a, const double* at_b, double* force_a,
                       double* force_b) {
  constexpr double kContactForce = 100.0, kMargin = 1e-3;
  if (!a.collides || !b.collides) return;
  const double apart = distance(at_a, at_b);
  const double penetration = log_add_exp(-(apart - (a.size + b.size)) / kMargin) * kMargin;
  for (int i = 0; i < 2; ++i) {
    const double force = kContactForce * (at_a[i] - at_b[i]) / apart * penetration;
    if (a.moves) force_a[i] = force + force_a[i];
    if (b.moves && force_b) force_b[i] = -force + force_b[i];
  }
}

inline void advance(const Cast& cast, State& s, const Deed* deeds) {
  constexpr double kStep = 0.1, kKept = 1 - 0.25;
  double force[kMostAgents][2] = {};
  for (size_t a = 0; a < cast.agents; ++a)
    for (int i = 0; i < 2; ++i)
      if (cast.agent[a].moves) force[a][i] = deeds[a].force[i] * cast.agent[a].push;
  for (size_t a = 0; a < cast.agents; ++a) {
    for (size_t b = a + 1; b < cast.agents; ++b)
      push_apart(cast.agent[a], cast.agent[b], s.position[a], s.position[b], force[a], force[b]);
    for (size_t l = 0; l < cast.landmarks; ++l)
      push_apart(cast.agent[a], cast.landmark, s.position[a], s.landmark[l], force[a], nullptr);
  }
  for (size_t a = 0; a < cast.agents; ++a) {
    const Body& body = cast.agent[a];
    double *position = s.position[a], *velocity = s.velocity[a];
    for (int i = 0; i < 2 && body.moves; ++i) {
      position[i] += velocity[i] * kStep;
      velocity[i] = velocity[i] * kKept + force[a][i] * kStep;
    }
    const double speed = std::sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1]);
    for (int i = 0; i < 2 && body.most_speed > 0 && speed > body.most_speed; ++i)
      velocity[i] = velocity[i] / speed * body.most_speed;
    for (size_t c = 0; c < kChannels; ++c) s.said[a][c] = body.speaks ? deeds[a].words[c] : 0;
  }
}

/// Positions at random: first those of the agents, then those of the landmarks, which lie within `bound`.
inline void scatter(const Cast& cast, State& s, NumpyRandom& random, double bound = 1) {
  for (size_t a = 0; a < cast.agents; ++a)
    for (double& x : s.position[a]) x = random.uniform(-1, 1);
  for (size_t l = 0; l < cast.landmarks; ++l)
    for (double& x : s.landmark[l]) x = random.uniform(-bound, bound);
}

/// Writes an observation number by number.
class Pen {
 public:
  explicit Pen(float* to) : to_(to) {}
  void put(double x) { *to_++ = static_cast<float>(x); }
  void put(const double* xy) { put(xy[0]), put(xy[1]); }
  void put_from(const double* origin, const double* xy) { put(xy[0] - origin[0]), put(xy[1] - origin[1]); }

 private:
  float* to_;
};

/// The parts that every scenario has; `Scenario` has kId, kTitle, cast(), name(), width(), prepare(), reward() and
/// look(); the first two with one text for discrete and one for continuous actions.
template <class Scenario, bool kContinuous>
struct Particles : Environment {
  static constexpr const char *id = Scenario::kId[kContinuous], *version = "1.0.0",
                              *title = Scenario::kTitle[kContinuous];
  using State = mpe::State;
  using Action = std::conditional_t<kContinuous, const float*, int64_t>;
  struct Config {
    int64_t max_cycles = 25;
  };
  static const Schema<Config>& schema() {
    static const auto instance =
        Schema<Config>().integer("max_cycles", &Config::max_cycles, at_least(1), "recommended steps of an episode");
    return instance;
  }

  explicit Particles(const Config& config) : config_(config), cast_(Scenario::cast()) {}

  World world() const {
    std::vector<AgentSpaces> list;
    for (size_t a = 0; a < cast_.agents; ++a) {
      const auto choices = static_cast<int64_t>(cast_.agent[a].speaks ? kChannels : 5);
      list.push_back({Scenario::name(a), Space::box(Scenario::width(a), -INFINITY, INFINITY),
                      kContinuous ? Space::box(choices, 0, 1) : Space::discrete(choices)});
    }
    return World(std::move(list), static_cast<uint64_t>(config_.max_cycles));
  }
  void reset(State& s, NumpyRandom& random) const {
    s = State{};
    Scenario::prepare(cast_, s, random);
  }
  void step(State& s, const Action* actions, Outcome* outcomes, NumpyRandom& /*random*/) const {
    Deed deeds[kMostAgents];
    for (size_t a = 0; a < cast_.agents; ++a) deeds[a] = deed(cast_.agent[a], actions[a]);
    advance(cast_, s, deeds);
    for (size_t a = 0; a < cast_.agents; ++a) outcomes[a].reward = Scenario::reward(cast_, s, a);
  }
  void observe(const State& s, size_t agent, float* obs) const { Scenario::look(cast_, s, agent, Pen(obs)); }
  bool valid(const State& s) const { return s.goal >= 0 && s.goal < static_cast<int64_t>(cast_.landmarks); }

 private:
  /// Moves: nothing 0, left 1, right 2, down 3, up 4; continuous: their strengths.
  static Deed deed(const Body& body, Action action) {
    Deed out;
    if constexpr (kContinuous) {
      for (size_t c = 0; c < kChannels && body.speaks; ++c) out.words[c] = static_cast<double>(action[c]);
      for (size_t i = 0; i < 2 && !body.speaks; ++i)
        out.force[i] = static_cast<double>(action[2 * i + 2] - action[2 * i + 1]);
    } else if (body.speaks) {
      out.words[action] = 1;
    } else if (action > 0) {
      out.force[(action - 1) / 2] = action % 2 ? -1 : 1;
    }
    return out;
  }

  Config config_;
  Cast cast_;
};

}  // namespace spar::mpe

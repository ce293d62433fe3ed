#include "core/league/league.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/league/elo.hpp"
#include "core/league/matchmaker.hpp"
#include "core/train/follow.hpp"

namespace spar::league {
namespace {

constexpr const char* kMain = "main";

std::string active_name(const std::string& role, uint32_t number) { return role + "_" + std::to_string(number); }
std::string name_at(const std::string& active, uint64_t iteration) { return active + "/" + std::to_string(iteration); }

}  // namespace

League::League(const config::Experiment& experiment, const rollout::ComponentLoader& load, const spar_host& host)
    : arena_(experiment, load, host) {
  add_active(Kind::main_agent, kMain, experiment.league.main_agents);
  add_active(Kind::main_exploiter, "main_exploiter", experiment.league.main_exploiters);
  add_active(Kind::league_exploiter, "league_exploiter", experiment.league.league_exploiters);
  for (const auto& player : active_) join(*player, 0);
  const auto wants = [](const config::Condition& condition) {
    return condition.measure == config::Condition::Measure::exploitability;
  };
  const auto& stop = experiment.stop;
  if (arena_.exact() || !(std::ranges::any_of(stop.any, wants) || std::ranges::any_of(stop.all, wants))) return;
  throw Error("E1109", Exit::usage,
              "`exploitability` in [stop] is not known in this league, expected play = \"greedy\" in [scenario] and a "
              "game whose tree has at most 50,000 positions")
      .help("end it by iterations or seconds");
}

void League::add_active(Kind kind, const char* role, uint32_t number) {
  for (uint32_t i = 0; i < number; ++i)
    active_.push_back(std::make_unique<ActivePlayer>(arena_, players_, kind, active_.size(), active_name(role, i)));
}

void League::join(ActivePlayer& player, uint64_t iteration) {
  const std::string name = name_at(player.name(), iteration);
  players_.publish(name, playing_parameters(arena_, player.learner()));
  if (standing_.size() < active_.size()) standing_.resize(active_.size());
  standing_[player.number()] = past_.size();
  past_.push_back({name, player.kind(), player.number(), iteration});
}

size_t League::newest(uint64_t active) const {
  size_t out = past_.size() - 1;
  while (past_[out].active != active) --out;
  return out;
}

std::unique_ptr<FrozenPolicy> League::policy(size_t past, const std::string& role, uint64_t root_seed,
                                             uint64_t rows) const {
  auto out = std::make_unique<FrozenPolicy>(arena_, role + "/" + past_[past].name, root_seed, rows);
  out->take(*players_.fetch(past_[past].name));
  return out;
}

std::vector<double> League::matchmaking(uint64_t active) const {
  return opponents(arena_.experiment().league, active_[active]->kind(), active, past_, results_.row(standing_[active]));
}

uint64_t League::seed_of(const std::string& purpose) const {
  const std::string stream = purpose + "/" + std::to_string(iterations_);
  return Philox(arena_.experiment().seed, stream).bits();
}

bool League::iterate(const std::function<bool()>& cancelled) {
  ByteWriter before;
  save(before);
  if (try_iteration(cancelled)) return true;
  const std::vector<std::byte> bytes = before.take();
  ByteReader reader(bytes, "league");
  load(reader);
  return false;
}

bool League::try_iteration(const std::function<bool()>& cancelled) {
  if (results_.players() == 0 && !complete(results_, arena_, past_, players_, seed_of("starts"), cancelled))
    return false;
  phases_.clear();
  for (const auto& player : active_)
    if (!train(*player, cancelled)) return false;
  for (const auto& player : active_) join(*player, iterations_ + 1);
  if (!complete(results_, arena_, past_, players_, seed_of("matches"), cancelled)) return false;
  Philox random(seed_of("anew"), "league");
  for (const auto& player : active_) {
    if (player->kind() == Kind::main_agent) continue;
    const auto& league = arena_.experiment().league;
    const double anew =
        player->kind() == Kind::main_exploiter ? league.main_exploiter_reset : league.league_exploiter_reset;
    if (random.uniform() >= anew) continue;
    player->start_anew();
    standing_[player->number()] = player->number();  // the first past players are the starts
  }
  ++iterations_;
  judge();
  return true;
}

/// One phase.
bool League::train(ActivePlayer& player, const std::function<bool()>& cancelled) {
  const uint64_t seed = seed_of("phase/" + player.name());
  const uint64_t copies = arena_.experiment().env.count;
  const auto environment = arena_.environment(copies, seed, "environment");
  Seating table(*environment, Philox(seed, "seats"));
  Matchmaker matchmaker(arena_.experiment().league, player.kind(), player.number(), past_,
                        results_.row(standing_[player.number()]), Philox(seed, "matchmaking"));
  FrozenPolicy itself(arena_, "opponent/itself", seed, copies);
  itself.take(player.learner());
  const auto make = [&](size_t past) { return policy(past, "opponent", seed, copies); };
  DrawnOpponent opponent(matchmaker, past_, make, itself, table.opponent().port(), copies);
  rollout::Worker worker(*environment,
                         {{&player.learner(), nullptr, &table.learner()}, {nullptr, &opponent, &table.opponent()}},
                         environment->time_limit(), seed);

  player.learner().cut();  // no episode goes on from the phase before
  train::TrainingPhase phase = player.phase(worker);
  const uint64_t env_steps = player.practice().env_steps, train_steps = player.practice().train_steps;
  double earned = 0;
  phase.finished = [&](const rollout::Episode& episode) {
    if (episode.agent == phase.agent)
      earned = episode.episode_return;  // its opponent's follows
    else
      matchmaker.note(opponent.met(episode.lane), score(earned, episode.episode_return));
  };
  phase.learnt = [&] { itself.take(player.learner()); };
  phase.enough = [&] { return matchmaker.beats_all(); };
  const std::string where = " in the phase of `" + player.name() + "` in iteration " + std::to_string(iterations_ + 1);
  try {
    if (!phase.run(seed & 0xffffffff, cancelled)) return false;
  } catch (const Error& error) {
    if (error.code() != "E0302") throw;
    throw Error("E0302", Exit::failed, error.what() + where).help(train::kDivergedHelp);
  }
  const uint64_t steps = player.practice().env_steps - env_steps, updates = player.practice().train_steps - train_steps;
  if (updates == 0)
    throw Error("E1108", Exit::usage,
                "there was no update" + where + ": [stop.training] ends it after " + std::to_string(steps) +
                    " transitions, before the algorithm has begun to learn")
        .help("give [stop.training] more env_steps, or the algorithm a shorter warm-up or rollout");
  env_steps_ += steps;
  const auto tell = [&](const std::string& what, double value) {
    phases_.emplace_back(player.name() + "/" + what, value);
  };
  tell("env_steps", static_cast<double>(steps));
  tell("train_steps", static_cast<double>(updates));
  tell("episodes", static_cast<double>(matchmaker.episodes()));
  for (const auto& [name, value] : player.metrics().drain()) tell(std::string(name), value);
  return true;
}

/// What follows from the results.
void League::judge() {
  elo_ = elo_ratings(results_.win_rates(), results_.players(), arena_.experiment().league.match_episodes);
  if (!arena_.exact()) return;
  const size_t main_agent = newest(0);
  const auto judged = policy(main_agent, "judge", arena_.experiment().seed, game::kAskedTogether);
  distance_ = game::exploitability(arena_.exact()->seen.form,
                                   plans_of(*arena_.exact(), *judged, arena_, past_[main_agent].name));
}

std::string League::parameters_sha256() const {
  Sha256 hash;
  for (const PastPlayer& player : past_)
    for (const params::Tensor& tensor : players_.fetch(player.name)->tensors) hash.update(tensor.data);
  return hash.hex();
}

void League::save(ByteWriter& writer) const {
  writer.put(iterations_);
  writer.put(env_steps_);
  players_.save(writer);
  for (const auto& player : active_) player->save(writer);
  for (const size_t standing : standing_) writer.put<uint64_t>(standing);
  results_.save(writer);
}

League::Newest League::load_newest(ByteReader& reader) {
  Newest out;
  out.iterations = reader.get<uint64_t>();
  reader.get<uint64_t>();  // transitions
  params::Store players;
  players.load(reader);
  out.name = name_at(active_name(kMain, 0), out.iterations);
  out.parameters = players.fetch(out.name);
  if (!out.parameters) throw Error("E0501", Exit::failed, "the saved league has no parameters of `" + out.name + "`");
  return out;
}

void League::load(ByteReader& reader) {
  iterations_ = reader.get<uint64_t>();
  env_steps_ = reader.get<uint64_t>();
  players_.load(reader);
  for (const auto& player : active_) player->load(reader);
  past_.clear();
  for (uint64_t iteration = 0; iteration <= iterations_; ++iteration) {
    for (const auto& player : active_) {
      past_.push_back({name_at(player->name(), iteration), player->kind(), player->number(), iteration});
      if (players_.version(past_.back().name) > 0) continue;
      throw Error("E0501", Exit::failed, "the saved league has no parameters of `" + past_.back().name + "`");
    }
  }
  for (size_t& standing : standing_) {
    standing = reader.get<uint64_t>();
    if (standing >= past_.size()) throw Error("E0501", Exit::failed, "the saved league names a player that it lacks");
  }
  results_.load(reader);
  if (iterations_ > 0 && results_.players() == past_.size()) judge();
}

}  // namespace spar::league

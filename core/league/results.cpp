#include "core/league/results.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "core/base/error.hpp"
#include "core/game/exploitability.hpp"
#include "core/league/frozen.hpp"
#include "core/rollout/evaluation.hpp"
#include "core/train/training.hpp"

namespace spar::league {
namespace {

/// Beyond the seeds of training, and of what people play and evaluate.
constexpr uint64_t kMatchSeeds = 3 * rollout::kEvaluationSeeds;

std::unique_ptr<FrozenPolicy> policy_of(const Arena& arena, const PastPlayer& player, const params::Store& parameters,
                                        uint64_t seed) {
  auto out = std::make_unique<FrozenPolicy>(arena, "match/" + player.name, seed, train::kEvaluationCopies);
  out->take(*parameters.fetch(player.name));
  return out;
}

/// Plays match-ups in one set of copies.
class Played {
 public:
  Played(const Arena& arena, std::span<const PastPlayer> past, const params::Store& parameters, uint64_t seed)
      : past_(past),
        episodes_(arena.experiment().league.match_episodes / 2),
        environment_(
            arena.environment(std::min<uint64_t>(episodes_, train::kEvaluationCopies), seed, "environment/match")) {
    for (const PastPlayer& player : past) policies_.push_back(policy_of(arena, player, parameters, seed));
  }

  std::optional<double> win_rate(size_t player, size_t other, const std::function<bool()>& cancelled) {
    double sum = 0;
    for (const bool changed : {false, true}) {
      const auto at_seat = [&](size_t seat) {
        const size_t who = (seat == 1) != changed ? other : player;
        return seated(*policies_[who], past_[who].name, environment_->agents()[seat], environment_->copies());
      };
      rollout::SeatedPlayer first = at_seat(0), second = at_seat(1);
      const std::vector<rollout::Participant> seats = {{nullptr, &first}, {nullptr, &second}};
      const auto returns =
          rollout::play(*environment_, seats, environment_->time_limit(), episodes_, kMatchSeeds, cancelled).by_agent;
      if (returns.empty()) return std::nullopt;
      for (size_t k = 0; k < episodes_; ++k) sum += score(returns[changed ? 1 : 0][k], returns[changed ? 0 : 1][k]);
    }
    return sum / static_cast<double>(2 * episodes_);
  }

 private:
  std::span<const PastPlayer> past_;
  uint64_t episodes_;
  std::unique_ptr<rollout::Environment> environment_;
  std::vector<std::unique_ptr<FrozenPolicy>> policies_;
};

/// Computes them.
class Computed {
 public:
  Computed(const Arena& arena, std::span<const PastPlayer> past, const params::Store& parameters, uint64_t seed)
      : game_(*arena.exact()) {
    for (const PastPlayer& player : past)
      plans_.push_back(plans_of(game_, *policy_of(arena, player, parameters, seed), arena, player.name));
  }

  double win_rate(size_t player, size_t other) const {
    const std::vector<game::Plan> first = {plans_[player][0], plans_[other][1]};
    const std::vector<game::Plan> second = {plans_[other][0], plans_[player][1]};
    return 0.5 + (game::values(game_.scores, first)[0] + game::values(game_.scores, second)[1]) / 2;
  }

 private:
  const ExactGame& game_;
  std::vector<std::vector<game::Plan>> plans_;  ///< by player, then by seat
};

}  // namespace

std::vector<double> Results::row(size_t player) const {
  const auto begin = rates_.begin() + static_cast<std::ptrdiff_t>(player * players_);
  return {begin, begin + static_cast<std::ptrdiff_t>(players_)};
}

double Results::mean(size_t player) const {
  double sum = -0.5;  // of the diagonal
  for (size_t other = 0; other < players_; ++other) sum += win_rate(player, other);
  return players_ > 1 ? sum / static_cast<double>(players_ - 1) : 0.5;
}

void Results::grow(size_t players) {
  std::vector<double> rates(players * players, 0.5);
  for (size_t i = 0; i < players_; ++i)
    for (size_t j = 0; j < players_; ++j) rates[i * players + j] = win_rate(i, j);
  players_ = players;
  rates_ = std::move(rates);
}

void Results::set(size_t player, size_t other, double win_rate) {
  rates_[player * players_ + other] = win_rate;
  rates_[other * players_ + player] = 1 - win_rate;
}

void Results::save(ByteWriter& writer) const {
  writer.put<uint64_t>(players_);
  writer.array<double>(rates_);
}

void Results::load(ByteReader& reader) {
  players_ = reader.get<uint64_t>();
  rates_ = reader.vector<double>();
  if (players_ > rates_.size() + 1 || rates_.size() != players_ * players_)
    throw Error("E0501", Exit::failed, "the saved results of a league are not a square");
}

bool complete(Results& results, const Arena& arena, std::span<const PastPlayer> past, const params::Store& parameters,
              uint64_t seed, const std::function<bool()>& cancelled) {
  const size_t known = results.players();
  Results more = results;
  more.grow(past.size());
  std::optional<Played> played;
  std::optional<Computed> computed;
  if (arena.exact())
    computed.emplace(arena, past, parameters, seed);
  else
    played.emplace(arena, past, parameters, seed);
  for (size_t i = known; i < past.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const auto rate = computed ? computed->win_rate(i, j) : played->win_rate(i, j, cancelled);
      if (!rate) return false;
      more.set(i, j, *rate);
    }
  }
  results = std::move(more);
  return true;
}

std::vector<game::Plan> plans_of(const ExactGame& game, FrozenPolicy& policy, const Arena& arena,
                                 const std::string& label) {
  const auto act = [&policy](rollout::Batch& seen, rollout::Batch& actions, uint64_t rows, const uint64_t* lane) {
    policy.act_greedily(seen, actions, rows, lane);
  };
  std::vector<game::Plan> out;
  for (size_t p = 0; p < game.seen.form.players.size(); ++p) {
    const game::Player& who = game.seen.form.players[p];
    out.push_back(game::dense(who, game::pure(who, game::choices(who, game.seen.views[p], arena.port(), act, label))));
  }
  return out;
}

}  // namespace spar::league

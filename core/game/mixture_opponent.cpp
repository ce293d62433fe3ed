#include "core/game/mixture_opponent.hpp"

#include <span>

#include "core/base/error.hpp"
#include "core/rng/draw.hpp"

namespace spar::game {

InfosetIndex index_of(const Player& player) {
  InfosetIndex out;
  for (size_t i = 0; i < player.infosets(); ++i) out.emplace(player.key[i], i);
  return out;
}

MixtureOpponent::MixtureOpponent(const Player& player, const InfosetIndex& index, size_t agent,
                                 const std::vector<SparsePlan>& population, const std::vector<double>& mixture,
                                 const rollout::Environment& environment, Philox random)
    : label_("the population of `" + player.name + "`"),
      player_(player),
      index_(index),
      agent_(agent),
      chosen_(environment.copies(), 0),
      environment_(environment),
      random_(random) {
  for (size_t i = 0; i < mixture.size(); ++i) {
    if (mixture[i] <= 0) continue;
    behaviours_.push_back(to_behaviour(player, dense(player, population[i])));
    weights_.push_back(mixture[i]);
  }
}

void MixtureOpponent::begin(uint64_t copy) { chosen_[copy] = draw(weights_, random_); }

void MixtureOpponent::act(const std::vector<uint64_t>& copies, rollout::Batch& actions) {
  for (size_t row = 0; row < copies.size(); ++row) {
    environment_.infoset(copies[row], agent_, key_);
    const auto found = index_.find(key_);
    if (found == index_.end()) {
      throw Error("E0703", Exit::crash,
                  environment_.name() + " came to an information set of agent `" + player_.name +
                      "` that its game tree does not have");
    }
    const size_t begin = player_.begin(found->second);
    const auto& behaviour = behaviours_[chosen_[copies[row]]];
    const std::span<const double> choices(behaviour.data() + begin, player_.end(found->second) - begin);
    actions.data<int64_t>(0)[row] = player_.action[begin + draw(choices, random_)];
  }
}

}  // namespace spar::game

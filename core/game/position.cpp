#include "core/game/position.hpp"

#include "core/base/error.hpp"
#include "core/rollout/tree.hpp"

namespace spar::game {
namespace {

using rollout::call_plugin;

}  // namespace

Position::Position(const spar_host& host, const spar_component& component, const spar_config& config)
    : name_(std::string("environment `") + component.id + "`"),
      table_(static_cast<const spar_env_vtbl*>(component.vtbl)) {
  context_.name = "game";
  context_.random = Philox(0, "game");
  call_plugin(name_, "create",
              [&](spar_error* e) { return table_->create(&host, &context_, &config, kDeepest + 1, &self_, e); });
  try {
    world_.struct_size = sizeof world_;
    call_plugin(name_, "describe", [&](spar_error* e) { return table_->describe(self_, &world_, e); });
    if (table_->get_extension) {
      tree_ = static_cast<const spar_ext_env_tree*>(table_->get_extension(self_, SPAR_EXT_ENV_TREE));
      state_ = static_cast<const spar_ext_env_state*>(table_->get_extension(self_, SPAR_EXT_ENV_STATE));
    }
    if (!tree_ || !SPAR_HAS(tree_, spar_ext_env_tree, root) || !state_) {
      throw Error("E1101", Exit::usage,
                  name_ + " has no game tree (" SPAR_EXT_ENV_TREE " and " SPAR_EXT_ENV_STATE
                          "), so it cannot be solved exactly")
          .help("games with a tree: spar plugin info org.spar.games");
    }
    for (size_t player = 0; player < players(); ++player) {
      if (world_.agents[player]->act->kind != SPAR_SPACE_DISCRETE) {
        throw Error("E0705", Exit::usage,
                    name_ + ", agent `" + player_name(player) + "`: expected Discrete actions for a game tree");
      }
    }
  } catch (...) {
    table_->destroy(self_);
    throw;
  }
}

Position::~Position() { table_->destroy(self_); }

void Position::root(uint64_t depth) {
  call_plugin(name_, "tree.root", [&](spar_error* e) { return tree_->root(self_, depth, e); });
}

std::vector<int64_t> Position::legal_actions(uint64_t depth, size_t player) const {
  std::vector<int64_t> out(static_cast<size_t>(actions(player)));
  const uint64_t n = tree_->legal_actions(self_, depth, static_cast<uint32_t>(player), out.data(), out.size());
  if (n == 0 || n > out.size()) {
    throw Error("E0703", Exit::crash,
                name_ + " gives agent `" + player_name(player) + "` " + std::to_string(n) +
                    " legal actions where it is to move, expected 1 to " + std::to_string(out.size()));
  }
  out.resize(n);
  return out;
}

std::vector<std::pair<int64_t, double>> Position::chance_outcomes(uint64_t depth) const {
  const uint64_t n = tree_->chance_outcomes(self_, depth, nullptr, nullptr, 0);
  std::vector<int64_t> outcomes(n);
  std::vector<double> probabilities(n);
  tree_->chance_outcomes(self_, depth, outcomes.data(), probabilities.data(), n);
  std::vector<std::pair<int64_t, double>> out;
  double sum = 0;
  for (uint64_t i = 0; i < n; ++i) {
    out.emplace_back(outcomes[i], probabilities[i]);
    sum += probabilities[i];
  }
  if (!(sum > 1 - 1e-9 && sum < 1 + 1e-9)) {
    throw Error("E0703", Exit::crash,
                name_ + " has a chance move whose probabilities add to " + std::to_string(sum) + ", expected 1");
  }
  return out;
}

void Position::follow(uint64_t depth, const std::vector<int64_t>& actions) {
  if (depth >= kDeepest) {
    throw Error("E1102", Exit::usage,
                name_ + " is too deep to be solved exactly: a line of play has more than " + std::to_string(kDeepest) +
                    " moves")
        .help("choose a game with shorter episodes");
  }
  call_plugin(name_, "state.copy", [&](spar_error* e) { return state_->copy(self_, depth + 1, depth, e); });
  call_plugin(name_, "tree.apply", [&](spar_error* e) {
    return tree_->apply(self_, depth + 1, actions.data(), static_cast<uint32_t>(actions.size()), e);
  });
}

std::vector<rollout::AgentPort> Position::make_ports() const {
  std::vector<rollout::AgentPort> out;
  for (size_t player = 0; player < players(); ++player)
    out.push_back(rollout::make_port(*world_.agents[player], name_, kDeepest + 1));
  return out;
}

std::vector<double> Position::returns(uint64_t depth) const {
  std::vector<double> out(players());
  call_plugin(name_, "tree.returns", [&](spar_error* e) { return tree_->returns(self_, depth, out.data(), e); });
  return out;
}

std::string Position::infoset(uint64_t depth, size_t player) const {
  std::string key;
  rollout::read_infoset(name_, *tree_, self_, depth, player, key);
  return key;
}

void Position::observe(uint64_t depth, const std::vector<rollout::AgentPort>& ports) {
  std::vector<spar_batch*> out;
  for (const rollout::AgentPort& port : ports) out.push_back(port.out->view(port.out->capacity()));
  spar_env_io io{sizeof io, world_.n_agents, nullptr, out.data(), nullptr};
  call_plugin(name_, "tree.observe", [&](spar_error* e) { return tree_->observe(self_, depth, &io, e); });
}

}  // namespace spar::game

// Gate B: the identity environment, whose optimal return is 100; of continuous actions 90 is a mean absolute error of
// 0.1. The same experiments for every network backend.
#pragma once

#include <string>

namespace spar::test {

/// DQN and Rainbow, 4,000 steps.
inline std::string value_identity(const std::string& algorithm) {
  return "name = \"identity\"\n[env]\nid = \"probe/identity\"\n[algorithm]\nid = \"" + algorithm +
         "\"\nhidden_layers = [64]\nlr = 1e-3\ngamma = 0.5\nn_steps = 1\nbatch_size = 64\nwarm_up = 200\ntau = 0.01\n"
         "[stop]\nany = [{ env_steps = 4_000 }]\n[eval]\nevery = 4_000\nepisodes = 20\n";
}

/// PPO, 3,000 steps; `environment`: identity or identity_continuous.
inline std::string ppo_identity(const std::string& environment) {
  return "name = \"identity\"\n[env]\nid = \"probe/" + environment +
         "\"\n[algorithm]\nid = \"ppo\"\nhidden_layers = [64]\nrollout_length = 128\nbatch_size = 64\nnum_epochs = 10\n"
         "actor_number_updates = 1\ncritic_number_updates = 1\nactor_lr = 3e-3\ncritic_lr = 3e-3\ngamma = 0.5\n"
         "entropy_weight = 0.0\ninitial_log_std = -1.0\n"
         "[stop]\nany = [{ env_steps = 3_000 }]\n[eval]\nevery = 3_000\nepisodes = 20\n";
}

/// DDPG, D3PG, D4PG, 1,000 steps; `options`: lines of its own.
inline std::string deterministic_identity(const std::string& algorithm, const std::string& options) {
  return "name = \"identity\"\n[env]\nid = \"probe/identity_continuous\"\ncount = 2\n[algorithm]\nid = \"" + algorithm +
         "\"\nhidden_layers = [64, 64]\ngamma = 0.5\nactor_lr = 1e-3\ncritic_lr = 1e-3\ntau = 0.01\nwarm_up = 200\n" +
         options + "[stop]\nany = [{ env_steps = 1_000 }]\n[eval]\nevery = 1_000\nepisodes = 20\n";
}

/// SAC, 1,000 steps.
inline std::string sac_identity() {
  return "name = \"identity\"\n[env]\nid = \"probe/identity_continuous\"\n[algorithm]\nid = \"sac\"\n"
         "hidden_layers = [64]\nactor_lr = 3e-3\ncritic_lr = 3e-3\nalpha = 0.02\ngamma = 0.5\nwarm_up = 100\n"
         "prioritized = false\n[stop]\nany = [{ env_steps = 1_000 }]\n[eval]\nevery = 1_000\nepisodes = 20\n";
}

}  // namespace spar::test

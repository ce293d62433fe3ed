// Tabular Q-learning (Watkins 1989): Q(s, a) += lr * (reward + discount * max_b Q(s', b) - Q(s, a)).
#include <algorithm>

#include "spar/algorithm.hpp"
#include "spar/plugin.hpp"

struct QTable : spar::Algorithm {
  static constexpr const char *id = "org.example.qtable", *version = "1.0.0", *title = "Tabular Q-learning";
  static constexpr const char* kServices[] = {SPAR_SVC_BUFFER, SPAR_SVC_RNG};
  static constexpr uint32_t kFlags = SPAR_ALGO_DISCRETE;
  struct Config {
    double lr = 0.2, gamma = 0.95, epsilon = 0.2;
  };
  static const spar::Schema<Config>& schema() {
    static const auto instance = spar::Schema<Config>()
                                     .real("lr", &Config::lr, spar::above_up_to(0, 1), "step size")
                                     .real("gamma", &Config::gamma, spar::between(0, 1), "discount of one step")
                                     .real("epsilon", &Config::epsilon, spar::between(0, 1), "share of random actions");
    return instance;
  }
  QTable(const spar::Context& ctx, const Config& config, const spar_algo_setup& setup) : ctx_(ctx), opt_(config) {
    const spar_space &obs = *setup.agent->obs, &act = *setup.agent->act;
    if (act.kind != SPAR_SPACE_DISCRETE || obs.kind != SPAR_SPACE_BOX || spar::space_width(obs) != 1 || !obs.low)
      throw spar::StatusError(SPAR_E_UNSUPPORTED, "a table needs discrete actions and one bounded number to observe");
    low_ = obs.low[0], bin_ = (obs.high[0] - low_) / kBins, actions_ = static_cast<uint64_t>(act.n);
    table_.resize(kBins * actions_);
  }
  void needs(spar_needs& out) const { out.buffer_kind = SPAR_BUF_REPLAY, out.capacity = 4096, out.gamma = opt_.gamma; }
  void act(const spar_act& how, const spar_batch& obs, spar_batch& out) {
    const auto x = spar::column<float>(obs, "obs");
    const auto action = spar::column<int64_t>(out, "action");
    for (uint64_t i = 0; i < obs.rows; ++i) {
      const bool explore = how.mode == SPAR_MODE_EXPLORE && ctx_.uniform() < opt_.epsilon;
      action(i) = explore ? static_cast<int64_t>(ctx_.below(actions_)) : best(x(i)) - row(x(i));
    }
  }
  void learn(uint64_t /*step*/) {
    const spar::Sample batch = ctx_.sample(16);
    const auto obs = batch.column<float>("obs"), next = batch.column<float>("next_obs");
    const auto reward = batch.column<float>("reward"), discount = batch.column<float>("discount");
    const auto action = batch.column<int64_t>("action");
    for (uint64_t i = 0; i < batch.rows(); ++i)
      row(obs(i))[action(i)] += opt_.lr * (reward(i) + discount(i) * *best(next(i)) - row(obs(i))[action(i)]);
  }
  void save(spar::StreamWriter& out) const { out.array(table_); }
  void load(spar::StreamReader& in) { in.array(table_); }
  double* row(double x) {
    return &table_[actions_ * static_cast<uint64_t>(x > low_ ? std::min((x - low_) / bin_, kBins - 1.0) : 0)];
  }
  double* best(double x) { return std::max_element(row(x), row(x) + actions_); }

  static constexpr uint64_t kBins = 64;
  spar::Context ctx_;
  Config opt_;
  double low_ = 0, bin_ = 1;
  uint64_t actions_ = 0;
  std::vector<double> table_;  // [bins, actions]
};

SPAR_PLUGIN("org.example.qtable", "1.0.0", QTable)

// A continuous algorithm of somebody else, as small as one can be: it imitates the actions that it is shown. With its
// options it can be what the tests need: learning from a replay memory or from rollouts, or without sampling at all.
#include <vector>

#include "spar/algorithm.hpp"
#include "spar/network.hpp"
#include "spar/plugin.hpp"

struct Steady : spar::Algorithm {
  static constexpr const char *id = "org.example.steady", *version = "1.0.0", *title = "Imitation";
  static constexpr uint32_t kFlags = SPAR_ALGO_CONTINUOUS | SPAR_ALGO_HOSTED_NETWORKS;
  struct Config {
    int64_t batch = 4;
    double lr = 1e-2;
    bool rollout = false, samples = true;
  };
  static const spar::Schema<Config>& schema() {
    static const auto instance =
        spar::Schema<Config>()
            .integer("batch", &Config::batch, spar::between(1, 64), "transitions in one update")
            .real("lr", &Config::lr, spar::above(0), "step size")
            .boolean("rollout", &Config::rollout, "learns from rollouts of `batch` steps")
            .boolean("samples", &Config::samples, "false: learns nothing from anything");
    return instance;
  }
  Steady(const spar::Context& ctx, const Config& config, const spar_algo_setup& setup)
      : ctx_(ctx), opt_(config), n_(spar::space_width(*setup.agent->act)), actor_(ctx_, "actor", spec(setup)) {
    out_.resize(kMostRows * static_cast<size_t>(n_));
    adam_.lr = opt_.lr;
    loss_ = ctx_.metric("loss/actor");
  }
  void needs(spar_needs& out) const {
    out.buffer_kind = opt_.rollout ? SPAR_BUF_ROLLOUT : SPAR_BUF_REPLAY;
    out.capacity = 500, out.gamma = 0.9;
    out.rows_per_learn = static_cast<uint64_t>(opt_.batch);
  }
  void act(const spar_act& how, const spar_batch& obs, spar_batch& out) {
    const auto x = spar::column<float>(obs, "obs"), action = spar::column<float>(out, "action");
    actor_.forward(0, spar::TensorView<float>(action), spar::TensorView<float>(x));
    if (how.mode != SPAR_MODE_EXPLORE) return;
    for (uint64_t i = 0; i < action.rows * action.width; ++i)  // wide enough to leave [-1, 1] often
      action.data[i] += static_cast<float>(ctx_.normal());
  }
  void learn(uint64_t step) {
    if (!opt_.samples) return;
    const spar::Sample batch = ctx_.sample(opt_.rollout ? 0 : static_cast<uint64_t>(opt_.batch));
    loss_.record(step, imitate(batch.batch()));
    actor_.backward(1, view(batch.rows()));
    adam_.step(ctx_, actor_);
  }
  double policy_loss(const spar_batch& batch) {
    spar::require_rows(batch, kMostRows);
    ctx_.normal();  // as a stochastic policy would
    return imitate(batch);
  }

 private:
  static constexpr uint64_t kMostRows = 128;
  spar::NetworkSpec spec(const spar_algo_setup& setup) const {
    spar::NetworkSpec spec;
    spec.inputs = {spar::space_width(*setup.agent->obs)};
    spec.hidden = {8};
    spec.out = n_;
    spec.output = "tanh";
    spec.max_rows = kMostRows;
    return spec;
  }
  spar::TensorView<float> view(uint64_t rows) { return {out_.data(), static_cast<int64_t>(rows), n_}; }
  /// The mean squared error; out_ becomes its gradient.
  double imitate(const spar_batch& batch) {
    const auto x = spar::column<float>(batch, "obs"), action = spar::column<float>(batch, "action");
    actor_.forward(1, view(batch.rows), spar::TensorView<float>(x));
    const auto n = static_cast<size_t>(batch.rows * action.width);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
      const float error = out_[i] - action.data[i];
      sum += static_cast<double>(error) * error;
      out_[i] = 2 * error / static_cast<float>(n);
    }
    return sum / static_cast<double>(n);
  }

  spar::Context ctx_;
  Config opt_;
  int64_t n_;
  spar::Network actor_;
  spar::Adam adam_;
  std::vector<float> out_;
  spar::Metric loss_;
};

SPAR_PLUGIN("org.example.steady", "1.0.0", Steady)

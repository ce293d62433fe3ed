// What an agent says about itself.
#include <cmath>

#include "core/agent/parts.hpp"

namespace spar {
namespace {

double norm(const nn::Network& network) {
  std::vector<float> values(network.parameter_count());
  network.read(SPAR_NET_VALUES, values.data(), values.size() * sizeof(float));
  double squares = 0;
  for (const float x : values) squares += static_cast<double>(x) * x;
  return std::sqrt(squares);
}

}  // namespace

MetricsSink sink_to(train::Recorder& recorder) {
  return
      [&recorder](uint64_t step, const std::vector<train::Metrics::Value>& values) { recorder.metrics(step, values); };
}

void Agent::log_metrics(const MetricsSink& sink, uint64_t step, bool full_log) {
  Parts& p = *parts_;
  std::vector<train::Metrics::Value> values = p.metrics.drain();
  std::vector<std::string> names;  // that the values below point to
  if (full_log) {
    const auto networks = p.learner->networks().in_order();
    names.reserve(networks.size());
    values.push_back({"count/env_steps", static_cast<double>(p.env_steps)});
    values.push_back({"count/updates", static_cast<double>(p.updates)});
    values.push_back({"count/episodes", static_cast<double>(p.episodes)});
    values.push_back({"count/buffer_rows", static_cast<double>(p.learner->buffer_rows())});
    for (const nn::Network* network : networks) {
      names.push_back("norm/" + network->name());
      values.push_back({names.back(), norm(*network)});
    }
  }
  sink(step, values);
}

std::map<std::string, double> Agent::loss() const {
  std::map<std::string, double> out;
  for (const auto& [name, value] : parts_->metrics.newest()) {
    if (name.starts_with("loss/")) out[std::string(name)] = value;
  }
  return out;
}

std::optional<double> Agent::alpha() const {
  const Parts& p = *parts_;
  const config::OptionValue* fixed = p.recipe.options.find("alpha");
  if (!fixed || !p.recipe.options.find("alpha_lr"))
    return std::nullopt;  // elsewhere alpha is an exponent of priorities
  if (const nn::Network* learned = p.learner->networks().find("log_alpha")) {
    float log_alpha = 0;
    learned->read(SPAR_NET_VALUES, &log_alpha, sizeof log_alpha);
    return std::exp(static_cast<double>(log_alpha));
  }
  const auto* value = std::get_if<double>(&fixed->data);
  return value ? std::optional(*value) : std::nullopt;
}

std::vector<NetworkInfo> Agent::model() const {
  std::vector<NetworkInfo> out;
  for (const nn::Network* network : parts_->learner->networks().in_order())
    out.push_back({network->name(), network->shape(), network->parameter_count()});
  return out;
}

std::vector<double> Agent::action_min() const {
  const rollout::Space& space = parts_->port.action;
  return space.kind == SPAR_SPACE_DISCRETE ? std::vector<double>{0} : space.low;
}

std::vector<double> Agent::action_max() const {
  const rollout::Space& space = parts_->port.action;
  return space.kind == SPAR_SPACE_DISCRETE ? std::vector<double>{static_cast<double>(space.n - 1)} : space.high;
}

std::string Agent::device() const {
  for (const nn::Network* network : parts_->learner->networks().in_order())
    if (network->backend()) return network->spec().device;
  return "cpu";
}

const std::string& Agent::algorithm() const { return parts_->recipe.algorithm; }
const Space& Agent::obs_space() const { return parts_->recipe.spaces.observation; }
const Space& Agent::action_space() const { return parts_->recipe.spaces.action; }
const config::Options& Agent::hparams() const { return parts_->recipe.options; }
const AgentSettings& Agent::settings() const { return parts_->recipe.settings; }
const std::vector<std::string>& Agent::warnings() const { return parts_->recipe.warnings; }
uint64_t Agent::env_steps() const { return parts_->env_steps; }
uint64_t Agent::updates() const { return parts_->updates; }
uint64_t Agent::buffer_rows() const { return parts_->learner->buffer_rows(); }
std::string Agent::parameters_sha256() const { return parts_->learner->parameters_sha256(); }

}  // namespace spar

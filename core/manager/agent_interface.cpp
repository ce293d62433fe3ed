#include "core/manager/agent_interface.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/text.hpp"
#include "core/manager/engine.hpp"

namespace spar {
namespace {

/// Row by row, agent after agent.
template <class T>
std::vector<T> interleaved(const std::vector<const Numbers*>& columns, uint64_t rows) {
  const size_t width = columns.front()->size / rows, n = columns.size();
  std::vector<T> out(rows * width * n);
  for (size_t k = 0; k < n; ++k)
    for (uint64_t row = 0; row < rows; ++row)
      std::memcpy(out.data() + (row * n + k) * width, columns[k]->bytes + row * width * sizeof(T), width * sizeof(T));
  return out;
}

}  // namespace

AgentInterface::AgentInterface(std::shared_ptr<detail::Engine> engine, size_t group)
    : engine_(std::move(engine)), group_(group), runtime_id_(engine_->name_of(group)) {}
AgentInterface::~AgentInterface() = default;

std::vector<std::string> AgentInterface::governed_agents() const { return engine_->agents_of(group_); }
std::string AgentInterface::device() const { return engine_->device_of(group_); }

StrategySpec AgentInterface::add_policies(uint32_t n, Init init) {
  engine_->add_policies({{group_, n}}, init);
  return engine_->spec_of(group_);
}
StrategySpec AgentInterface::strategy_spec() const { return engine_->spec_of(group_); }

AlgorithmSpec AgentInterface::get_algorithm(const std::string& key) const {
  const auto& algorithms = engine_->config().algorithms;
  const auto found = algorithms.find(key);
  if (found != algorithms.end()) return found->second;
  std::vector<std::string> keys;
  for (const auto& [name, spec] : algorithms) keys.push_back(name);
  throw Error("E1202", Exit::usage, "there is no algorithm with the key `" + printable(key) + "`")
      .help("keys: " + listing(keys));
}
std::map<std::string, AlgorithmSpec> AgentInterface::get_algorithms() const { return engine_->config().algorithms; }
std::string AgentInterface::algorithm_key() const { return engine_->key_of(group_); }

InterfaceState AgentInterface::get_interface_state() const { return engine_->state_of(group_); }
std::string AgentInterface::parameters_sha256() const { return engine_->sha256_of(group_); }

void AgentInterface::connect(uint32_t max_tries, const std::string& dataset_server_ref,
                             const std::string& parameter_server_ref) {
  engine_->connect(group_, max_tries, dataset_server_ref, parameter_server_ref);
}
uint64_t AgentInterface::push() { return engine_->push(group_); }
uint64_t AgentInterface::pull() { return engine_->pull(group_); }
std::map<std::string, uint64_t> AgentInterface::sync_remote_parameters() { return engine_->push_all(group_); }
void AgentInterface::reset() { engine_->reset(group_); }

InterfaceState AgentInterface::train(const DataRequest& data_request_identifier,
                                     const config::StopConfig& stopping_conditions, bool reset_state) {
  return engine_->train(group_, data_request_identifier, stopping_conditions, reset_state);
}

TransitionBatch AgentInterface::multiagent_post_process(const std::vector<const TransitionBatch*>& batch_info) const {
  const std::string call = "multiagent_post_process(): ";
  const std::vector<std::string> agents = governed_agents();
  if (batch_info.size() != 1 && batch_info.size() != agents.size())
    throw Error(
        "E1002", Exit::usage,
        call + std::to_string(batch_info.size()) + " batches, expected one, or one for each of " + listing(agents));
  if (batch_info.size() > 1 && engine_->join_of(group_) == SPAR_JOIN_JOINT)
    throw Error("E1207", Exit::usage,
                call + "the strategy plays the agents of `" + runtime_id_ +
                    "` as one, so their transitions are no rows of their own");
  const TransitionBatch& first = *batch_info.front();
  TransitionBatch out(first.rows() * batch_info.size());
  for (const TransitionBatch* batch : batch_info)
    if (batch->rows() != first.rows() || batch->names() != first.names())
      throw Error("E1002", Exit::usage,
                  call +
                      "the batches differ in their rows or columns; expected "
                      "for each " +
                      std::to_string(first.rows()) + " rows of " + listing(first.names()));
  for (const std::string& name : first.names()) {
    std::vector<const Numbers*> columns;
    for (const TransitionBatch* batch : batch_info) {
      columns.push_back(batch->find(name));
      const Numbers &a = *columns.front(), &b = *columns.back();
      if (a.code != b.code || a.bits != b.bits || a.size != b.size || a.size % std::max<uint64_t>(1, first.rows()) != 0)
        throw Error("E1002", Exit::usage, call + "the column `" + name + "` has not the same shape in every batch");
    }
    if (first.rows() == 0) continue;
    const Numbers& kind = *columns.front();
    if (kind.code == SPAR_DTYPE_FLOAT)
      out.add(name, interleaved<float>(columns, first.rows()));
    else if (kind.bits == 64)
      out.add(name, interleaved<int64_t>(columns, first.rows()));
    else
      out.add(name, interleaved<uint8_t>(columns, first.rows()));
  }
  return out;
}

}  // namespace spar

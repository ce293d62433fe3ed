// The two interfaces of training with several learners: who directs it, and what each learner's side can be asked for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/error.hpp"
#include "core/config/experiment.hpp"

namespace spar {

/// Where the data of an interface come from: its table, as filled while that generation of policies is trained.
struct DataRequest {
  std::string table;  ///< named as the runtime id
  uint64_t generation = 0;
  bool operator==(const DataRequest&) const = default;
};

enum class InterfaceStatus {
  idle,       ///< not trained yet, or reset
  running,    ///< is being trained
  completed,  ///< a stopping condition held
  stopped,    ///< terminate() ended it; what was learnt until then is there
  failed      ///< ended by an error, which is not the same as finished
};
/// "idle", "running", ..
std::string name(InterfaceStatus status);

/// A copy: what is true of an interface when it is asked.
struct InterfaceState {
  InterfaceStatus status = InterfaceStatus::idle;
  std::string stop_reason = {};               ///< the condition that held ("env_steps"), "interrupted" or "error"
  std::optional<Error> error = std::nullopt;  ///< the first cause
  uint64_t generation = 0;                    ///< of the policies in training
  uint64_t env_steps = 0;                     ///< transitions of the world, in this generation
  uint64_t train_steps = 0;                   ///< updates of this interface, in this generation
  uint64_t parameter_version = 0;             ///< newest that was pushed or pulled; 0 = none
};

/// Directs the training of several interfaces. [any] unless said otherwise.
class Manager {
 public:
  virtual ~Manager() = default;
  /// Starts training and returns. No requests: each interface's own table and generation.
  virtual void run(const std::map<std::string, DataRequest>& data_request_identifiers = {}) = 0;
  /// Waits until training has ended; the final state of each interface. Throws the first cause if a learner failed.
  virtual std::map<std::string, InterfaceState> retrieve_results() = 0;
  /// Asks for an end and waits for it: no longer than one learning phase and one save. Again: nothing more to do.
  virtual void terminate() = 0;
};

/// What the learner of some agents can be asked for by others.
class RemoteInterface {
 public:
  virtual ~RemoteInterface() = default;
  /// Throws ConnectError when the tries run out.
  virtual void connect(uint32_t max_tries, const std::string& dataset_server_ref,
                       const std::string& parameter_server_ref) = 0;
  virtual uint64_t push() = 0;
  virtual uint64_t pull() = 0;
  virtual std::map<std::string, uint64_t> sync_remote_parameters() = 0;
  virtual void reset() = 0;
  virtual InterfaceState train(const DataRequest& data_request_identifier,
                               const config::StopConfig& stopping_conditions, bool reset_state) = 0;
  virtual InterfaceState get_interface_state() const = 0;
};

}  // namespace spar

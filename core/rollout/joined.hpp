// Several agents that one learner plays, as one agent port: the worker and the evaluation see no difference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/rollout/port_view.hpp"
#include "spar/space.hpp"

namespace spar::rollout {

enum class Join {
  rows,  ///< every (copy, agent) is a row and a lane of its own, copy by copy
  joint  ///< one agent whose observations and actions are those of all, one after the other; a row per copy
};

/// The port of a group. As `joint` it is paid the mean of their rewards; a member that may do anything has a mask of
/// ones; of DISCRETE actions the first agent's digit is the slowest.
class Joined : public PortView {
 public:
  /// `members`: agents of `environment`, in this order. The environment outlives it. Throws E0310, which says what to
  /// do, if the spaces of the members do not go together.
  Joined(Environment& environment, const std::string& name, std::vector<uint32_t> members, Join how);
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

  AgentPort& port() override { return port_; }
  const std::vector<uint32_t>& members() const override { return agents_; }
  uint64_t rows_per_copy() const override { return how_ == Join::rows ? members_.size() : 1; }

  /// Throws E0310 where members of a joint group take turns.
  void gather() override;
  void scatter() override;

 private:
  void check_equal() const;
  void describe_rows();
  void describe_joint();
  void gather_rows();
  void gather_joint();
  void gather_masks();
  void gather_turns();

  const std::string owner_;
  std::vector<uint32_t> agents_;
  std::vector<AgentPort*> members_;
  uint64_t copies_;
  Join how_;
  std::vector<spar::Space> spaces_;   ///< of a joint port: observation, action
  std::vector<const char*> columns_;  ///< optional ones of the port
  spar_agent_spec spec_{};
  AgentPort port_;
};

}  // namespace spar::rollout

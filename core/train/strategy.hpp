// The run's strategy plugin: which groups there are and what each does next.
#pragma once

#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/plugin/context.hpp"

namespace spar::train {

/// What a strategy is told of agents that belong together.
struct MappedGroup {
  std::string name;
  std::string algorithm_slot;  ///< "" = the default algorithm
  std::vector<uint32_t> agents;
};

class Strategy {
 public:
  /// What one learner plays: a group of the plan, or one agent of a group whose critics are central.
  struct Group {
    std::string name;              ///< the plan's; of an agent with a central critic "NAME/AGENT"
    std::vector<uint32_t> agents;  ///< indices in the world
    uint32_t join;                 ///< SPAR_JOIN_*; SPAR_JOIN_NONE for one agent alone
    uint32_t planned;              ///< which group of the plan
    /// With SPAR_JOIN_CENTRAL the agents of the group of the plan; the groups of these follow each other in this order.
    std::vector<uint32_t> team = {};
    std::string algorithm_slot = {};  ///< that of the MappedGroup whose agents these are
    uint32_t learners = 1;            ///< gradient workers
    uint32_t apply = SPAR_APPLY_LOCAL;
    uint32_t max_staleness = 0;
    double samples_per_insert = 0;
  };

  /// Throws E0308 if the plan asks for what this host does not offer yet (several actors, or several
  /// learners of joined agents) or does not cover every agent exactly once, E0312 if there are groups and the plugin
  /// does not serve them. `mapped` is empty or has every agent once.
  Strategy(const spar_host& host, const spar_component& component, const spar_config& config, const spar_world& world,
           uint64_t root_seed, std::vector<MappedGroup> mapped = {});
  ~Strategy();
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  const std::vector<Group>& groups() const { return groups_; }
  /// How many groups, from this one on, are one group of the plan; 0 if the plan's begins before it.
  size_t members(size_t group) const;
  const std::string& label() const { return label_; }
  /// Actors run beside the learners, with parameters that are one learning phase old unless all is decoupled.
  bool beside() const { return beside_; }
  /// Actors and learners go each at its own speed, within the limits of each group (core/train/decoupled.hpp).
  bool decoupled() const { return decoupled_; }
  spar_directive next(const spar_progress& progress);

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  void hand_over_groups();
  void check_slot(const Group& group, const std::vector<uint32_t>& agents) const;
  void read_plan(const spar_world& world);
  void check_group(const spar_group& group, const std::string& name) const;
  void check_learners(const spar_group& group, const std::string& plans) const;

  std::string label_;
  const spar_strategy_vtbl* table_;
  spar_ctx ctx_;
  spar_strategy* self_ = nullptr;
  std::vector<MappedGroup> mapped_;
  std::vector<spar_group> given_;  ///< the same for the plugin
  std::vector<Group> groups_;
  bool beside_ = false, decoupled_ = false;
};

}  // namespace spar::train

// The run's strategy plugin: which groups there are and what each does next.
#pragma once

#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/plugin/context.hpp"

namespace spar::train {

class Strategy {
 public:
  /// One group of the plan, checked.
  struct Group {
    std::string name;
    std::vector<uint32_t> agents;  ///< indices in the world
    uint32_t join;                 ///< SPAR_JOIN_NONE for one agent alone, else SPAR_JOIN_ROWS or SPAR_JOIN_JOINT
  };

  /// Throws E0308 if the plan asks for what this host does not offer yet (a central critic, several actors or learners)
  /// or does not cover every agent exactly once.
  Strategy(const spar_host& host, const spar_component& component, const spar_config& config, const spar_world& world,
           uint64_t root_seed);
  ~Strategy();
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  const std::vector<Group>& groups() const { return groups_; }
  const std::string& label() const { return label_; }
  /// Actors run beside the learners, with parameters that are one learning phase old.
  bool beside() const { return beside_; }
  spar_directive next(const spar_progress& progress);

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  void read_plan(const spar_world& world);
  void check_group(const spar_group& group, const std::string& name) const;

  std::string label_;
  const spar_strategy_vtbl* table_;
  spar_ctx ctx_;
  spar_strategy* self_ = nullptr;
  std::vector<Group> groups_;
  bool beside_ = false;
};

}  // namespace spar::train

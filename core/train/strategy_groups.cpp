// What a strategy is told of the experiment's groups, and what its plan may make of them.
#include <algorithm>

#include "core/rollout/plugin_call.hpp"
#include "core/train/strategy.hpp"

namespace spar::train {
namespace {

std::string algorithm_text(const std::string& slot) {
  return slot.empty() ? "the algorithm of all" : "the algorithm of `" + slot + "`";
}

}  // namespace

void Strategy::hand_over_groups() {
  const spar_ext_strategy_groups* extension = nullptr;
  if (SPAR_HAS(table_, spar_strategy_vtbl, get_extension))
    extension = static_cast<const spar_ext_strategy_groups*>(table_->get_extension(self_, SPAR_EXT_STRATEGY_GROUPS));
  if (!extension || !SPAR_HAS(extension, spar_ext_strategy_groups, set))
    throw Error("E0312", Exit::usage,
                label_ + " knows no groups of agents (it does not offer " + SPAR_EXT_STRATEGY_GROUPS + ")")
        .help("leave [[group]] and `mapping` out, or use the strategy independent, team or async");
  std::vector<const spar_group*> pointers;
  given_.resize(mapped_.size());
  for (size_t i = 0; i < mapped_.size(); ++i) {
    spar_group& group = given_[i];
    group = {};
    group.struct_size = sizeof group;
    group.n_agents = static_cast<uint32_t>(mapped_[i].agents.size());
    group.name = mapped_[i].name.c_str();
    group.algorithm_slot = mapped_[i].algorithm_slot.empty() ? nullptr : mapped_[i].algorithm_slot.c_str();
    group.agents = mapped_[i].agents.data();
    pointers.push_back(&group);
  }
  rollout::call_plugin(label_, "set_groups", [&](spar_error* e) {
    return extension->set(self_, pointers.data(), static_cast<uint32_t>(pointers.size()), e);
  });
}

/// Nobody is trained by an algorithm that was not meant for him.
void Strategy::check_slot(const Group& group, const std::vector<uint32_t>& agents) const {
  const std::string plans =
      label_ + " plans the group `" + group.name + "` with " + algorithm_text(group.algorithm_slot);
  if (mapped_.empty() && !group.algorithm_slot.empty())
    throw Error("E0312", Exit::crash, plans + ", which the experiment does not have");
  for (const MappedGroup& mapped : mapped_) {
    if (mapped.algorithm_slot == group.algorithm_slot) continue;
    for (const uint32_t agent : mapped.agents)
      if (std::find(agents.begin(), agents.end(), agent) != agents.end())
        throw Error("E0312", Exit::crash,
                    plans + ", expected " + algorithm_text(mapped.algorithm_slot) + " for an agent of the group `" +
                        mapped.name + "`");
  }
}

}  // namespace spar::train

#include "spar/plugin.hpp"

#include "continuous_bandit.hpp"
#include "coordination.hpp"
#include "corridor.hpp"
#include "identity.hpp"
#include "masked.hpp"
#include "values.hpp"

namespace spar::probe {
namespace {

struct OneStepRewardDiscrete : OneStepReward<false> {
  static constexpr const char *id = "org.spar.probe/one_step_reward", *version = "1.0.0",
                              *title = "Reward 1 in one step";
};
struct OneStepRewardContinuous : OneStepReward<true> {
  static constexpr const char *id = "org.spar.probe/one_step_reward_continuous", *version = "1.0.0",
                              *title = "Reward 1 in one step, continuous";
};
struct ObsValueDiscrete : ObsValue<false> {
  static constexpr const char *id = "org.spar.probe/obs_value", *version = "1.0.0",
                              *title = "Reward that equals the observation";
};
struct ObsValueContinuous : ObsValue<true> {
  static constexpr const char *id = "org.spar.probe/obs_value_continuous", *version = "1.0.0",
                              *title = "Reward that equals the observation, continuous";
};
struct TwoStepDiscrete : TwoStep<false> {
  static constexpr const char *id = "org.spar.probe/two_step", *version = "1.0.0", *title = "Reward after two steps";
};
struct TwoStepContinuous : TwoStep<true> {
  static constexpr const char *id = "org.spar.probe/two_step_continuous", *version = "1.0.0",
                              *title = "Reward after two steps, continuous";
};
struct TwoActionsDiscrete : TwoActions<false> {
  static constexpr const char *id = "org.spar.probe/two_actions", *version = "1.0.0",
                              *title = "Reward that depends on the action";
};
struct TwoActionsContinuous : TwoActions<true> {
  static constexpr const char *id = "org.spar.probe/two_actions_continuous", *version = "1.0.0",
                              *title = "Reward that depends on the action, continuous";
};
struct MatchObsDiscrete : MatchObs<false> {
  static constexpr const char *id = "org.spar.probe/match_obs", *version = "1.0.0",
                              *title = "Reward if the action matches the observation";
};
struct MatchObsContinuous : MatchObs<true> {
  static constexpr const char *id = "org.spar.probe/match_obs_continuous", *version = "1.0.0",
                              *title = "Reward if the action matches the observation, continuous";
};
struct TruncatedForeverDiscrete : TruncatedForever<false> {
  static constexpr const char *id = "org.spar.probe/truncated_forever", *version = "1.0.0",
                              *title = "Reward 1 for ever, cut after 5 steps";
};
struct TruncatedForeverContinuous : TruncatedForever<true> {
  static constexpr const char *id = "org.spar.probe/truncated_forever_continuous", *version = "1.0.0",
                              *title = "Reward 1 for ever, cut after 5 steps, continuous";
};

}  // namespace
}  // namespace spar::probe

using namespace spar::probe;

SPAR_PLUGIN("org.spar.probe", "1.0.0", OneStepRewardDiscrete, OneStepRewardContinuous, ObsValueDiscrete,
            ObsValueContinuous, TwoStepDiscrete, TwoStepContinuous, TwoActionsDiscrete, TwoActionsContinuous,
            MatchObsDiscrete, MatchObsContinuous, TruncatedForeverDiscrete, TruncatedForeverContinuous, Corridor,
            ContinuousBandit, Identity, IdentityContinuous, Masked, Coordination)

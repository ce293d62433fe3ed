# The faults. Text in [[ ]] is taken as it stands.

set(F01_from [[    flags_.ended[i] = flags_.terminated[i] | flags_.truncated[i];]])
set(F01_to [[    flags_.terminated[i] = flags_.ended[i] = flags_.terminated[i] | flags_.truncated[i];]])
spar_add_mutation(
  F01_truncation_is_termination
  SOURCE core/rollout/worker.cpp
  CASE rollout_worker/truncation_goes_on_bootstrapping_and_termination_does_not
  OBJECTS $<TARGET_OBJECTS:test_core_rollout>
  LIBRARIES test_scripted
  REPLACE F01)

set(F02_from [[  for (Seat& seat : seats_) store(seat, counted);]])
set(F02_to
    [[  reset_ended();
  for (Seat& seat : seats_) store(seat, counted);]])
spar_add_mutation(
  F02_bootstrap_from_reset_observation
  SOURCE core/rollout/worker.cpp
  CASE rollout_worker/next_observation_is_the_true_one_where_an_episode_ends
  OBJECTS $<TARGET_OBJECTS:test_core_rollout>
  LIBRARIES test_scripted
  REPLACE F02)

# The window's first step decides: its next observation is kept, and an end that comes later is not seen.
set(F05a_from [[                layout_->write_next(to, rows, row);]])
set(F05a_to
    [[                static std::vector<std::vector<std::byte>> first_next;
                first_next.resize(spec_->n_step);
                for (auto& next : first_next) next.resize(layout_->stride);
                layout_->write_next(first_next[(window.next() - 1) % spec_->n_step].data(), rows, row);
                std::memcpy(to + layout_->known, first_next[closed.start % spec_->n_step].data() + layout_->known,
                            layout_->fields[layout_->numbers].offset - layout_->known);]])
set(F05b_from [[static_cast<float>(closed.discount)};]])
set(F05b_to [[static_cast<float>(closed.length > 1 ? spec_->gamma : closed.discount)};]])
set(F05c_from [[std::byte{closed.terminated};]])
set(F05c_to [[std::byte{closed.terminated && closed.length == 1};]])
spar_add_mutation(
  F05_first_next_observation_and_end_are_kept
  SOURCE core/replay/replay_table.cpp
  CASE replay_golden/windows_end_with_their_episode
  OBJECTS $<TARGET_OBJECTS:test_core_replay>
  LIBRARIES spar_core_replay
  REPLACE F05a F05b F05c)

set(F11_from [[mass_of(largest_)]])
set(F11_to [[mass_of(1.0)]])
spar_add_mutation(
  F11_new_priority_is_one
  SOURCE core/replay/prioritised.cpp
  CASE replay_golden/priorities_and_weights_are_those_of_schaul
  OBJECTS $<TARGET_OBJECTS:test_core_replay>
  LIBRARIES spar_core_replay
  REPLACE F11)

# One mean over all rows and actions instead of one for each row.
set(F25_from [[    return kernels().duel(]])
set(F25_to
    [[    const size_t atoms = spec().atoms;
    std::vector<float> sum(atoms);
    for (size_t r = 0; r < rows; ++r)
      for (size_t i = 0; i < out; ++i)
        sum[i % atoms] += (all_rows + advantage.rows)[r * advantage.out_stride + i] / static_cast<float>(rows * out / atoms);
    for (size_t r = 0; r < rows; ++r)
      for (size_t i = 0; i < out; ++i, y += sizeof(float)) {
        const float q = (all_rows + value.rows)[r * value.out_stride + i % atoms] - sum[i % atoms] +
                        (all_rows + advantage.rows)[r * advantage.out_stride + i];
        std::memcpy(y, &q, sizeof q);
      }
    return;
    kernels().duel(]])
spar_add_mutation(
  F25_dueling_mean_over_the_batch
  SOURCE core/nn/forward.cpp
  CASE network/dueling_output_is_the_golden_one
  OBJECTS $<TARGET_OBJECTS:test_core_nn>
  LIBRARIES spar_core_nn
  REPLACE F25)

set(F17_from [[batch.weight ? batch.weight : ones_.data()]])
set(F17_to [[ones_.data()]])
spar_add_mutation(
  F17_importance_weights_left_out
  SOURCE plugins/algorithms/value_learning/algorithm.cpp
  CASE dqn_update/one_update_is_the_golden_one
  OBJECTS $<TARGET_OBJECTS:test_plugin_dqn>
  PLUGIN dqn
  LIBRARIES spar_core_train
  REPLACE F17)

set(F52_from [[  const double norm = adam_.step(ctx_, online_, soft ? &target_ : nullptr, options_.tau);]])
set(F52_to
    [[  if (soft) target_.blend(online_, options_.tau);
  const double norm = adam_.step(ctx_, online_, nullptr, options_.tau);]])
spar_add_mutation(
  F52_target_follows_before_the_step
  SOURCE plugins/algorithms/value_learning/algorithm.cpp
  CASE dqn_update/one_update_is_the_golden_one
  OBJECTS $<TARGET_OBJECTS:test_plugin_dqn>
  PLUGIN dqn
  LIBRARIES spar_core_train
  REPLACE F52)

# The usual form of the algorithm: (upper - b) and (b - lower), both 0 where b meets an atom.
set(F20_from [[mass * (1 - share)]])
set(F20_to [[mass * (std::ceil(b) - b)]])
spar_add_mutation(
  F20_projection_loses_mass
  SOURCE sdk/include/spar/rl/projection.hpp
  TEST tests/sdk/rl/categorical_test.cpp
  CASE categorical/projection_keeps_all_mass_where_targets_meet_atoms_and_where_they_do_not
  LIBRARIES spar_sdk
  REPLACE F20)

set(F45_from [[return {-log_alpha * gap, -gap};]])
set(F45_to [[return {log_alpha * gap, gap};]])
spar_add_mutation(
  F45_alpha_loss_has_the_wrong_sign
  SOURCE sdk/include/spar/rl/sac.hpp
  TEST tests/sdk/rl/sac_test.cpp
  CASE sac/temperature_falls_while_the_entropy_is_above_its_target
  LIBRARIES spar_sdk
  REPLACE F45)

# A strategy of the mixture is drawn anew at every move: behaviours are averaged instead of plans.
set(F58_from [[    if (weights[i] > 0) add(population[i], weights[i], plan);]])
set(F58_to
    [[    if (weights[i] > 0) {
      const Behaviour behaviour = to_behaviour(player, dense(player, population[i]));
      for (size_t s = 0; s < player.sequences(); ++s) plan[s] += weights[i] * behaviour[s];
    }
  const Plan averaged = to_plan(player, plan);
  std::copy(averaged.begin(), averaged.end(), plan.begin());]])
spar_add_mutation(
  F58_mixture_is_drawn_at_every_move
  SOURCE core/game/mixture.cpp
  CASE game_exploitability/a_mixture_is_drawn_once_and_not_at_every_move
  OBJECTS $<TARGET_OBJECTS:test_core_game>
  LIBRARIES spar_core_game test_environment_copies
  REPLACE F58)
spar_add_mutation(
  F58_mixture_stalls_psro
  SOURCE core/game/mixture.cpp
  CASE psro/fictitious_play_on_leduc_keeps_its_course
  OBJECTS $<TARGET_OBJECTS:test_core_game>
  LIBRARIES spar_core_game test_environment_copies
  REPLACE F58)
add_dependencies(mutation_F58_mixture_is_drawn_at_every_move games)
add_dependencies(mutation_F58_mixture_stalls_psro games)

# Critics that see a team: what the others do next is taken from the memory, not from their target policies.
set(CENTRAL1_from [[    put_into(added.next_joint, member.next->actions.bytes(0));]])
set(CENTRAL1_to [[    put_into(added.next_joint, of.action);]])
spar_add_mutation(
  central_next_actions_are_those_of_the_memory
  SOURCE core/rollout/central.cpp
  CASE rollout_central/rows_of_all_members_are_those_of_the_same_moments
  OBJECTS $<TARGET_OBJECTS:test_core_rollout>
  LIBRARIES test_scripted
  REPLACE CENTRAL1)

# The policy's own action is not put into the place of the one in the memory.
set(CENTRAL2_from [[batch.seen, inputs_.with(batch.action, mu));
  return]])
set(CENTRAL2_to [[batch.seen, Tensor(batch.action));
  return]])
spar_add_mutation(
  central_policy_is_judged_by_its_old_action
  SOURCE plugins/algorithms/ddpg/ddpg.cpp
  CASE ddpg_update/central_critic_sees_the_team_with_the_own_action_of_the_policy
  OBJECTS $<TARGET_OBJECTS:test_plugin_deterministic> $<TARGET_OBJECTS:test_distributional>
  PLUGIN ddpg
  LIBRARIES spar_core_train
  REPLACE CENTRAL2)

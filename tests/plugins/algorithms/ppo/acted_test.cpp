// The policy's outputs of the time when it acted, in place of computing them again.
#include "plugins/algorithms/ppo/acted.hpp"

#include "plugins/algorithms/ppo/rig.hpp"

using namespace spar;
using namespace spar::test;

namespace {

constexpr uint64_t kLanes = 3, kSteps = 4, kRows = kLanes * kSteps;

const boost::json::object kOnePass = {
    {"rollout_length", kSteps}, {"batch_size", kRows}, {"actor_number_updates", 1}, {"critic_number_updates", 1}};

std::vector<float> observation(uint64_t lane, uint64_t step) {
  return {static_cast<float>(lane) - 1.0F, 0.25F * static_cast<float>(step)};
}

/// Acts in all copies, step by step, and stores what was done.
void collect(PpoRig& rig) {
  for (uint64_t step = 0; step < kSteps; ++step) {
    std::vector<float> obs;
    for (uint64_t lane = 0; lane < kLanes; ++lane)
      for (const float x : observation(lane, step)) obs.push_back(x);
    const std::vector<float> actions = rig.act(SPAR_MODE_EXPLORE, obs);
    for (uint64_t lane = 0; lane < kLanes; ++lane) {
      Step done{observation(lane, step), {actions[lane]}, static_cast<float>(step * lane), observation(lane, step + 1)};
      done.lane = lane;
      rig.remember(done);
    }
  }
}

PpoSetup some_lanes() {
  PpoSetup setup;
  setup.lanes = kLanes;
  setup.act = Space::box(1, -1, 1);
  return setup;
}

/// Rows of two numbers as a batch.
struct Seen {
  explicit Seen(std::vector<float> rows) : numbers(std::move(rows)) {}
  ppo::Observations view() const { return {batch, "obs", input}; }

  std::vector<float> numbers;
  std::vector<int64_t> shape = {static_cast<int64_t>(numbers.size() / 2), 2};
  spar_column column = column_over("obs", numbers.data(), SPAR_DTYPE_FLOAT, 32, shape);
  spar_batch batch{sizeof(spar_batch), 1, numbers.size() / 2, &column, nullptr, nullptr, nullptr};
  InputSpec input{2};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(acted_outputs)

BOOST_AUTO_TEST_CASE(come_back_copy_after_copy_for_the_same_observations_only) {
  const Seen first({1, 2, 3, 4}), second({5, 6, 7, 8}), rollout({1, 2, 5, 6, 3, 4, 7, 8}),
      other({1, 2, 5, 6, 3, 4, 7, 9});
  const float early[] = {10, 20}, late[] = {30, 40};
  ppo::ActedOutputs acted(2, 2, 4, 1, true);
  acted.note(first.view(), 2, early);
  float out[4] = {};
  BOOST_TEST(!acted.take(rollout.view(), 4, 0, 4, out));
  acted.note(second.view(), 2, late);
  BOOST_TEST(acted.take(rollout.view(), 4, 0, 4, out));
  BOOST_TEST(out == (std::array<float, 4>{10, 30, 20, 40}), boost::test_tools::per_element());
  BOOST_TEST(acted.take(rollout.view(), 4, 2, 1, out));
  BOOST_TEST(out[0] == 20);
  BOOST_TEST(!acted.take(other.view(), 4, 0, 4, out));
  acted.forget();
  BOOST_TEST(!acted.take(rollout.view(), 4, 0, 4, out));
}

BOOST_AUTO_TEST_CASE(are_of_no_use_where_copies_took_turns_or_acted_more_often) {
  const Seen one({1, 2}), both({1, 2, 3, 4});
  const float outputs[] = {10, 20};
  float out[4] = {};
  ppo::ActedOutputs turns(2, 2, 2, 1, true), often(2, 2, 2, 1, true);
  turns.note(one.view(), 1, outputs);
  turns.note(both.view(), 2, outputs);
  BOOST_TEST(!turns.take(both.view(), 2, 0, 2, out));
  often.note(both.view(), 2, outputs);
  often.note(both.view(), 2, outputs);
  BOOST_TEST(!often.take(both.view(), 2, 0, 2, out));
  often.forget();
  often.note(both.view(), 2, outputs);
  BOOST_TEST(often.take(both.view(), 2, 0, 2, out));
}

BOOST_AUTO_TEST_CASE(are_what_the_ratio_is_taken_against) {
  PpoRig rig(kOnePass, some_lanes());
  collect(rig);
  std::vector<float> moved = rig.values("actor");
  moved.back() += 0.5F;  // the bias of the mean
  rig.set_values("actor", moved);
  rig.learn();
  BOOST_TEST(std::abs(rig.recorded().at("kl")) > 1e-3);
}

BOOST_AUTO_TEST_CASE(give_the_bits_that_computing_again_gives) {
  PpoRig rig(kOnePass, some_lanes()), again(kOnePass, some_lanes());
  const Philox::State before = again.context.random.state();
  again.act(SPAR_MODE_EXPLORE, observation(0, 0));  // of one copy alone, so that nothing is remembered
  again.context.random.restore(before);
  for (PpoRig* each : {&rig, &again}) {
    collect(*each);
    each->learn();
    collect(*each);  // now remembered by both
    each->learn();
  }
  BOOST_TEST(rig.values("actor") == again.values("actor"), boost::test_tools::per_element());
  BOOST_TEST(rig.values("critic") == again.values("critic"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

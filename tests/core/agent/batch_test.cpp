#include "core/agent/batch.hpp"

#include "core/agent/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

std::string learning(Agent& agent, const TransitionBatch& batch) {
  const auto before = bytes_of(agent);
  const std::string text = thrown([&] { agent.learn(batch); });
  BOOST_TEST((bytes_of(agent) == before), "the refused batch changed the agent: " << text);
  return text;
}

/// The columns of dqn_batch() with one of them replaced, or left out.
template <class Data>
TransitionBatch with(const std::string& name, Data data, uint64_t rows = 8) {
  TransitionBatch whole = dqn_batch(), batch(rows);
  for (const std::string& column : whole.names()) {
    if (column == name) continue;
    const Numbers& n = *whole.find(column);
    if (n.code == SPAR_DTYPE_FLOAT) {
      const auto* x = reinterpret_cast<const float*>(n.bytes);
      batch.add(column, std::vector<float>(x, x + n.size));
    } else if (n.code == SPAR_DTYPE_INT) {
      const auto* x = reinterpret_cast<const int64_t*>(n.bytes);
      batch.add(column, std::vector<int64_t>(x, x + n.size));
    } else {
      const auto* x = reinterpret_cast<const uint8_t*>(n.bytes);
      batch.add(column, std::vector<uint8_t>(x, x + n.size));
    }
  }
  if constexpr (!std::is_same_v<Data, std::nullptr_t>) batch.add(name, std::move(data));
  return batch;
}

TransitionBatch steady_batch(uint64_t rows) {
  std::vector<float> obs, action;
  for (uint64_t i = 0; i < rows; ++i) {
    for (const float x : observe(i, 2)) obs.push_back(x);
    action.push_back(1);  // the middle of [-1, 3] and of [0, 10]
    action.push_back(5);
  }
  TransitionBatch batch(rows);
  batch.add("obs", obs).add("next_obs", obs).add("action", action).add("reward", std::vector<float>(rows, 0));
  batch.add("terminated", std::vector<uint8_t>(rows, 0));
  return batch;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(agent_batch)

BOOST_AUTO_TEST_CASE(one_update_is_made_and_the_memory_stays) {
  Agent agent = make_dqn(), twin = make_dqn();
  for (Agent* a : {&agent, &twin}) drive(*a, 0, 20);
  const std::string before = agent.parameters_sha256();
  const auto memory = checkpoint::encode(agent.get_buffer());
  const uint64_t updates = agent.updates();
  const double expected = agent.compute_value_loss(dqn_batch());
  agent.learn(dqn_batch());
  BOOST_TEST(agent.parameters_sha256() != before);
  BOOST_TEST(agent.updates() == updates + 1);
  BOOST_TEST(agent.loss().at("loss/q") == expected);
  BOOST_TEST((checkpoint::encode(agent.get_buffer()) == memory));
  twin.learn(dqn_batch());
  BOOST_TEST((bytes_of(twin) == bytes_of(agent)));
}

BOOST_AUTO_TEST_CASE(losses_of_a_batch_change_nothing) {
  Agent dqn = make_dqn(), steady = make_steady();
  drive(dqn, 0, 30);
  drive(steady, 0, 30);
  const auto before = bytes_of(dqn), also_before = bytes_of(steady);
  const double loss = dqn.compute_value_loss(dqn_batch());
  BOOST_TEST((loss > 0 && dqn.compute_value_loss(dqn_batch()) == loss));
  BOOST_TEST((bytes_of(dqn) == before));
  const double policy = steady.compute_policy_loss(steady_batch(5));  // it draws from its stream
  BOOST_TEST((policy >= 0 && steady.compute_policy_loss(steady_batch(5)) == policy));
  BOOST_TEST((bytes_of(steady) == also_before));
  BOOST_TEST(dqn.compute_value_loss(dqn_batch(3)) > 0);  // fewer rows than learn() takes are fine
  BOOST_TEST(thrown([&] { dqn.compute_value_loss(dqn_batch(9)); }) ==
             "E1002 algorithm `org.spar.dqn`: the batch has 9 rows, expected 1 to 8");
  BOOST_TEST(thrown([&] { dqn.compute_policy_loss(dqn_batch()); }) ==
             "E1003 algorithm `org.spar.dqn` offers no policy loss");
  BOOST_TEST(thrown([&] { steady.compute_value_loss(steady_batch(5)); }) ==
             "E1003 algorithm `org.example.steady` offers no value loss");
  Agent table = make_qtable();
  BOOST_TEST(thrown([&] {
               const std::vector<float> zero = {0};
               table.compute_value_loss(TransitionBatch(1)
                                            .add("obs", zero)
                                            .add("next_obs", zero)
                                            .add("action", std::vector<int64_t>{0})
                                            .add("reward", zero)
                                            .add("discount", zero));
             }) == "E1003 algorithm `org.example.qtable` offers no value loss");
}

BOOST_AUTO_TEST_CASE(wrong_shapes_are_refused_with_both_shapes) {
  Agent agent = make_dqn();
  BOOST_TEST(learning(agent, with("obs", std::vector<float>(24))) ==
             "E1001 learn(): column `obs` has the shape [12, 2], expected [8, 2]");
  BOOST_TEST(learning(agent, with("obs", std::vector<float>(8))) ==
             "E1001 learn(): column `obs` has the shape [4, 2], expected [8, 2]");
  BOOST_TEST(learning(agent, with("reward", std::vector<float>(7))) ==
             "E1001 learn(): column `reward` has the shape [7], expected [8]");
  BOOST_TEST(learning(agent, with("action", std::vector<float>(8))) ==
             "E1001 learn(): column `action` is f32, expected i64");
  BOOST_TEST(learning(agent, TransitionBatch(0)) == "E1001 learn(): the batch has 0 rows, expected at least 1");
  BOOST_TEST(learning(agent, dqn_batch(5)) ==
             "E1002 the batch has 5 rows, expected 8: that is how many algorithm `org.spar.dqn` learns from");
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_finite_are_refused_with_their_column) {
  Agent agent = make_dqn();
  std::vector<float> bad(16, 0.5F);
  bad[5] = std::nanf("");
  BOOST_TEST(learning(agent, with("next_obs", bad)) ==
             "E1001 learn(): column `next_obs` is NaN in row 2, expected finite numbers");
  std::vector<float> reward(8, 1);
  reward[7] = -HUGE_VALF;
  BOOST_TEST(learning(agent, with("reward", reward)) ==
             "E1001 learn(): column `reward` is infinite in row 7, expected finite numbers");
  BOOST_TEST(learning(agent, with("action", std::vector<int64_t>{0, 1, 2, 0, 1, 2, 5, 0})) ==
             "E1001 learn(): column `action` is 5 in row 6, which is outside Discrete(3)");
  TransitionBatch weighted = dqn_batch();
  weighted.add("weight", std::vector<float>(8, std::nanf("")));
  BOOST_TEST(learning(agent, weighted) == "E1001 learn(): column `weight` is NaN in row 0, expected finite numbers");
}

BOOST_AUTO_TEST_CASE(columns_are_all_there_and_all_known) {
  Agent agent = make_dqn();
  BOOST_TEST(learning(agent, with("next_obs", nullptr)) ==
             "E1002 learn(): the batch has no column `next_obs`, expected f32 [8, 2]");
  BOOST_TEST(learning(agent, with("terminated", nullptr)) ==
             "E1002 learn(): the batch has no column `terminated`, expected u8 [8]");
  TransitionBatch misspelt = dqn_batch(), twice = dqn_batch();
  misspelt.add("discont", std::vector<float>(8));
  BOOST_TEST(learning(agent, misspelt) ==
             "E1002 learn(): the batch has the unknown column `discont`; did you mean `discount`?");
  twice.add("reward", std::vector<float>(8));
  BOOST_TEST(learning(agent, twice) == "E1002 learn(): column `reward` is there twice");
}

BOOST_AUTO_TEST_CASE(discount_and_weight_have_their_meaning_when_left_out) {
  Agent agent = make_dqn();
  drive(agent, 0, 20);
  TransitionBatch explicit_ones = with("terminated", nullptr);
  std::vector<float> discount;
  for (uint64_t i = 0; i < 8; ++i) discount.push_back(i % 4 == 3 ? 0.0F : 0.99F);
  explicit_ones.add("discount", discount).add("weight", std::vector<float>(8, 1));
  BOOST_TEST(agent.compute_value_loss(explicit_ones) == agent.compute_value_loss(dqn_batch()));
  TransitionBatch heavier = dqn_batch();
  heavier.add("weight", std::vector<float>(8, 2));
  BOOST_TEST(std::abs(agent.compute_value_loss(heavier) - 2 * agent.compute_value_loss(dqn_batch())) < 1e-9);
}

BOOST_AUTO_TEST_CASE(actions_arrive_in_the_units_of_the_algorithm) {
  Agent agent = make_steady();
  // The middle of the box is 0, which a fresh policy with small outputs is near to; its ends are far away.
  TransitionBatch ends = steady_batch(4);
  const double middle = agent.compute_policy_loss(ends);
  for (int i = 0; i < 400; ++i) agent.learn(steady_batch(4));
  BOOST_TEST(agent.compute_policy_loss(steady_batch(4)) < middle);
  const Actions learnt = agent.act(observe(1, 2), {.mode = Mode::greedy});
  BOOST_TEST(std::abs(learnt.box[0] - 1) < 0.3);
  BOOST_TEST(std::abs(learnt.box[1] - 5) < 0.75);
}

BOOST_AUTO_TEST_CASE(rollouts_take_any_number_of_rows_and_mark_their_end) {
  Agent agent = make_steady("rollout = true\nbatch = 16");
  drive(agent, 0, 3);
  agent.learn(steady_batch(7));
  BOOST_TEST(agent.updates() == 1u);
  BOOST_TEST(agent.buffer_rows() == 3u);  // what was collected is still there
}

BOOST_AUTO_TEST_CASE(algorithm_that_does_not_sample_cannot_be_given_a_batch) {
  Agent agent = make_steady("samples = false");
  BOOST_TEST(thrown([&] { agent.learn(steady_batch(4)); }) ==
             "E1003 algorithm `org.example.steady` does not sample when it learns, so no batch can be given to it");
}

BOOST_AUTO_TEST_SUITE_END()

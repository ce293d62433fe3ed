#include <boost/test/unit_test.hpp>

#include "core/base/hash.hpp"
#include "net_support.hpp"

using namespace spar;
using namespace spar::nn;
using namespace spar::nn::test;

namespace {

struct Agent : Instance {
  spar_net *actor, *critic;
  explicit Agent(uint64_t seed = 1, int64_t width = 33) : Instance(seed) {
    const std::string json = "{\"hidden\":[" + std::to_string(width) + ",16]}";
    critic = create("critic", {{5}, 1, json, 2});
    actor = create("actor", {{5}, 6, json});
  }
  void learn(uint32_t turn) {
    for (spar_net* net : {actor, critic}) {
      forward(net, 1, random_floats(35, turn), 5);
      backward(net, 1, random_floats(7 * network_of(net).spec().out * network_of(net).spec().ensemble, turn + 100));
    }
    spar_net* nets[] = {actor, critic};
    const spar_update step = adam(nets, 2);
    require(nn.update(&ctx, &step, nullptr, &error));
  }
  std::vector<std::byte> saved() const {
    ByteWriter out;
    networks.save(out);
    return out.take();
  }
  void restore(const std::vector<std::byte>& bytes) {
    ByteReader in(bytes, "networks");
    networks.load(in);
    in.end();
  }
};

auto is(const char* code, std::string words) {
  return [code, words](const Error& error) {
    BOOST_TEST(error.code() == code);
    BOOST_TEST(std::string(error.what()).find(words) != std::string::npos, error.what());
    return true;
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(network_state)

BOOST_AUTO_TEST_CASE(a_restored_set_continues_bit_for_bit) {
  Agent agent(1), other(2);
  for (uint32_t turn = 0; turn < 5; ++turn) agent.learn(turn);
  other.restore(agent.saved());
  BOOST_TEST(other.networks.sha256() == agent.networks.sha256());
  for (uint32_t turn = 5; turn < 8; ++turn) {
    agent.learn(turn);
    other.learn(turn);
  }
  BOOST_TEST(other.networks.sha256() == agent.networks.sha256());
  BOOST_TEST(other.saved() == agent.saved());
  BOOST_TEST(other.steps(other.actor) == 8u);
}

BOOST_AUTO_TEST_CASE(a_restored_noisy_network_draws_the_same_noise) {
  const NetPlan plan{{5}, 6, R"({"hidden":[33],"noisy":0.5})", 2};
  Instance one(1), two(2);
  spar_net *a = one.create("q", plan), *b = two.create("q", plan);
  one.resample(a);
  ByteWriter out;
  one.networks.save(out);
  const std::vector<std::byte> bytes = out.take();
  ByteReader in(bytes, "networks");
  two.networks.load(in);
  in.end();
  for (int turn = 0; turn < 3; ++turn) {
    const std::vector<float> x = random_floats(20, 5);
    BOOST_TEST(two.read(b, SPAR_NET_NOISE) == one.read(a, SPAR_NET_NOISE), boost::test_tools::per_element());
    BOOST_TEST(two.forward(b, 0, x, 5) == one.forward(a, 0, x, 5), boost::test_tools::per_element());
    one.resample(a);
    two.resample(b);
  }
}

BOOST_AUTO_TEST_CASE(pending_gradients_are_part_of_the_state) {
  Agent agent, other;
  agent.forward(agent.actor, 1, random_floats(5, 1), 5);
  agent.backward(agent.actor, 1, random_floats(6, 2));
  BOOST_TEST(agent.saved().size() > other.saved().size());
  other.restore(agent.saved());
  BOOST_TEST(other.read(other.actor, SPAR_NET_GRADIENTS) == agent.read(agent.actor, SPAR_NET_GRADIENTS),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(other_networks_are_refused_and_nothing_changes) {
  Agent agent, narrow(1, 20);
  Instance fewer, renamed;
  fewer.create("critic", {{5}, 1});
  renamed.create("critic", {{5}, 1, R"({"hidden":[33,16]})", 2});
  renamed.create("policy", {{5}, 6, R"({"hidden":[33,16]})"});
  const std::string before = narrow.networks.sha256();
  BOOST_CHECK_EXCEPTION(narrow.restore(agent.saved()), Error,
                        is("E0502", "network `actor` has shape [5, 33, 16, 6] relu, expected [5, 20, 16, 6] relu"));
  BOOST_TEST(narrow.networks.sha256() == before);
  const std::vector<std::byte> bytes = agent.saved();
  ByteReader first(bytes, "networks"), second(bytes, "networks");
  BOOST_CHECK_EXCEPTION(fewer.networks.load(first), Error, is("E0502", "it has 2, expected 1"));
  BOOST_CHECK_EXCEPTION(renamed.networks.load(second), Error, is("E0502", "found `actor` where `critic` is expected"));
}

BOOST_AUTO_TEST_CASE(a_damaged_state_changes_nothing) {
  Agent agent(1), other(2);
  std::vector<std::byte> bytes = agent.saved();
  bytes.resize(bytes.size() - 3);
  const std::string before = other.networks.sha256();
  BOOST_CHECK_EXCEPTION(other.restore(bytes), Error, is("E0501", "networks"));
  BOOST_TEST(other.networks.sha256() == before);
}

BOOST_AUTO_TEST_CASE(hash_covers_values_in_canonical_order_by_name) {
  Instance instance;
  spar_net* b = instance.create("b", {{1}, 1});
  spar_net* a = instance.create("a", {{2}, 1});
  instance.write(a, {1, 2, 3});
  instance.write(b, {4, 5});
  const std::vector<float> all{1, 2, 3, 4, 5};
  Sha256 hash;
  hash.update(std::as_bytes(std::span<const float>(all)));
  BOOST_TEST(instance.networks.sha256() == hash.hex());
  BOOST_TEST(instance.networks.parameter_count() == 5u);
  std::string names;
  for (const auto& [name, network] : instance.networks.networks()) names += name;
  BOOST_TEST(names == "ab");
}

BOOST_AUTO_TEST_CASE(values_are_copied_by_name) {
  Agent learner(1);
  Instance acting(9);
  spar_net* actor = acting.create("actor", {{5}, 6, R"({"hidden":[33,16]})"});
  acting.networks.copy_values_from(learner.networks);
  BOOST_TEST(acting.read(actor) == learner.read(learner.actor), boost::test_tools::per_element());
  acting.create("world", {{5}, 6});
  BOOST_CHECK_EXCEPTION(acting.networks.copy_values_from(learner.networks), Error,
                        is("E0901", "no network of that name"));
  Agent narrow(1, 20);
  BOOST_CHECK_EXCEPTION(narrow.networks.copy_values_from(learner.networks), Error,
                        is("E0901", "has shape [5, 20, 16, 6] relu here and [5, 33, 16, 6] relu"));
}

BOOST_AUTO_TEST_CASE(networks_are_found_by_name_until_they_are_destroyed) {
  Agent agent;
  BOOST_TEST(agent.networks.find("actor") == &network_of(agent.actor));
  agent.nn.destroy(agent.actor);
  BOOST_TEST(agent.networks.find("actor") == nullptr);
  BOOST_TEST(agent.networks.size() == 1u);
  agent.nn.destroy(nullptr);
  BOOST_TEST(agent.networks.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

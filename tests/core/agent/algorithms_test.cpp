// Every algorithm of the build, whichever there are, through every function of the agent.
#include <cstring>

#include "core/agent/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

struct Subject {
  std::string id;
  bool discrete;  ///< else continuous
};

std::vector<Subject> subjects() {
  std::vector<Subject> out;
  plugin::Registry& registry = agent_plugins().registry();
  for (const auto& file : registry.files()) {
    for (const auto& listed : file.components) {
      if (file.status != plugin::Status::usable || listed.kind != SPAR_KIND_ALGO || !listed.id.starts_with("org.spar."))
        continue;
      const uint32_t flags = registry.schema(SPAR_KIND_ALGO, listed.id).flags;
      if (flags & SPAR_ALGO_DISCRETE) out.push_back({listed.id, true});
      if (flags & SPAR_ALGO_CONTINUOUS) out.push_back({listed.id, false});
    }
  }
  BOOST_TEST(!out.empty());
  return out;
}

constexpr uint64_t kRows = 8;

/// Small enough to be quick, with the options that the algorithm has.
Agent make_small(const Subject& subject, const std::vector<std::string>& more = {}) {
  const config::Component& schema = agent_plugins().registry().schema(SPAR_KIND_ALGO, subject.id);
  config::Table options;
  for (const auto& [name, value] : {std::pair("hidden_layers", "[8]"),
                                    {"batch_size", "8"},
                                    {"buffer_size", "200"},
                                    {"warm_up", "10"},
                                    {"rollout_length", "8"}}) {
    for (const auto& param : schema.params)
      if (param.name == name) config::assign(options, std::string(name) + "=" + value);
  }
  for (const std::string& option : more) config::assign(options, option);
  return Agent::create(agent_plugins(), subject.id,
                       {Space::box(2, -10, 10), subject.discrete ? Space::discrete(3) : Space::box({-1, 0}, {3, 10})},
                       options, {.steps = 1'000});
}

TransitionBatch batch_for(const Subject& subject) {
  if (subject.discrete) return dqn_batch(kRows);
  std::vector<float> obs, next, action, reward;
  std::vector<uint8_t> terminated;
  for (uint64_t i = 0; i < kRows; ++i) {
    for (const float x : observe(i, 2)) obs.push_back(x);
    for (const float x : observe(i + 1, 2)) next.push_back(x);
    action.push_back(0.25F * static_cast<float>(i));
    action.push_back(1.25F * static_cast<float>(i));
    reward.push_back(0.5F * static_cast<float>(i));
    terminated.push_back(i % 4 == 3);
  }
  TransitionBatch batch(kRows);
  batch.add("obs", obs).add("next_obs", next).add("action", action).add("reward", reward).add("terminated", terminated);
  return batch;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(agent_algorithms)

BOOST_AUTO_TEST_CASE(each_looks_without_changing_and_goes_on_the_same_after_being_saved) {
  for (const Subject& subject : subjects()) {
    BOOST_TEST_CONTEXT(subject.id << (subject.discrete ? " discrete" : " continuous")) {
      Agent agent = make_small(subject);
      drive(agent, 0, 59);
      BOOST_TEST(agent.updates() > 0u);
      BOOST_TEST(!agent.loss().empty());
      const auto before = bytes_of(agent);
      for (uint64_t t = 0; t < 3; ++t) agent.act(observe(t, 2), {.mode = Mode::greedy});
      BOOST_TEST((bytes_of(agent) == before));
      Agent revived = Agent::from_state(agent_plugins(), agent.get_state());
      for (Agent* a : {&agent, &revived}) drive(*a, 59, 60);
      BOOST_TEST((bytes_of(revived) == bytes_of(agent)));
      agent.reset_agent();
      drive(agent, 0, 59);
      BOOST_TEST((bytes_of(agent) == before));
    }
  }
}

BOOST_AUTO_TEST_CASE(each_learns_from_a_batch_and_tells_its_losses) {
  for (const Subject& subject : subjects()) {
    BOOST_TEST_CONTEXT(subject.id << (subject.discrete ? " discrete" : " continuous")) {
      Agent agent = make_small(subject);
      drive(agent, 0, 59);
      const auto before = bytes_of(agent);
      const double value = agent.compute_value_loss(batch_for(subject));
      BOOST_TEST(std::isfinite(value));
      BOOST_TEST(agent.compute_value_loss(batch_for(subject)) == value);
      // Those that learn values alone have no policy beside them.
      const bool values_alone = subject.id == "org.spar.dqn" || subject.id == "org.spar.rainbow";
      const std::string policy = thrown([&] {
        const double loss = agent.compute_policy_loss(batch_for(subject));
        BOOST_TEST(std::isfinite(loss));
        BOOST_TEST(agent.compute_policy_loss(batch_for(subject)) == loss);
      });
      BOOST_TEST(policy == (values_alone ? "E1003 algorithm `" + subject.id + "` offers no policy loss"
                                         : std::string("nothing was thrown")));
      BOOST_TEST((bytes_of(agent) == before));
      const uint64_t rows = agent.buffer_rows();
      const std::string sha = agent.parameters_sha256();
      agent.learn(batch_for(subject));
      BOOST_TEST(agent.parameters_sha256() != sha);
      BOOST_TEST(agent.buffer_rows() == rows);
    }
  }
}

BOOST_AUTO_TEST_CASE(entropy_temperature_is_told_where_there_is_one) {
  for (const Subject& subject : subjects()) {
    if (subject.id != "org.spar.sac") {
      BOOST_TEST(!make_small(subject).alpha().has_value(), subject.id);
      continue;
    }
    Agent fixed = make_small(subject, {"alpha=0.3"}), learnt = make_small(subject, {"alpha=0.3", "alpha_lr=1e-2"});
    BOOST_TEST(std::abs(learnt.alpha().value() - 0.3) < 1e-6);
    for (Agent* agent : {&fixed, &learnt}) drive(*agent, 0, 40);
    BOOST_TEST(fixed.alpha().value() == 0.3);
    BOOST_TEST(std::abs(learnt.alpha().value() - 0.3) > 1e-3);
  }
}

BOOST_AUTO_TEST_CASE(networks_come_in_the_documented_order) {
  const std::map<std::string, std::vector<std::string>> documented = {
      {"org.spar.dqn", {"q", "q_target"}},
      {"org.spar.rainbow", {"q", "q_target"}},
      {"org.spar.ddpg", {"actor", "actor_target", "critic", "critic_target"}},
      {"org.spar.d3pg", {"actor", "actor_target", "critic", "critic_target"}},
      {"org.spar.d4pg", {"actor", "actor_target", "critic", "critic_target"}},
      {"org.spar.sac", {"actor", "critic", "critic_target"}}};
  for (const Subject& subject : subjects()) {
    const auto expected = documented.find(subject.id);
    if (expected == documented.end()) continue;
    std::vector<std::string> found;
    for (const auto& tensor : make_small(subject).state_dict()) {
      const std::string network = tensor.name.substr(0, tensor.name.find('.'));
      if (found.empty() || found.back() != network) found.push_back(network);
    }
    BOOST_TEST_CONTEXT(subject.id) BOOST_TEST(found == expected->second, boost::test_tools::per_element());
  }
}

#ifdef SPAR_HAVE_TORCH
/// |found - expected| / |expected| over all tensors.
double distance(const NetworkState& found, const NetworkState& expected) {
  BOOST_REQUIRE_EQUAL(found.size(), expected.size());
  double difference = 0, norm = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    BOOST_REQUIRE_EQUAL(found[i].name, expected[i].name);
    BOOST_REQUIRE_EQUAL(found[i].data.size(), expected[i].data.size());
    for (size_t at = 0; at < found[i].data.size(); at += sizeof(float)) {
      float a = 0, b = 0;
      std::memcpy(&a, found[i].data.data() + at, sizeof a);
      std::memcpy(&b, expected[i].data.data() + at, sizeof b);
      difference += std::pow(static_cast<double>(a) - static_cast<double>(b), 2);
      norm += std::pow(static_cast<double>(b), 2);
    }
  }
  return std::sqrt(difference / norm);
}

BOOST_AUTO_TEST_CASE(one_update_from_the_same_state_agrees_between_the_backends) {
  for (const Subject& subject : subjects()) {
    BOOST_TEST_CONTEXT(subject.id << (subject.discrete ? " discrete" : " continuous")) {
      Agent native = make_small(subject), torch = make_small(subject, {"network_backend=\"torch\""});
      const NetworkState start = native.state_dict();
      BOOST_TEST(native.parameters_sha256() == torch.parameters_sha256());
      for (Agent* agent : {&native, &torch}) agent->learn(batch_for(subject));
      BOOST_TEST(distance(native.state_dict(), start) > 1e-4);
      BOOST_TEST(distance(torch.state_dict(), native.state_dict()) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(networks_of_one_backend_go_on_in_the_other) {
  for (const Subject& subject : subjects()) {
    BOOST_TEST_CONTEXT(subject.id << (subject.discrete ? " discrete" : " continuous")) {
      Agent native = make_small(subject), torch = make_small(subject, {"network_backend=\"torch\""});
      native.learn(batch_for(subject));
      torch.set_network(native.state_dict());
      BOOST_TEST(torch.parameters_sha256() == native.parameters_sha256());
      const Actions a = native.act(observe(3, 2), {.mode = Mode::greedy});
      const std::vector<float> expected(a.box.begin(), a.box.end());
      const std::vector<int64_t> choice(a.discrete.begin(), a.discrete.end());
      const Actions b = torch.act(observe(3, 2), {.mode = Mode::greedy});
      BOOST_TEST((std::vector<int64_t>(b.discrete.begin(), b.discrete.end()) == choice));
      BOOST_REQUIRE_EQUAL(b.box.size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i) BOOST_TEST(std::abs(b.box[i] - expected[i]) < 1e-5F);
    }
  }
}
#endif

BOOST_AUTO_TEST_SUITE_END()

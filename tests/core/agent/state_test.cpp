#include <fstream>

#include "core/agent/fixture.hpp"
#include "support/files.hpp"

using namespace spar;
using namespace spar::test;
namespace fs = std::filesystem;

namespace {

float number(const params::Tensor& tensor, size_t i) {
  float value;
  std::memcpy(&value, tensor.data.data() + i * sizeof value, sizeof value);
  return value;
}

void set_number(params::Tensor& tensor, size_t i, float value) {
  std::memcpy(tensor.data.data() + i * sizeof value, &value, sizeof value);
}

std::vector<std::byte> section(const AgentState& state, const char* name) { return state.section(name).data; }

}  // namespace

BOOST_AUTO_TEST_SUITE(agent_state)

BOOST_AUTO_TEST_CASE(saved_and_loaded_agents_go_on_the_same) {
  const TemporaryDirectory place;
  const fs::path file = place / "agent.ckpt";
  const std::function<Agent()> makers[] = {[] { return make_dqn(); }, [] { return make_steady(); },
                                           [] { return make_steady("rollout = true\nbatch = 16"); }, make_qtable};
  for (const auto& make : makers) {
    Agent whole = make();
    drive(whole, 0, 59);  // in the middle of an episode, of a window and of a rollout
    whole.save_state(file);
    Agent revived = Agent::from_state(agent_plugins(), file), replaced = make();
    drive(replaced, 5, 20);
    replaced.load_state(file);
    BOOST_TEST((bytes_of(revived) == bytes_of(whole)));
    BOOST_TEST((bytes_of(replaced) == bytes_of(whole)));
    for (Agent* agent : {&whole, &revived, &replaced}) drive(*agent, 59, 60);
    BOOST_TEST((bytes_of(revived) == bytes_of(whole)));
    BOOST_TEST((bytes_of(replaced) == bytes_of(whole)));
  }
}

BOOST_AUTO_TEST_CASE(a_choice_survives_between_act_and_step) {
  Agent agent = make_steady();
  drive(agent, 0, 10);
  const std::vector<float> obs = observe(10, 2), next = observe(11, 2);
  const Actions actions = agent.act(obs);
  const std::vector<float> action(actions.box.begin(), actions.box.end());
  Agent revived = Agent::from_state(agent_plugins(), agent.get_state());
  for (Agent* a : {&agent, &revived}) a->step({.obs = obs, .action = action, .reward = 0, .next_obs = next});
  BOOST_TEST((bytes_of(revived) == bytes_of(agent)));
}

BOOST_AUTO_TEST_CASE(damaged_files_are_refused_in_one_sentence) {
  const TemporaryDirectory place;
  const fs::path file = place / "agent.ckpt";
  Agent agent = make_dqn();
  drive(agent, 0, 30);
  agent.save_state(file);
  const auto before = bytes_of(agent);
  const std::string good = read_file(file);
  const auto refusal = [&](const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
    const std::string text = thrown([&] { agent.load_state(file); });
    BOOST_TEST(text == thrown([&] { Agent::from_state(agent_plugins(), file); }));
    BOOST_TEST((bytes_of(agent) == before));
    BOOST_TEST(text.find('\n') == std::string::npos);
    return text;
  };
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 4);
  BOOST_TEST(refusal(flipped).substr(0, 5) == "E0502");
  BOOST_TEST(refusal(flipped).find("agent.ckpt") != std::string::npos, refusal(flipped));
  BOOST_TEST(refusal(good.substr(0, good.size() - 9)).substr(0, 5) == "E0502");
  BOOST_TEST(refusal("").substr(0, 5) == "E0502");
  BOOST_TEST(thrown([&] { agent.load_state(place / "nothing"); }).substr(0, 5) == "E0503");
  BOOST_TEST(thrown([&] { agent.save_state(place / "no" / "directory"); }).substr(0, 5) == "E0504");
}

BOOST_AUTO_TEST_CASE(states_of_something_else_are_refused_with_the_difference) {
  Agent agent = make_dqn();
  const std::string other = "E1004 the state is of another agent: its ";
  BOOST_TEST(thrown([&] { agent.load_state(make_dqn({"tau=0.5"}).get_state()); }) ==
             other + "option `tau` is 0.5, this one's is 0.002");
  BOOST_TEST(thrown([&] { agent.load_state(make_dqn({}, {.steps = 9}).get_state()); }) ==
             other + "setting `steps` is 9, this one's is 1000");
  BOOST_TEST(thrown([&] { agent.load_state(make_qtable().get_state()); }) ==
             other + "algorithm is org.example.qtable, this one's is org.spar.dqn");
  BOOST_TEST(thrown([&] {
               agent.load_state(Agent::create(agent_plugins(), "dqn", {Space::box(2, -1, 10), Space::discrete(3)},
                                              kSmallDqn, {.steps = 1'000})
                                    .get_state());
             }) == other + "observation space is Box(2), this one's is Box(2) with other bounds");
  BOOST_TEST(thrown([&] { agent.load_state(agent.get_buffer()); }) ==
             "E1004 this is a state of kind `buffer`, expected one of kind `agent`");
  BOOST_TEST(thrown([&] { agent.set_buffer(agent.get_state()); }) ==
             "E1004 this is a state of kind `agent`, expected one of kind `buffer`");
  checkpoint::Checkpoint run;
  run.manifest = "{\"seed\":1}";
  BOOST_TEST(thrown([&] { agent.load_state(run); }) ==
             "E1004 this is a checkpoint of something else, perhaps of a run, expected one of kind `agent`");
}

BOOST_AUTO_TEST_CASE(tensors_have_names_shapes_and_order) {
  const auto tensors = make_dqn().state_dict();
  std::vector<std::string> found;
  for (const auto& tensor : tensors) {
    std::string shape;
    for (const int64_t extent : tensor.shape) shape += " " + std::to_string(extent);
    found.push_back(tensor.name + shape);
  }
  std::vector<std::string> expected;
  for (const std::string net : {"q", "q_target"})
    for (const char* tensor : {".hidden0.weight 8 2", ".hidden0.bias 8", ".head0.out.weight 1 8", ".head0.out.bias 1",
                               ".head1.out.weight 3 8", ".head1.out.bias 3"})
      expected.push_back(net + tensor);
  BOOST_TEST(found == expected, boost::test_tools::per_element());
  BOOST_TEST((tensors[0].code == SPAR_DTYPE_FLOAT && tensors[0].bits == 32 && tensors[0].data.size() == 64u));

  const auto plain = make_steady().state_dict();
  BOOST_REQUIRE(plain.size() == 4u);
  BOOST_TEST((plain[2].name == "actor.out.weight" && plain[3].name == "actor.out.bias"));
  BOOST_TEST(make_qtable().state_dict().at(0).name == "own_state");
}

BOOST_AUTO_TEST_CASE(networks_move_without_optimiser_and_memory) {
  for (const auto& make : {std::function<Agent()>([] { return make_dqn(); }), std::function<Agent()>(make_qtable)}) {
    Agent trained = make(), fresh = make();
    drive(trained, 0, 80);
    fresh.set_network(trained.get_network_state());
    BOOST_TEST(fresh.parameters_sha256() == trained.parameters_sha256());
    BOOST_TEST(fresh.buffer_rows() == 0u);
    Space space = fresh.obs_space();
    for (uint64_t t = 0; t < 10; ++t) {
      const auto obs = observe(t, space.width());
      if (space.width() == 1)  // dqn normalises what it sees, and statistics are no network
        BOOST_TEST(fresh.act(obs, {.mode = Mode::greedy}).discrete[0] ==
                   trained.act(obs, {.mode = Mode::greedy}).discrete[0]);
    }
  }
}

BOOST_AUTO_TEST_CASE(networks_that_do_not_fit_are_refused_whole) {
  Agent agent = make_dqn();
  const NetworkState good = agent.state_dict();
  const std::string sha = agent.parameters_sha256(), begin = "E1004 the network state does not fit: tensor ";
  const auto refusal = [&](const std::function<void(NetworkState&)>& change) {
    NetworkState state = good;
    set_number(state[0], 0, 99);  // must not arrive
    change(state);
    const std::string text = thrown([&] { agent.set_network(state); });
    BOOST_TEST(agent.parameters_sha256() == sha);
    return text;
  };
  BOOST_TEST(refusal([](NetworkState& s) {
               s[2].shape = {8, 1};
             }) == begin + "`q.head0.out.weight` is f32 [8, 1], expected f32 [1, 8]");
  BOOST_TEST(refusal([](NetworkState& s) { s[3].data.clear(); }) ==
             begin + "`q.head0.out.bias` holds 0 bytes, expected 4");
  BOOST_TEST(refusal([](NetworkState& s) { set_number(s[1], 3, std::nanf("")); }) ==
             begin + "`q.hidden0.bias` holds a number that is not finite");
  BOOST_TEST(refusal([](NetworkState& s) { s.pop_back(); }) == begin + "`q_target.head1.out.bias` is missing");
  BOOST_TEST(refusal([](NetworkState& s) { s.push_back(s[0]); }) == begin + "`q.hidden0.weight` is there twice");
  BOOST_TEST(refusal([](NetworkState& s) {
               s.push_back(s[0]);
               s.back().name = "q.hidden1.weight";
             }) == begin + "`q.hidden1.weight` belongs to none of its networks; the nearest is `q.hidden0.weight`");
  NetworkState state = good;
  set_number(state[0], 5, 0.125F);
  agent.set_network(state);
  BOOST_TEST(number(agent.state_dict()[0], 5) == 0.125F);
}

BOOST_AUTO_TEST_CASE(memories_move_by_themselves) {
  const TemporaryDirectory place;
  Agent full = make_dqn(), empty = make_dqn(), smaller = make_dqn({"buffer_size=90"});
  drive(full, 0, 60);
  full.save_buffer(place / "buffer.ckpt");
  empty.load_buffer(place / "buffer.ckpt");
  BOOST_TEST(empty.buffer_rows() == full.buffer_rows());
  BOOST_TEST((checkpoint::encode(full.get_buffer()).size() == checkpoint::encode(empty.get_buffer()).size()));
  BOOST_TEST((section(empty.get_buffer(), "buffer") == section(full.get_buffer(), "buffer")));
  BOOST_TEST(empty.train() == 1u);  // and it can be learnt from
  const std::string text = thrown([&] { smaller.set_buffer(full.get_buffer()); });
  BOOST_TEST(text == "E0805 the saved memory does not fit: it has capacity 100, this one has capacity 90");
  BOOST_TEST(smaller.buffer_rows() == 0u);
}

BOOST_AUTO_TEST_CASE(reset_drops_the_running_episode_and_nothing_learnt) {
  Agent agent = make_dqn();
  drive(agent, 0, 30);  // two steps into an episode
  const std::string sha = agent.parameters_sha256();
  const uint64_t rows = agent.buffer_rows();
  agent.reset();
  BOOST_TEST(agent.parameters_sha256() == sha);
  BOOST_TEST(agent.buffer_rows() == rows);
  drive(agent, 42, 7);  // a whole episode: without the reset its first window would be joined to the two steps
  BOOST_TEST(agent.buffer_rows() == rows + 7);
  double length = 0;
  agent.log_metrics(
      [&](uint64_t, const auto& values) {
        for (const auto& [name, value] : values)
          if (name == "episode/length") length = value;
      },
      0);
  BOOST_TEST(length == 7);  // not nine for the last one
}

BOOST_AUTO_TEST_CASE(reset_agent_starts_afresh) {
  Agent agent = make_dqn();
  const auto fresh = bytes_of(agent);
  drive(agent, 0, 60);
  BOOST_TEST((bytes_of(agent) != fresh));
  agent.reset_agent();
  BOOST_TEST((bytes_of(agent) == fresh));
}

BOOST_AUTO_TEST_SUITE_END()

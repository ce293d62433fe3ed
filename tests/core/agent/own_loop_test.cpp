// An embedder's loop and the engine's own: the same sequence of calls leaves the same learner, byte for byte.
#include "core/agent/fixture.hpp"
#include "core/config/experiment.hpp"
#include "core/rollout/environment.hpp"
#include "core/train/training_loop.hpp"
#include "support/files.hpp"

using namespace spar;
using namespace spar::test;

namespace {

constexpr uint64_t kSteps = 600;

const spar_component& component(uint32_t kind, std::string_view id) {
  return agent_plugins().registry().load(kind, id);
}

config::Experiment experiment(const TemporaryDirectory& place, const std::string& environment,
                              const std::string& algorithm, const std::string& options, uint64_t copies) {
  config::Sources sources;
  sources.experiment =
      place
          .write("experiment.toml", "seed = 7\n[env]\nid = \"" + environment + "\"\ncount = " + std::to_string(copies) +
                                        "\n[algorithm]\nid = \"" + algorithm + "\"\n" + options +
                                        "\n[stop]\nany = [{ env_steps = 600 }]\n[eval]\nevery = 250\n")
          .string();
  return config::load(sources, train::lookup_in(agent_plugins().registry()));
}

/// Trains and returns the learner's whole state.
std::vector<std::byte> by_the_engine(const config::Experiment& what, const TemporaryDirectory& place) {
  train::Training training(what, component, *agent_plugins().host().table.host());
  checkpoint::PosixFileSystem files;
  checkpoint::Writer writer(checkpoint::Directory(files, place / "checkpoints"));
  train::Recorder recorder(place.path());
  train::Observer nobody;
  training.start();
  train::run_loop(training, recorder, writer, "{}", nobody);
  BOOST_TEST(training.counters.env_steps == kSteps);
  return training.snapshot("{}").section("learner/agent_0").data;
}

/// The loop of a program that has nothing but a simulator.
std::vector<std::byte> by_hand(const config::Experiment& what, const std::string& options, Spaces spaces,
                               uint64_t copies) {
  const config::ConfigView view(what.env.options);
  rollout::Environment simulator(*agent_plugins().host().table.host(), component(SPAR_KIND_ENV, what.env.id),
                                 *view.get(), copies, 7, "environment");
  rollout::AgentPort& port = simulator.agents()[0];
  Agent agent = Agent::create(agent_plugins(), what.algorithm.id, spaces, options,
                              {.steps = kSteps, .seed = 7, .copies = copies, .max_rows = 20});
  std::vector<uint64_t> seeds, lengths(copies, 0);
  for (uint64_t i = 0; i < copies; ++i) seeds.push_back(7 + i);
  simulator.reset(nullptr, seeds.data());

  const size_t numbers = copies * port.out->row_bytes(0) / sizeof(float);
  const auto seen = [&] { return std::vector<float>(port.out->data<float>(0), port.out->data<float>(0) + numbers); };
  const auto allowed = [&] {
    const uint8_t* masks = port.masks();
    return masks ? std::vector<uint8_t>(masks, masks + copies * static_cast<uint64_t>(port.action.n))
                 : std::vector<uint8_t>();
  };
  std::vector<float> obs = seen();
  std::vector<uint8_t> mask = allowed();
  for (uint64_t step = 0; step < kSteps; step += copies) {
    const Numbers actions = agent.act(obs, {.mask = mask});
    std::memcpy(port.in->bytes(0), actions.bytes, actions.size_bytes());
    simulator.step();
    const std::vector<float> next = seen();
    const std::vector<uint8_t> next_mask = allowed();
    const auto* ended = port.out->data<uint8_t>(port.terminated);
    std::vector<uint8_t> terminated(ended, ended + copies), truncated(copies), over(copies);
    for (uint64_t i = 0; i < copies; ++i) {
      truncated[i] = ++lengths[i] >= simulator.time_limit() && simulator.time_limit() > 0;
      over[i] = terminated[i] | truncated[i];
      if (over[i]) lengths[i] = 0;
    }
    agent.step(Transitions{
        obs, actions, {port.out->data<float>(port.reward), copies}, next, terminated, truncated, mask, next_mask});
    if (std::count(over.begin(), over.end(), 1) > 0) simulator.reset(over.data(), nullptr);
    obs = seen();
    mask = allowed();
    if (step % 50 == 0) agent.act(obs, {.mode = Mode::greedy, .mask = mask});  // looking on changes nothing
  }
  return agent.get_state().section("learner").data;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(own_loop)

BOOST_AUTO_TEST_CASE(dqn_learns_what_it_learns_in_a_run) {
  const std::string options =
      "hidden_layers = [16]\nbatch_size = 16\nbuffer_size = 300\nwarm_up = 50\nn_steps = 3\nlr = 1e-3\nupdate_freq = "
      "2\n"
      "state_transform = \"normalise\"\nreward_transform = \"normalise\"";
  constexpr double kFar = std::numeric_limits<double>::max();
  for (const uint64_t copies : {1, 3}) {
    const TemporaryDirectory place;
    const auto what = experiment(place, "CartPole-v1", "dqn", options, copies);
    BOOST_TEST((by_hand(what, options, Spaces{Space::box(4, -kFar, kFar), Space::discrete(2)}, copies) ==
                by_the_engine(what, place)));
  }
}

BOOST_AUTO_TEST_CASE(continuous_actions_are_stored_as_they_were_chosen) {
  for (const std::string options : {"batch = 16", "rollout = true\nbatch = 30"}) {
    const TemporaryDirectory place;
    const auto what = experiment(place, "Pendulum-v1", "org.example.steady", options, 2);
    BOOST_TEST((by_hand(what, options, Spaces{Space::box({-1, -1, -8}, {1, 1, 8}), Space::box(1, -2, 2)}, 2) ==
                by_the_engine(what, place)));
  }
}

BOOST_AUTO_TEST_CASE(masked_actions_are_left_alone_as_in_a_run) {
  const std::string replay = "hidden_layers = [16]\nbatch_size = 16\nbuffer_size = 300\nwarm_up = 50\nlr = 1e-3";
  for (const auto& [algorithm, options] : {std::pair<std::string, std::string>{"dqn", replay},
                                           {"rainbow", replay},
                                           {"ppo", "hidden_layers = [16]\nrollout_length = 20"}}) {
    const TemporaryDirectory place;
    const auto what = experiment(place, "probe/masked", algorithm, options, 2);
    BOOST_TEST((by_hand(what, options, Spaces{Space::box({0}, {2}), Space::discrete(3), true}, 2) ==
                by_the_engine(what, place)),
               algorithm);
  }
}

BOOST_AUTO_TEST_CASE(parallel_actors_act_as_they_do_in_a_run) {
  const std::string options =
      "num_workers = 2\nhidden_layers = [16]\nbatch_size = 16\nbuffer_size = 300\nwarm_up = 50\nupdate_freq = 3\n"
      "noise = \"ou\"\nstate_transform = \"normalise\"";
  const TemporaryDirectory place;
  const auto what = experiment(place, "Pendulum-v1", "d4pg", options, 3);
  BOOST_TEST((by_hand(what, options, Spaces{Space::box({-1, -1, -8}, {1, 1, 8}), Space::box(1, -2, 2)}, 3) ==
              by_the_engine(what, place)));
}

BOOST_AUTO_TEST_SUITE_END()

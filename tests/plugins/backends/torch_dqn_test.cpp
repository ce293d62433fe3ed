// DQN on the backend `torch`: the same update, the same run twice.
#include <boost/test/unit_test.hpp>

#include "core/config/experiment.hpp"
#include "core/run/run_directory.hpp"
#include "core/train/session.hpp"
#include "torch_support.hpp"

using namespace spar::nn;
using namespace spar::nn::test;
using spar::test::TrainingRun;

namespace {

const std::string kCartPole =
    "[env]\nid = \"CartPole-v1\"\n"
    "[algorithm]\nid = \"dqn\"\nbatch_size = 32\nwarm_up = 64\nupdate_freq = 64\nlr = 1e-3\n"
    "[stop]\nany = [{ env_steps = 64 }]\n[eval]\nevery = 1_000_000\nepisodes = 1\n";

const std::string kCatch =
    "[env]\nid = \"pixels/catch\"\n"
    "[algorithm]\nid = \"dqn\"\nnetwork = \"cnn\"\nhidden_layers = [16]\nbatch_size = 8\nwarm_up = 32\nupdate_freq = "
    "8\n"
    "[stop]\nany = [{ env_steps = 96 }]\n[eval]\nevery = 1_000_000\nepisodes = 1\n";

std::vector<float> values(TrainingRun& run, const std::string& name, uint32_t what = SPAR_NET_VALUES) {
  const Network& network = *run.training().learners.front()->networks().find(name);
  std::vector<float> out(network.bytes(what) / sizeof(float));
  network.read(what, out.data(), out.size() * sizeof(float));
  return out;
}

uint64_t steps(TrainingRun& run) {
  uint64_t steps = 0;
  run.training().learners.front()->networks().find("q")->read(SPAR_NET_STEPS, &steps, sizeof steps);
  return steps;
}

/// Interrupts once, when it is asked for the n-th time; 0: never.
struct Interrupter : spar::train::Observer {
  explicit Interrupter(uint64_t n) : at(n) {}
  spar::train::Interruption interruption() override {
    return ++calls == at ? spar::train::Interruption::save_and_stop : spar::train::Interruption::none;
  }
  uint64_t at, calls = 0;
};

/// Of kCatch in a run directory, resumed if it was interrupted.
std::string sha256_of_a_run(uint64_t interrupt_at) {
  const spar::test::TemporaryDirectory place;
  spar::config::Sources sources;
  sources.experiment = place.write("catch.toml", kCatch).string();
  auto& plugins = spar::test::plugins();
  const auto experiment = spar::config::load(sources, spar::train::lookup_in(*plugins.registry));
  const auto directory = spar::run::RunDirectory::create(place.path(), "catch");
  const spar::train::Host host{*plugins.registry, plugins.host};
  Interrupter once(interrupt_at), never(0);
  auto result = spar::train::train(host, experiment, directory, {"spar", "train"}, once);
  if (interrupt_at > 0) {
    BOOST_TEST(result.summary.env_steps < 96u);
    result = spar::train::resume(host, experiment, directory, {}, never);
  }
  BOOST_TEST(result.summary.status == "completed");
  BOOST_TEST(result.summary.env_steps == 96u);
  return result.summary.parameters_sha256;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_torch_dqn)

BOOST_AUTO_TEST_CASE(one_update_from_the_same_state_agrees_with_the_hosts_own_kernels) {
  TrainingRun native(kCartPole), torch(kCartPole, {"algorithm.network_backend=torch"});
  BOOST_TEST(native.training().backends().empty());
  BOOST_TEST(torch.training().backends() == std::vector<std::string>{"torch"}, boost::test_tools::per_element());
  const std::vector<float> start = values(native, "q");
  BOOST_TEST(native.training().parameters_sha256() == torch.training().parameters_sha256());
  native.run();
  torch.run();
  BOOST_TEST(steps(native) == 1u);
  BOOST_TEST(steps(torch) == 1u);
  BOOST_TEST(distance(values(native, "q"), start) > 1e-3);
  for (const char* name : {"q", "q_target"}) {
    const std::vector<float> expected = values(native, name), found = values(torch, name);
    BOOST_TEST(distance(found, expected) < 1e-6);
    for (size_t i = 0; i < expected.size(); ++i)
      BOOST_TEST(std::abs(found[i] - expected[i]) <= 1e-4f * std::max(std::abs(expected[i]), 1e-3f));
  }
  BOOST_TEST(distance(values(torch, "q", SPAR_NET_MOMENT1), values(native, "q", SPAR_NET_MOMENT1)) < 1e-5);
}

BOOST_AUTO_TEST_CASE(frames_of_bytes_reach_the_convolutions_and_a_run_repeats_bit_for_bit) {
  TrainingRun first(kCatch), second(kCatch);
  const std::string start = first.training().parameters_sha256();
  first.run();
  second.run();
  BOOST_TEST(steps(first) > 4u);
  BOOST_TEST(first.training().parameters_sha256() != start);
  BOOST_TEST(first.training().parameters_sha256() == second.training().parameters_sha256());
}

BOOST_AUTO_TEST_CASE(an_interrupted_run_resumes_to_the_same_end_bit_for_bit) {
  BOOST_TEST(sha256_of_a_run(5) == sha256_of_a_run(0));
}

BOOST_AUTO_TEST_CASE(options_that_do_not_fit_are_refused_in_one_sentence) {
  const auto refusal = [](const std::string& source, const std::vector<std::string>& assignments) {
    try {
      TrainingRun run(source, assignments);
    } catch (const spar::Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  BOOST_TEST(
      refusal(kCartPole, {"algorithm.network=cnn"}) ==
      "algorithm `org.spar.dqn`: DQN with network = \"cnn\" needs frames [channels, height, width], found Box(4): "
      "use network = \"mlp\"");
  BOOST_TEST(
      refusal(kCartPole, {"algorithm.network=torchscript"}) ==
      "algorithm `org.spar.dqn`: network `q`: `kind` is torchscript, and `file` is missing: name the module's file");
  BOOST_TEST(refusal(kCartPole, {"algorithm.network={ kind = \"torchscript\", file = \"/nowhere.pt\" }"}) ==
             "algorithm `org.spar.dqn`: network `q`: `file` `/nowhere.pt` cannot be read (No such file or directory): "
             "name a TorchScript file, seen from the working directory");
  BOOST_TEST(refusal(kCatch, {"algorithm.network_backend=native"}).find("is native, which computes kind mlp only") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

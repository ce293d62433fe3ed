// PPO on the backend `torch`: whole learning phases on frames, and on modules of the user.
#include <boost/test/unit_test.hpp>

#include "support/process.hpp"
#include "torch_support.hpp"

using namespace spar::nn;
using namespace spar::nn::test;
using spar::test::TrainingRun;

namespace {

/// Two learning phases of 2 copies x 16 steps.
std::string experiment(const std::string& environment, const std::string& options) {
  return "[env]\nid = \"" + environment +
         "\"\ncount = 2\n[algorithm]\nid = \"ppo\"\nrollout_length = 16\nbatch_size = 8\nnum_epochs = 2\n"
         "actor_number_updates = 1\ncritic_number_updates = 1\nactor_lr = 1e-3\nhidden_layers = [16]\n"
         "activation = \"relu\"\n" +
         options + "[stop]\nany = [{ env_steps = 64 }]\n[eval]\nevery = 1_000_000\nepisodes = 1\n";
}

const std::string kCnn = "network = \"cnn\"\nshared_trunk = true\n", kShared = "shared_trunk = true\n";

std::string module_of(const std::string& file) {
  static const spar::test::TemporaryDirectory place;
  static const int made =
      spar::test::run({{SPAR_BUILD_DIR "/tests/torch_scripts", place.path().string()}, {}, {}}).exit_code;
  BOOST_REQUIRE(made == 0);
  return "network = \"torchscript\"\nnetwork_file = \"" + (place / file).string() + "\"\nshared_trunk = true\n";
}

void copy_values(TrainingRun& from, TrainingRun& to, const std::string& network) {
  const std::vector<float> values = from.values(network);
  to.training().learners.front()->networks().find(network)->write(SPAR_NET_VALUES, values.data(),
                                                                  values.size() * sizeof(float));
}

/// Both start with the parameters of the first and learn the same in two phases.
void check_learn_alike(const std::string& expected_from, const std::string& found_from) {
  TrainingRun expected(expected_from), found(found_from);
  BOOST_TEST(found.training().backends() == std::vector<std::string>{"torch"}, boost::test_tools::per_element());
  copy_values(expected, found, "actor_critic");
  const std::vector<float> start = expected.values("actor_critic");
  expected.run();
  found.run();
  BOOST_TEST(expected.training().counters.updates == 2u);
  BOOST_TEST(distance(expected.values("actor_critic"), start) > 1e-3);
  BOOST_TEST(distance(found.values("actor_critic"), expected.values("actor_critic")) < 1e-5);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_torch_ppo)

BOOST_AUTO_TEST_CASE(frames_of_bytes_go_through_an_mlp_as_with_the_hosts_own_kernels) {
  const std::string source = experiment("pixels/catch", "");
  TrainingRun native(source), torch(source, {"algorithm.network_backend=torch"});
  BOOST_TEST(native.training().backends().empty());
  BOOST_TEST(native.training().parameters_sha256() == torch.training().parameters_sha256());
  native.run();
  torch.run();
  for (const char* name : {"actor", "critic"}) BOOST_TEST(distance(torch.values(name), native.values(name)) < 1e-5);
}

// The module spells the convolutions out: an oracle for whole updates.
BOOST_AUTO_TEST_CASE(convolutional_network_learns_like_the_module_that_spells_it_out) {
  check_learn_alike(experiment("pixels/catch", kCnn), experiment("pixels/catch", module_of("nature_actor_critic.pt")));
}

BOOST_AUTO_TEST_CASE(module_of_a_file_learns_like_the_hosts_own_network) {
  check_learn_alike(experiment("CartPole-v1", kShared), experiment("CartPole-v1", module_of("actor_critic.pt")));
}

BOOST_AUTO_TEST_CASE(separate_networks_see_frames_too_and_a_run_repeats_bit_for_bit) {
  const std::string source = experiment("pixels/catch", "network = \"cnn\"\n");
  TrainingRun first(source), second(source);
  const std::vector<float> actor = first.values("actor"), critic = first.values("critic");
  first.run();
  second.run();
  BOOST_TEST(distance(first.values("actor"), actor) > 1e-4);
  BOOST_TEST(distance(first.values("critic"), critic) > 1e-4);
  BOOST_TEST(first.training().parameters_sha256() == second.training().parameters_sha256());
}

BOOST_AUTO_TEST_CASE(a_file_for_two_networks_is_refused_with_the_way_out) {
  try {
    const TrainingRun run(experiment("CartPole-v1", "network = \"torchscript\"\nnetwork_file = \"net.pt\"\n"));
    BOOST_ERROR("it was taken");
  } catch (const spar::Error& error) {
    BOOST_TEST(std::string(error.what()) ==
               "algorithm `org.spar.ppo`: PPO has a network for the policy and one for the values, and network = "
               "\"torchscript\" names one file: set shared_trunk = true, whose module gives the policy's outputs and "
               "then the value");
  }
}

BOOST_AUTO_TEST_SUITE_END()

// What a person meets who asks for the backend `torch` on the command line.
#include <boost/test/unit_test.hpp>

#include "host/spar/support.hpp"

using spar::test::small_experiment;
using spar::test::Workplace;

BOOST_AUTO_TEST_SUITE(backend_torch_user)

BOOST_AUTO_TEST_CASE(cuda_without_a_gpu_is_one_clear_error_and_leaves_no_run) {
  for (const char* algorithm : {"cartpole-dqn", "cartpole-rainbow", "cartpole-ppo", "pendulum-ddpg", "pendulum-d3pg",
                                "pendulum-d4pg", "pendulum-sac"}) {
    const Workplace workplace;
    for (const std::string verb : {"check", "train"}) {
      if (verb == "check" && algorithm != std::string_view("cartpole-dqn")) continue;  // each start loads LibTorch
      const auto result = workplace.spar({verb, algorithm, "--device", "cuda", "stop={any=[{env_steps=10}]}"});
      if (result.exit_code == 0) return;  // there is a GPU
      BOOST_TEST(result.exit_code == 2, result.err);
      const size_t at = result.err.find("error[E0702]: algorithm `org.spar.");
      BOOST_TEST_REQUIRE(at != std::string::npos, result.err);
      const std::string error = result.err.substr(at);
      BOOST_TEST(error.find("device = \"cuda\" asks for a GPU and LibTorch ") != std::string::npos, error);
      BOOST_TEST(error.ends_with("use device = \"cpu\" or \"auto\"\n"), error);
      BOOST_TEST(error.find('\n') == error.size() - 1, error);
    }
    BOOST_TEST((!std::filesystem::exists(workplace.directory / "runs") ||
                std::filesystem::is_empty(workplace.directory / "runs")));
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_diverges_on_the_backend_stops_before_it_saves) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", small_experiment("600", "lr = 1e37\nnetwork_backend = \"torch\"\n"));
  const auto result = workplace.spar({"train", "exp.toml"});
  BOOST_TEST(result.exit_code == 1);
  BOOST_TEST(result.err.find("error[E0302]: the metric `loss/q` became ") != std::string::npos, result.err);
  BOOST_TEST(result.err.find("; the last good checkpoint is ") != std::string::npos, result.err);
  BOOST_TEST(workplace.spar({"eval", "@last", "--checkpoint", "last", "--episodes", "1"}).exit_code == 0);
}

BOOST_AUTO_TEST_SUITE_END()

// A run that was begun with one network backend goes on with the other, both ways, for every algorithm.
#include <boost/test/unit_test.hpp>

#include "core/checkpoint/directory.hpp"
#include "host/spar/support.hpp"
#include "torch_support.hpp"

using namespace spar::nn::test;
using spar::test::json_lines;
using spar::test::TrainingRun;
using spar::test::Workplace;

namespace {

const std::string kBackends[] = {"native", "torch"};

/// 120 steps with a checkpoint after 100, an update at least every 20.
std::string experiment(const std::string& algorithm) {
  const bool discrete = algorithm.starts_with("dqn") || algorithm.starts_with("rainbow") || algorithm == "ppo";
  return std::string("[env]\nid = \"probe/") + (discrete ? "identity" : "identity_continuous") +
         "\"\ncount = 2\n[algorithm]\nid = \"" + algorithm.substr(0, algorithm.find(' ')) +
         "\"\nhidden_layers = [16]\nstate_transform = \"normalise\"\n" +
         (algorithm.starts_with("ppo") ? "rollout_length = 10\n"
                                       : "batch_size = 16\nbuffer_size = 60\nwarm_up = 20\n") +
         (algorithm == "d4pg" ? "num_workers = 2\n" : "") +
         "[stop]\nany = [{ env_steps = 120 }]\n[eval]\nevery = 1_000\nepisodes = 1\n[checkpoint]\nevery = 100\n";
}

std::map<std::string, std::vector<float>> values(TrainingRun& run) {
  std::map<std::string, std::vector<float>> out;
  for (const auto& [name, network] : run.training().learners.front()->networks().networks())
    out.emplace(name, run.values(name));
  return out;
}

std::string shown_backend(const Workplace& workplace) {
  const std::string resolved = spar::test::read_file(workplace.only_run() / "resolved.toml");
  const size_t at = resolved.find("network_backend = ");
  return resolved.substr(at, resolved.find('\n', at) - at);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_torch_resume)

BOOST_AUTO_TEST_CASE(each_algorithm_goes_on_from_a_checkpoint_of_the_other_backend) {
  for (const std::string algorithm : {"dqn", "rainbow", "ppo", "ppo continuous", "ddpg", "d3pg", "d4pg", "sac"})
    for (const std::string& from : kBackends) BOOST_TEST_CONTEXT(algorithm << " begun with " << from) {
        const std::string& to = from == kBackends[0] ? kBackends[1] : kBackends[0];
        TrainingRun whole(experiment(algorithm), {"algorithm.network_backend=" + from}),
            other(experiment(algorithm), {"algorithm.network_backend=" + to});
        whole.run();
        spar::checkpoint::PosixFileSystem files;
        const auto saved =
            spar::checkpoint::read_checkpoint(files, whole.directory() / "checkpoints" / "000000100.ckpt");
        BOOST_REQUIRE_EQUAL(saved.step, 100u);
        other.training().restore(saved);
        const auto begun = values(other);
        other.go_on();
        BOOST_TEST(other.training().counters.env_steps == 120u);
        BOOST_TEST(other.training().counters.updates == whole.training().counters.updates);
        const auto expected = values(whole), found = values(other);
        BOOST_REQUIRE_EQUAL(found.size(), expected.size());
        for (const auto& [name, numbers] : expected) {
          BOOST_TEST(distance(found.at(name), numbers) < 1e-4, name << " goes another way");
          BOOST_TEST(distance(found.at(name), begun.at(name)) > 0, name << " has learnt nothing since");
        }
      }
}

BOOST_AUTO_TEST_CASE(a_run_changes_its_backend_on_the_command_line_and_back) {
  const Workplace workplace;
  workplace.directory.write("exp.toml", spar::test::small_experiment("600"));
  BOOST_TEST_REQUIRE(workplace.spar({"train", "exp.toml"}).exit_code == 0);
  const std::string run = "runs/" + workplace.only_run().filename().string(), torch = "algorithm.network_backend=torch",
                    longer = "stop={any=[{env_steps=900}]}";

  const auto refused = workplace.spar({"resume", "@last", torch, longer});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(
      refused.err.find("error[E0507]: this run cannot be continued bit for bit: algorithm.network_backend was "
                       "\"auto\" and is \"torch\"; stop.any was [{ env_steps = 600 }] and is [{ env_steps = 900 }]; "
                       "backend torch is new\n") != std::string::npos,
      refused.err);
  BOOST_TEST(refused.err.ends_with("   = continue all the same with: spar resume --inexact " + run + " " + torch +
                                   " '" + longer + "'\n"),
             refused.err);
  BOOST_TEST(shown_backend(workplace).starts_with("network_backend = \"auto\""));

  const auto continued = workplace.spar({"resume", "--inexact", "@last", torch, longer, "--json"});
  BOOST_TEST_REQUIRE(continued.exit_code == 0, continued.err);
  BOOST_TEST(json_lines(continued.out).back().at("env_steps").to_number<uint64_t>() == 900u);
  BOOST_TEST(shown_backend(workplace) == "network_backend = \"torch\"  # command line");
  const std::string resolved = spar::test::read_file(workplace.only_run() / "resolved.toml");
  BOOST_TEST(resolved.find("hidden_layers = [16, 16]  # exp.toml:6\n") != std::string::npos, resolved);

  // From now on this is the run, and what it is now can be repeated, evaluated and given back.
  BOOST_TEST(json_lines(workplace.spar({"resume", "@last", "--json"}).out).back().at("parameters_sha256") ==
             json_lines(continued.out).back().at("parameters_sha256"));
  BOOST_TEST(workplace.spar({"eval", "@last", "--episodes", "2"}).exit_code == 0);
  const auto back = workplace.spar(
      {"resume", "--inexact", "@last", "algorithm.network_backend=native", "stop={any=[{env_steps=1_000}]}", "--json"});
  BOOST_TEST_REQUIRE(back.exit_code == 0, back.err);
  BOOST_TEST(json_lines(back.out).back().at("env_steps").to_number<uint64_t>() == 1000u);
  const auto manifest = boost::json::parse(spar::test::read_file(workplace.only_run() / "manifest.json")).as_object();
  const auto& entries = manifest.at("continued").as_array();
  BOOST_REQUIRE_EQUAL(entries.size(), 2u);
  BOOST_TEST(entries[0].at("env_steps").to_number<uint64_t>() == 600u);
  BOOST_TEST(entries[1].at("env_steps").to_number<uint64_t>() == 900u);
  BOOST_TEST(boost::json::serialize(entries[1]).find("backend torch is not used any more") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

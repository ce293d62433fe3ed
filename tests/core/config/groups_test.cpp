// [[group]] and `mapping`.
#include <boost/test/unit_test.hpp>

#include "core/config/support.hpp"

using namespace spar;
using namespace spar::config;

namespace {

const std::string kTag = R"(name = "tag"
[env]
id = "Pendulum-v1"
[algorithm]
id = "sac"
[[group]]
name = "predators"
agents = ["adversary_*", "leader"]
algorithm = { id = "frames", network = "cnn" }
[[group]]
name = "prey"
agents = ["agent_0"]
[stop]
any = [ { env_steps = 20_000 } ]
)";

/// kTag with another line in the place of one.
std::string instead(const std::string& line, const std::string& other) {
  std::string out = kTag;
  const size_t at = out.find(line);
  BOOST_REQUIRE(at != std::string::npos);
  return out.replace(at, line.size(), other);
}

std::string first_line(const std::string& text, std::vector<std::string> assignments = {}) {
  const std::string message = failure(text, std::move(assignments));
  return message.substr(0, message.find('\n'));
}

std::string network_of(const Experiment& experiment, const std::string& group) {
  return std::get<std::string>(experiment.algorithm_of(group)->options.find("network")->data);
}

std::string whole(const std::string& text, const std::string& part) {
  return text.find(part) == std::string::npos ? "`" + part + "` is not in\n" + text : "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(configured_groups)

BOOST_AUTO_TEST_CASE(groups_have_agents_and_an_algorithm_of_their_own_or_the_common_one) {
  const Experiment tag = load_text(kTag);
  BOOST_REQUIRE(tag.groups.size() == 2u);
  BOOST_TEST(tag.groups[0].name == "predators");
  BOOST_REQUIRE(tag.groups[0].agents.size() == 2u);
  BOOST_TEST(tag.groups[0].agents[0].text == "adversary_*");
  BOOST_TEST(tag.groups[0].agents[1].text == "leader");
  BOOST_TEST(tag.algorithm_of("predators")->id == "org.spar.frames");
  BOOST_TEST(network_of(tag, "predators") == "cnn");
  BOOST_TEST(tag.algorithm_of("prey")->id == "org.spar.sac");
  BOOST_TEST(tag.algorithm_of("")->id == "org.spar.sac");
  BOOST_TEST(tag.algorithms().size() == 2u);
  BOOST_TEST(tag.warnings.empty());
}

BOOST_AUTO_TEST_CASE(common_algorithm_may_be_left_out_where_nobody_needs_it) {
  const std::string own =
      instead("agents = [\"agent_0\"]\n", "agents = [\"agent_0\"]\nalgorithm = { id = \"random\" }\n");
  BOOST_TEST(load_text(own).warnings.size() == 1u);  // [algorithm] trains nobody
  std::string without = own;
  without.erase(without.find("[algorithm]"), std::string("[algorithm]\nid = \"sac\"\n").size());
  const Experiment tag = load_text(without);
  BOOST_TEST(tag.algorithm.id == "");
  BOOST_TEST(tag.algorithms().size() == 2u);
  BOOST_TEST((load_text(resolved_toml(tag)) == tag));
  std::string needed = kTag;
  needed.erase(needed.find("[algorithm]"), std::string("[algorithm]\nid = \"sac\"\n").size());
  BOOST_TEST(first_line(needed) == "error[E0206]: `id` in [algorithm] is missing: the algorithm has to be chosen");
}

BOOST_AUTO_TEST_CASE(algorithm_of_a_group_builds_on_a_preset) {
  const Scratch scratch;
  scratch.file("fast.toml", "name = \"fast\"\n[algorithm]\nid = \"sac\"\ngamma = 0.5\nbatch_size = 7\n");
  const std::string path = scratch.file(
      "a.toml", instead("{ id = \"frames\", network = \"cnn\" }", "{ id = \"sac\", preset = \"fast\", gamma = 0.25 }"));
  const Experiment tag = load({path, scratch.path(), {}, {}}, fake_lookup);
  const AlgorithmConfig& own = *tag.algorithm_of("predators");
  BOOST_TEST(std::get<double>(own.options.find("gamma")->data) == 0.25);
  BOOST_TEST(std::get<int64_t>(own.options.find("batch_size")->data) == 7);
  BOOST_TEST(std::get<double>(tag.algorithm_of("prey")->options.find("gamma")->data) == 0.99);
}

BOOST_AUTO_TEST_CASE(resolved_groups_load_as_the_same_experiment) {
  const Experiment tag = load_text(kTag);
  const std::string resolved = resolved_toml(tag);
  BOOST_TEST(whole(resolved, "[[group]]\nname = \"predators\"  # ") == "");
  BOOST_TEST(whole(resolved, "agents = [\"adversary_*\", \"leader\"]  # ") == "");
  BOOST_TEST(whole(resolved, "[group.algorithm]\nid = \"org.spar.frames\"  # ") == "");
  BOOST_TEST(whole(resolved, "network_file = \"\"  # default") == "");
  const Experiment again = load_text(resolved);
  BOOST_TEST((again == tag));
  BOOST_TEST(config_hash(again) == config_hash(tag));
  BOOST_TEST(config_hash(load_text(instead("\"adversary_*\", ", ""))) != config_hash(tag));
  BOOST_TEST(config_hash(load_text(instead("network = \"cnn\"", "network = \"mlp\""))) != config_hash(tag));
}

BOOST_AUTO_TEST_CASE(settings_of_a_group_are_addressed_by_its_name) {
  const Experiment tag = load_text(kTag, {"group.predators.algorithm.network=other", "group.prey.agents=[\"x\"]"});
  BOOST_TEST(network_of(tag, "predators") == "other");
  BOOST_TEST(tag.groups[1].agents[0].text == "x");
  BOOST_TEST(whole(resolved_toml(tag), "network = \"other\"  # command line") == "");
  BOOST_TEST(failure(kTag, {"group.pray.algorithm.network=x"}) ==
             "error[E0203]: there is no group `pray`\n"
             " --> command line\n"
             " | group.pray.algorithm.network=x\n"
             " |       ^^^^ there are predators and prey\n");
}

BOOST_AUTO_TEST_CASE(changes_go_by_the_name_of_the_group) {
  const Experiment before = load_text(kTag), now = load_text(kTag, {"group.predators.algorithm.network=other"});
  const auto changes = changed_settings(before, now);
  BOOST_REQUIRE(changes.size() == 1u);
  BOOST_TEST(changes[0] == "group.predators.algorithm.network was \"cnn\" and is \"other\"");
  check_changes(before, now);
  const auto refused = [&](const std::vector<std::string>& assignments) -> std::string {
    try {
      check_changes(before, load_text(kTag, assignments));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  BOOST_TEST(refused({"group.prey.agents=[\"x\"]"}) ==
             "`group.prey.agents` of a run cannot be changed on its way: it was [\"agent_0\"], found [\"x\"]");
  BOOST_TEST(whole(refused({"group.predators.algorithm={id=\"random\"}"}), "`group.predators.algorithm.id` of a run") ==
             "");
}

BOOST_AUTO_TEST_CASE(device_reaches_every_algorithm) {
  const Scratch scratch;
  const auto device = [&](const std::string& text) {
    Sources sources{scratch.file("a.toml", text), "", {}, {}};
    sources.device = "cuda";
    try {
      load(sources, fake_lookup);
    } catch (const Errors& errors) {
      std::string out;
      for (const Error& error : errors.all()) out += std::string(error.what()) + "\n";
      return out;
    }
    return std::string();
  };
  // None of these components has the option: each that is asked says so.
  const std::string all = device(kTag);
  BOOST_TEST(whole(all, "unknown key `device` for algorithm `frames`\n") == "");
  BOOST_TEST(whole(all, "unknown key `device` for algorithm `sac`\n") == "");
}

BOOST_AUTO_TEST_CASE(errors_have_their_place) {
  BOOST_TEST(failure(instead("\"adversary_*\"", "\"adver*ary\"")) ==
             "error[E0213]: the text \"adver*ary\" is no pattern of agents\n"
             " --> a.toml:8:11\n"
             "8 | agents = [\"adver*ary\", \"leader\"]\n"
             "  |           ^^^^^^^^^^^\n"
             "   = write an agent's id, or the beginning of several and `*` at the end: \"adversary_*\"\n");
  BOOST_TEST(failure(instead("id = \"frames\"", "id = \"fames\"")) ==
             "error[E0207]: there is no algorithm `fames`\n"
             " --> a.toml:9:20\n"
             "9 | algorithm = { id = \"fames\", network = \"cnn\" }\n"
             "  |                    ^^^^^^^ did you mean `frames`?\n");
  BOOST_TEST(failure(instead("network = \"cnn\"", "netwok = \"cnn\"")) ==
             "error[E0203]: unknown key `netwok` for algorithm `frames`\n"
             " --> a.toml:9:30\n"
             "9 | algorithm = { id = \"frames\", netwok = \"cnn\" }\n"
             "  |                              ^^^^^^ did you mean `network`? (text, default \"mlp\": )\n"
             "   = see: spar explain frames\n");
  BOOST_TEST(failure(instead("name = \"prey\"", "name = \"predators\"")) ==
             "error[E0211]: there are two groups `predators`\n"
             " --> a.toml:11:8\n"
             "11 | name = \"predators\"\n"
             "   |        ^^^^^^^^^^^\n"
             "   = give each a name of its own\n");
  BOOST_TEST(first_line(instead("name = \"prey\"\n", "")) ==
             "error[E0206]: `name` in [group] is missing: every group needs one");
  BOOST_TEST(first_line(instead("name = \"prey\"", "name = \"a.b\"")) ==
             "error[E0205]: `name` in [group] must be made of letters, digits, _ and -, found the text \"a.b\"");
  BOOST_TEST(first_line(instead("agents = [\"agent_0\"]\n", "")) ==
             "error[E0206]: `agents` in [group.prey] is missing: the agents of the group");
  BOOST_TEST(first_line(instead("[\"agent_0\"]", "[]")) ==
             "error[E0205]: `agents` in [group.prey] must be a list of at least one agent, found an empty list");
  BOOST_TEST(first_line(instead("[\"agent_0\"]", "[1]")) ==
             "error[E0204]: expected an agent's id for an element of `agents` in [group.prey], found the number 1");
  BOOST_TEST(first_line(instead("agents = [\"agent_0\"]", "agents = [\"agent_0\"]\nlr = 1")) ==
             "error[E0203]: unknown key `lr` in [group.prey]");
  BOOST_TEST(first_line(kPendulum, {"group=3"}) ==
             "error[E0204]: expected a list of groups: [[group]] for `group`, found the number 3");
  BOOST_TEST(first_line(kTag, {"mapping=shared"}) ==
             "error[E0211]: `mapping` and [[group]] both say which agents belong together");
  BOOST_TEST(first_line(kPendulum, {"mapping=all"}) == "error[E0207]: there is no mapping rule `all`");
}

BOOST_AUTO_TEST_CASE(rule_is_part_of_the_experiment) {
  const Experiment shared = load_text(kPendulum, {"mapping=shared"});
  BOOST_TEST(shared.mapping == "shared");
  BOOST_TEST(whole(resolved_toml(shared), "mapping = \"shared\"  # command line") == "");
  BOOST_TEST((load_text(resolved_toml(shared)) == shared));
  BOOST_TEST((load_text(kPendulum, {"mapping=identity"}) == load_text(kPendulum)));
}

BOOST_AUTO_TEST_CASE(solving_exactly_knows_no_groups) {
  const std::string cfr =
      "[env]\nid = \"Pendulum-v1\"\n[scenario]\nid = \"cfr\"\n[stop]\nany = [ { iterations = 3 } ]\n";
  BOOST_TEST(first_line(cfr + "[[group]]\nname = \"a\"\nagents = [\"b\"]\n") ==
             "error[E0211]: [[group]] has no meaning in the scenario `cfr`");
  BOOST_TEST(first_line("mapping = \"shared\"\n" + cfr) ==
             "error[E0211]: `mapping` has no meaning in the scenario `cfr`");
}

BOOST_AUTO_TEST_SUITE_END()

#include "core/config/explain.hpp"

#include <boost/test/unit_test.hpp>
#include <iterator>

#include "core/config/support.hpp"

using namespace spar;
using namespace spar::config;

BOOST_AUTO_TEST_SUITE(explanation)

BOOST_AUTO_TEST_CASE(codes_are_sorted_unique_and_complete_sentences) {
  const auto codes = error_codes();
  BOOST_TEST((std::ranges::adjacent_find(codes, std::greater_equal<>()) == codes.end()));
  for (const auto& code : codes) {
    const std::string text = explain(code).value();
    BOOST_TEST(text.starts_with(code + ": "));
    BOOST_TEST(text.ends_with(".\n"));
    BOOST_TEST(text.size() > 80u, code);
  }
  BOOST_TEST(!explain("E9999"));
  BOOST_TEST(!explain(""));
}

BOOST_AUTO_TEST_CASE(every_code_that_the_configuration_throws_is_explained) {
  std::vector<std::string> found;
  for (const auto& file : std::filesystem::recursive_directory_iterator(SPAR_SOURCES "/core/config")) {
    if (file.path().filename() == "explain_codes.cpp" || !file.is_regular_file()) continue;
    std::ifstream in(file.path());
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    for (size_t at = 0; (at = text.find("\"E0", at)) != std::string::npos; ++at) {
      found.push_back(text.substr(at + 1, 5));
      BOOST_TEST(explain(found.back()).has_value(), found.back() << " in " << file.path());
    }
  }
  BOOST_TEST(found.size() > 20u);
}

BOOST_AUTO_TEST_CASE(a_parameter_is_explained_with_range_default_and_use) {
  BOOST_TEST(explain_parameter(*fake_sac(), "actor_lr") ==
             "sac.actor_lr: float > 0, default 3e-4\n"
             "  Adam step size of the actor\n"
             "  In an experiment: [algorithm] actor_lr = 3e-4; on the command line: 'algorithm.actor_lr=3e-4'\n");
  BOOST_TEST(explain_parameter(*fake_sac(), "alpha_lr").starts_with("sac.alpha_lr: float, may be left out\n"));
  BOOST_TEST(explain_parameter(*fake_sac(), "loss").starts_with("sac.loss: \"huber\" or \"mse\", default \"huber\"\n"));
  BOOST_TEST(explain_parameter(*fake_sac(), "reward_scale")
                 .starts_with("sac.reward_scale: float < 10, default 1 (deprecated)\n"));
  BOOST_TEST(explain_parameter(*fake_lookup(SPAR_KIND_ENV, "Maze-v0", {}), "map") ==
             "Maze-v0.map: text, required\n"
             "  name of the map\n"
             "  In an experiment: [env] map = \"..\"; on the command line: 'env.map=\"..\"'\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_parameter_shows_the_nearest) {
  try {
    explain_parameter(*fake_sac(), "gama");
    BOOST_ERROR("no error");
  } catch (const Error& error) {
    BOOST_TEST(error.code() == "E0203");
    BOOST_TEST(error.what() == std::string("algorithm `sac` has no parameter `gama`"));
    BOOST_TEST(error.help().starts_with("did you mean `gamma`? its parameters: actor_lr, gamma, "));
  }
}

BOOST_AUTO_TEST_CASE(a_component_is_explained_by_a_table_of_its_parameters) {
  const std::string text = explain_component(*fake_sac());
  BOOST_TEST(text.starts_with("sac: algorithm org.spar.sac 1.0.0\n  Soft actor-critic\n\n"));
  BOOST_TEST(text.find("  gamma           float in (0, 1]  ") != std::string::npos);
  for (const auto& p : fake_sac()->params) BOOST_TEST(text.find("\n  " + p.name + " ") != std::string::npos, p.name);
  BOOST_TEST(explain_component(*fake_lookup(SPAR_KIND_STRATEGY, "team", {})).ends_with("It has no parameters.\n"));
  Component described = *fake_sac();
  described.doc = "Off-policy, with entropy";
  BOOST_TEST(explain_component(described).find("\n  Soft actor-critic\n  Off-policy, with entropy\n\n") !=
             std::string::npos);
  described.doc = described.title;  // it is not said twice
  BOOST_TEST(explain_component(described).find("\n  Soft actor-critic\n\n") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

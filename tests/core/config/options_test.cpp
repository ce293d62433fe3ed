#include "core/config/options.hpp"

#include <boost/test/unit_test.hpp>

#include "core/config/support.hpp"

using namespace spar;
using namespace spar::config;

namespace {
Options with_options(const std::string& lines) { return load_text(with_line(lines)).algorithm.options; }
}  // namespace

BOOST_AUTO_TEST_SUITE(options)

BOOST_AUTO_TEST_CASE(defaults_come_from_the_schema) {
  const Options out = default_options(fake_sac());
  BOOST_TEST(std::get<double>(out.find("actor_lr")->data) == 3e-4);
  BOOST_TEST(std::get<int64_t>(out.find("batch_size")->data) == 64);
  BOOST_TEST((std::get<std::vector<int64_t>>(out.find("hidden_layers")->data) == std::vector<int64_t>{128, 128}));
  BOOST_TEST((std::get<std::vector<double>>(out.find("scales")->data) == std::vector<double>{0.1, 1}));
  BOOST_TEST(std::get<std::string>(out.find("loss")->data) == "huber");
  BOOST_TEST(std::get<bool>(out.find("using_double_q")->data));
  BOOST_TEST(out.find("alpha_lr")->type == uint32_t{SPAR_T_NONE});
  BOOST_TEST(out.find("nothing") == nullptr);
}

BOOST_AUTO_TEST_CASE(defaults_alone_need_all_required_options) {
  try {
    default_options(fake_lookup(SPAR_KIND_ENV, "Maze-v0", {}));
    BOOST_ERROR("no error");
  } catch (const Error& error) {
    BOOST_TEST(error.code() == "E0206");
    BOOST_TEST(error.what() == std::string("`map` of environment `Maze-v0` is missing"));
  }
}

BOOST_AUTO_TEST_CASE(values_of_the_file_replace_defaults) {
  const Options out = with_options(
      "gamma = 1\nhidden_layers = [1, 2, 3]\nscales = [1, 0.5]\nalpha_lr = 1e-2\nnetwork = { kind = \"cnn\", n = [1.5] "
      "}");
  BOOST_TEST(std::get<double>(out.find("gamma")->data) == 1.0);
  BOOST_TEST(std::get<std::vector<int64_t>>(out.find("hidden_layers")->data).size() == 3u);
  BOOST_TEST((std::get<std::vector<double>>(out.find("scales")->data) == std::vector<double>{1, 0.5}));
  BOOST_TEST(std::get<double>(out.find("alpha_lr")->data) == 1e-2);
  BOOST_TEST(out.find("network")->type == uint32_t{SPAR_T_JSON});
  BOOST_TEST(std::get<std::string>(out.find("network")->data) == R"({"kind":"cnn","n":[1.5E0]})");
}

BOOST_AUTO_TEST_CASE(the_view_gives_every_value_to_a_plugin) {
  ConfigView first(with_options("alpha_lr = 2\nhidden_layers = [7, 8]"));
  const ConfigView view = std::move(first);
  const spar_config& config = *view.get();
  BOOST_TEST(config.struct_size == sizeof(spar_config));
  BOOST_REQUIRE(config.count == fake_sac()->params.size());
  BOOST_TEST(config.values[0].type == uint32_t{SPAR_T_REAL});
  BOOST_TEST(config.values[0].u.r == 1e-3);
  BOOST_TEST(config.values[2].u.i == 64);
  BOOST_TEST(config.values[3].type == uint32_t{SPAR_T_INTS});
  BOOST_REQUIRE(config.values[3].count == 2u);
  BOOST_TEST(config.values[3].u.iv[1] == 8);
  BOOST_TEST(std::string(config.values[4].u.s.ptr, config.values[4].u.s.len) == "huber");
  BOOST_TEST(config.values[5].u.r == 2.0);
  BOOST_TEST(config.values[7].type == uint32_t{SPAR_T_BOOL});
  BOOST_TEST(config.values[7].u.i == 1);
  BOOST_TEST(config.values[8].u.rv[0] == 0.1);
  BOOST_TEST(config.values[9].type == uint32_t{SPAR_T_JSON});
}

BOOST_AUTO_TEST_CASE(an_option_left_out_is_of_type_none) {
  const ConfigView view(default_options(fake_sac()));
  BOOST_TEST(view.get()->values[5].type == uint32_t{SPAR_T_NONE});
}

BOOST_AUTO_TEST_CASE(ranges_hold_with_open_and_closed_bounds) {
  BOOST_TEST(failure(with_line("gamma = 1")) == "");
  BOOST_TEST(failure(with_line("gamma = 0")).starts_with("error[E0205]"));
  BOOST_TEST(failure(with_line("gamma = 1.0000001")).starts_with("error[E0205]"));
  BOOST_TEST(failure(with_line("reward_scale = 9.9")) == "");
  BOOST_TEST(failure(with_line("reward_scale = 10")).starts_with("error[E0205]"));
  BOOST_TEST(failure(with_line("batch_size = 0")).starts_with("error[E0205]"));
  BOOST_TEST(failure(with_line("hidden_layers = [64, 0]")).starts_with("error[E0205]"));
  BOOST_TEST(failure(with_line("gamma = nan")).starts_with("error[E0205]"));
  BOOST_TEST(failure(with_line("scales = [inf]")).starts_with("error[E0205]"));
  BOOST_TEST(failure(with_line("network = [nan]")).starts_with("error[E0205]"));
}

BOOST_AUTO_TEST_CASE(types_are_not_converted) {
  for (const auto* line :
       {"gamma = \"1\"", "batch_size = 1.5", "batch_size = true", "hidden_layers = 64", "hidden_layers = [64.0]",
        "using_double_q = 1", "loss = 3", "network = \"mlp\"", "scales = [\"a\"]", "gamma = [1]", "gamma = {}"})
    BOOST_TEST(failure(with_line(line)).starts_with("error[E0204]"), line);
}

BOOST_AUTO_TEST_CASE(a_table_stands_for_a_text_and_the_options_named_after_it) {
  const auto text = [](const std::string& lines) {
    return "name = \"f\"\n[env]\nid = \"Pendulum-v1\"\n[algorithm]\nid = \"frames\"\n" + lines +
           "\n[stop]\nany = [{ env_steps = 10 }]\n";
  };
  const auto values = [](const Experiment& experiment) {
    std::string out;
    for (const char* name : {"network", "network_file", "network_backend"})
      out += std::get<std::string>(experiment.algorithm.options.find(name)->data) + " ";
    return out;
  };
  BOOST_TEST(values(load_text(text("network = \"cnn\""))) == "cnn  auto ");
  const Experiment grouped = load_text(text("network = { kind = \"torchscript\", file = \"net.pt\" }"));
  BOOST_TEST(values(grouped) == "torchscript net.pt auto ");
  BOOST_TEST(values(load_text(text("network = { backend = \"torch\" }\nnetwork_file = \"a\""))) == "mlp a torch ");
  BOOST_TEST(values(load_text(text(""), {"algorithm.network={ file = \"b\" }"})) == "mlp b auto ");
  BOOST_TEST(values(load_text(resolved_toml(grouped))) == "torchscript net.pt auto ");

  BOOST_TEST(failure(text("network = { kind = \"cnn\", fiel = \"a\" }")) ==
             "error[E0203]: unknown key `fiel` in `network` of algorithm `frames`\n"
             " --> a.toml:6:27\n"
             "6 | network = { kind = \"cnn\", fiel = \"a\" }\n"
             "  |                           ^^^^ did you mean `file`?\n"
             "   = see: spar explain frames\n");
  BOOST_TEST(failure(text("network = { file = \"a\" }\nnetwork_file = \"b\""))
                 .starts_with("error[E0203]: `network_file` of algorithm `frames` is given twice"));
  BOOST_TEST(failure(text("network = { kind = 3 }"))
                 .starts_with("error[E0204]: expected text for `network` of algorithm `frames`, found the number 3"));
  BOOST_TEST(failure(text("network_file = { a = 1 }")).starts_with("error[E0204]"));
}

BOOST_AUTO_TEST_CASE(a_deprecated_option_warns) {
  BOOST_TEST(load_text(kPendulum).warnings.empty());
  const Experiment experiment = load_text(with_line("reward_scale = 2"));
  BOOST_REQUIRE(experiment.warnings.size() == 1u);
  BOOST_TEST(experiment.warnings[0] == "`algorithm.reward_scale` is deprecated: use reward_transform");
}

BOOST_AUTO_TEST_CASE(short_ids_are_the_last_part) {
  BOOST_TEST(short_id("org.spar.dqn") == "dqn");
  BOOST_TEST(short_id("org.spar.classic/CartPole-v1") == "CartPole-v1");
  BOOST_TEST(short_id("dqn") == "dqn");
}

BOOST_AUTO_TEST_SUITE_END()

#include <boost/test/unit_test.hpp>

#include "host/spar/support.hpp"

namespace {

using spar::test::Workplace;

const std::string kBad = SPAR_BUILD_DIR "/tests/bad_plugins/";

/// The line of `plugin list --all --json` for this file, in a directory that holds only it.
boost::json::object listed(const Workplace& workplace, const std::filesystem::path& directory,
                           const std::string& file) {
  const auto result = workplace.spar({"plugin", "list", "--all", "--json"}, {"SPAR_PLUGIN_PATH=" + directory.string()});
  BOOST_TEST(result.exit_code == 0);
  for (const auto& line : spar::test::json_lines(result.out))
    if (line.at("path").as_string() == (directory / file).string()) return line;
  throw std::runtime_error("the file is not listed:\n" + result.out + result.err);
}

std::string text(const boost::json::object& line, const char* key) { return std::string(line.at(key).as_string()); }

BOOST_AUTO_TEST_SUITE(plugin)

BOOST_AUTO_TEST_CASE(what_is_offered_is_listed_by_kind) {
  const auto result = Workplace().spar({"plugin", "list"});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.err == "");
  const size_t algorithm = result.out.find("algorithm\n  "), environment = result.out.find("environment\n  ");
  BOOST_TEST(algorithm < result.out.find("org.spar.dqn"));
  BOOST_TEST(result.out.find("org.spar.dqn") < environment);
  BOOST_TEST(environment < result.out.find("org.spar.classic/CartPole-v1"));
}

BOOST_AUTO_TEST_CASE(a_text_file_with_the_name_of_a_plugin_is_listed_with_the_reason) {
  const Workplace workplace;
  workplace.directory.write("plugins/notes.spar.so", "this is a text\n");
  const auto line = listed(workplace, workplace.directory.path() / "plugins", "notes.spar.so");
  BOOST_TEST(text(line, "status") == "refused");
  BOOST_TEST(text(line, "reason") == "is not an ELF file (first bytes: \"this\")");
}

BOOST_AUTO_TEST_CASE(a_half_copied_plugin_is_listed_with_the_reason) {
  const Workplace workplace;
  const std::string whole = spar::test::read_file(kBad + "good.spar.so");
  workplace.directory.write("plugins/half.spar.so", whole.substr(0, whole.size() / 2));
  const auto line = listed(workplace, workplace.directory.path() / "plugins", "half.spar.so");
  BOOST_TEST(text(line, "status") == "refused");
  BOOST_TEST(text(line, "reason").starts_with("is cut off: "), text(line, "reason"));
  BOOST_TEST(text(line, "remedy") == "copy it again");
}

BOOST_AUTO_TEST_CASE(a_plugin_of_a_later_abi_is_listed_with_the_reason_and_cannot_be_used) {
  const Workplace workplace;
  std::filesystem::create_directory(workplace.directory.path() / "plugins");
  std::filesystem::copy(kBad + "future_major.spar.so", workplace.directory.path() / "plugins");
  const auto line = listed(workplace, workplace.directory.path() / "plugins", "future_major.spar.so");
  BOOST_TEST(text(line, "status") == "refused");
  BOOST_TEST(text(line, "reason") == "is built for plugin ABI 2.3, this program speaks 1.0");
}

BOOST_AUTO_TEST_CASE(a_refused_file_is_counted_in_the_short_list_and_explained_in_the_long_one) {
  const Workplace workplace;
  const auto file = workplace.directory.write("plugins/notes.spar.so", "this is a text\n");
  const std::string path = "SPAR_PLUGIN_PATH=" + file.parent_path().string();
  BOOST_TEST(workplace.spar({"plugin", "list"}, {path})
                 .out.ends_with("1 file is refused: `spar plugin list --all` tells why\n"));
  const auto all = workplace.spar({"plugin", "list", "--all"}, {path});
  BOOST_TEST(all.out.find("refused  " + file.string() + "\n    it ") != std::string::npos, all.out);
}

BOOST_AUTO_TEST_CASE(a_relative_directory_is_skipped_with_a_warning) {
  const auto result = Workplace().spar({"plugin", "list", "--plugin-path", "here"});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.err.find("warning: --plugin-path names `here`, which is not absolute") != std::string::npos,
             result.err);
}

BOOST_AUTO_TEST_CASE(info_shows_the_file_and_every_parameter) {
  const auto result = Workplace().spar({"plugin", "info", "dqn"});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.starts_with("plugin      org.spar.dqn "), result.out);
  BOOST_TEST(result.out.find("hidden_layers") != std::string::npos);
  const auto unknown = Workplace().spar({"plugin", "info", "dqnn"});
  BOOST_TEST(unknown.err ==
             "error[E0207]: no plugin and no component `dqnn` is known\n"
             "   = did you mean `dqn`? `spar plugin list --all` shows all files\n");
  BOOST_TEST(unknown.exit_code == 2);
}

BOOST_AUTO_TEST_CASE(doctor_names_what_is_wrong) {
  const Workplace workplace;
  const auto file = workplace.directory.write("plugins/notes.spar.so", "this is a text\n");
  const auto result =
      workplace.spar({"doctor", "--json"}, {"SPAR_PLUGIN_PATH=" + file.parent_path().string(), "TERM=dumb"});
  BOOST_TEST(result.exit_code == 0);
  size_t faults = 0;
  for (const auto& line : spar::test::json_lines(result.out)) {
    if (!line.at("fault").as_bool()) continue;
    ++faults;
    BOOST_TEST(text(line, "name") == "refused");
    BOOST_TEST(text(line, "text").starts_with(file.string() + ": it "));
  }
  BOOST_TEST(faults == 1u);
  BOOST_TEST(result.out.find("TERM=dumb") != std::string::npos);
  if (std::filesystem::exists(SPAR_BUILD_DIR "/lib/spar/plugins/torch.spar.so"))
    BOOST_TEST(result.out.find("torch, loaded when a run asks for it") != std::string::npos, result.out);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

// Runs alone, with both false LibTorches of tests/bad_plugins in LD_LIBRARY_PATH.
#include <boost/test/unit_test.hpp>

#include "core/plugin/loader.hpp"
#include "support.hpp"

namespace spar::plugin::test {
namespace {

LoadedPlugin load(const fs::path& file) { return LoadedPlugin(inspect(file, "test", std::nullopt)); }

}  // namespace

BOOST_AUTO_TEST_SUITE(libtorch, *boost::unit_test::disabled())

BOOST_AUTO_TEST_CASE(second_libtorch_of_another_version_is_refused_by_name_before_it_is_opened) {
  const Directory directory;
  const fs::path first = directory.plugin("needs_torch_8"), second = directory.plugin("needs_torch_9");
  const LoadedPlugin loaded = load(first);
  BOOST_TEST(loaded.components().size() == 1u);

  const Error error = caught([&] { load(second); });
  BOOST_TEST(error.code() == "E0126");
  BOOST_TEST(static_cast<int>(error.exit()) == 3);
  BOOST_TEST(error.what() == "plugin " + second.string() +
                                 " needs LibTorch `libtorch_cpu.so.9`, and `libtorch_cpu.so.8` is in use already: a "
                                 "process can hold one LibTorch only");
  BOOST_TEST(error.help() == "build both plugins with the same LibTorch, or use them in different runs");
  BOOST_TEST(read_file("/proc/self/maps").find("libtorch_cpu.so.9") == std::string::npos);

  // The same LibTorch serves several plugins.
  const LoadedPlugin again = load(directory.plugin("needs_torch_8", "another.spar.so"));
  BOOST_TEST(again.components().size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace spar::plugin::test

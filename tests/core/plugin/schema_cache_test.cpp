#include "core/plugin/schema_cache.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "core/plugin/schema_json.hpp"
#include "support.hpp"

using namespace spar;
using namespace spar::plugin;
using namespace spar::plugin::test;

namespace {

std::vector<config::Component> sample(double min = 0.1) {
  config::Param lr;
  lr.name = "lr";
  lr.doc = "step \"size\"\n";
  lr.type = SPAR_T_REAL;
  lr.default_json = "0.30000000000000004";
  lr.min = min;
  lr.max = INFINITY;
  lr.flags = SPAR_PARAM_LOG_SCALE;
  config::Param kind;
  kind.name = "kind";
  kind.type = SPAR_T_STR;
  kind.choices = {"a", "b"};
  config::Component component{SPAR_KIND_ALGO, "a.b", "1", "title", "doc", SPAR_ALGO_DISCRETE, {lr, kind}};
  return {component};
}

const FileKey kKey{1, UINT64_MAX, 3, -4};

bool holds(const fs::path& file, const fs::path& plugin, const FileKey& key, const std::string& build_id) {
  return SchemaCache(file).find(plugin, key, build_id) != nullptr;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(schema_cache)

BOOST_AUTO_TEST_CASE(components_come_back_bit_for_bit) {
  for (const double min : {0.1, 5e-324, 1e-5, -1.7976931348623157e308, 0.1 + 0.2}) {
    const auto json = boost::json::parse(boost::json::serialize(components_to_json(sample(min))));
    const auto back = components_from_json(json);
    BOOST_REQUIRE(back.size() == 1u);
    BOOST_TEST(back[0].id == "a.b");
    BOOST_TEST(back[0].flags == uint32_t{SPAR_ALGO_DISCRETE});
    BOOST_REQUIRE(back[0].params.size() == 2u);
    const auto& lr = back[0].params[0];
    BOOST_TEST(lr.doc == "step \"size\"\n");
    BOOST_TEST(lr.default_json.value() == "0.30000000000000004");
    BOOST_TEST(lr.min.value() == min);
    BOOST_TEST(std::isinf(lr.max.value()));
    BOOST_TEST(!back[0].params[1].min.has_value());
    BOOST_TEST(!back[0].params[1].default_json.has_value());
    BOOST_TEST(back[0].params[1].choices == (std::vector<std::string>{"a", "b"}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(wrong_json_is_refused_with_the_key) {
  const auto reason = [](const char* json) {
    try {
      components_from_json(boost::json::parse(json));
    } catch (const Refusal& refusal) {
      return refusal.reason;
    }
    return std::string("accepted");
  };
  BOOST_TEST(reason("3") == "`components` is missing or of the wrong type");
  BOOST_TEST(reason("[3]") == "`component` is missing or of the wrong type");
  BOOST_TEST(reason("[{\"kind\":-1}]") == "`kind` is missing or of the wrong type");
  BOOST_TEST(reason("[{\"kind\":1}]") == "`id` is missing or of the wrong type");
  BOOST_TEST(reason(R"([{"kind":1,"id":"a","version":"","title":"","doc":"","flags":0,"params":[{"name":"x","doc":"",)"
                    R"("type":1,"flags":0,"min":"1x"}]}])") == "`min` is missing or of the wrong type");
  BOOST_TEST(reason("[]") == "accepted");
}

BOOST_AUTO_TEST_CASE(entry_is_found_again_only_for_the_same_state_of_the_file) {
  const Directory directory;
  const fs::path file = directory / "deep/er/spar/schemas.json", plugin = directory.write("p.spar.so", "x");
  SchemaCache cache(file);
  cache.put(plugin, kKey, "abc", sample());
  BOOST_TEST(cache.save() == "");
  const SchemaCache again(file);
  BOOST_REQUIRE(again.find(plugin, kKey, "abc") != nullptr);
  BOOST_TEST(again.find(plugin, kKey, "abc")->at(0).params.size() == 2u);
  BOOST_TEST(!holds(file, plugin, kKey, "abd"));
  BOOST_TEST(!holds(file, directory / "q.spar.so", kKey, "abc"));
  for (FileKey other : {FileKey{2, UINT64_MAX, 3, -4}, FileKey{1, 2, 3, -4}, FileKey{1, UINT64_MAX, 4, -4},
                        FileKey{1, UINT64_MAX, 3, -5}})
    BOOST_TEST(!holds(file, plugin, other, "abc"));
}

BOOST_AUTO_TEST_CASE(checksum_is_remembered_beside_schemas_for_the_same_state_of_a_file_with_a_build_id) {
  const Directory directory;
  const fs::path file = directory / "schemas.json", plugin = directory.write("p.spar.so", "x"),
                 other = directory.write("q.spar.so", "x");
  SchemaCache cache(file);
  BOOST_TEST(!cache.put_sha256(plugin, kKey, "abc", "00ff"));
  cache.put(plugin, kKey, "abc", sample());
  cache.put(other, kKey, "", sample());
  BOOST_TEST(cache.sha256(plugin, kKey, "abc") == "");
  BOOST_TEST(cache.put_sha256(plugin, kKey, "abc", "00ff"));
  BOOST_TEST(!cache.put_sha256(other, kKey, "", "00ff"));
  BOOST_TEST(cache.save() == "");
  const SchemaCache again(file);
  BOOST_TEST(again.sha256(plugin, kKey, "abc") == "00ff");
  BOOST_TEST(again.sha256(plugin, kKey, "abd") == "");
  BOOST_TEST(again.sha256(plugin, FileKey{1, UINT64_MAX, 3, -5}, "abc") == "");
  BOOST_TEST(again.sha256(other, kKey, "") == "");
}

BOOST_AUTO_TEST_CASE(new_state_replaces_the_old_and_plugins_that_are_gone_are_dropped) {
  const Directory directory;
  const fs::path file = directory / "schemas.json", plugin = directory.write("p.spar.so", "x");
  SchemaCache cache(file);
  cache.put(plugin, kKey, "old", sample());
  cache.put(plugin, kKey, "new", sample());
  cache.put(directory / "gone.spar.so", kKey, "x", sample());
  BOOST_TEST(cache.save() == "");
  BOOST_TEST(!holds(file, plugin, kKey, "old"));
  BOOST_TEST(holds(file, plugin, kKey, "new"));
  BOOST_TEST(!holds(file, directory / "gone.spar.so", kKey, "x"));
}

BOOST_AUTO_TEST_CASE(no_single_byte_of_damage_is_believed) {
  const Directory directory;
  const fs::path file = directory / "schemas.json", plugin = directory.write("p.spar.so", "x");
  SchemaCache cache(file);
  cache.put(plugin, kKey, "abc", sample());
  BOOST_REQUIRE(cache.save() == "");
  const std::string bytes = read_file(file);
  const std::string expected = boost::json::serialize(components_to_json(sample()));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x15);
    directory.write("schemas.json", damaged);
    const SchemaCache read(file);
    const auto* found = read.find(plugin, kKey, "abc");
    BOOST_TEST((!found || boost::json::serialize(components_to_json(*found)) == expected), "byte " << i);
  }
  for (const std::string& text : {std::string(), std::string("{}"), std::string("[]"), bytes.substr(0, 100),
                                  std::string(R"({"format":2,"abi":65536,"entries":[]})")}) {
    directory.write("schemas.json", text);
    BOOST_TEST(!holds(file, plugin, kKey, "abc"));
  }
}

BOOST_AUTO_TEST_CASE(cache_that_others_may_write_is_not_believed) {
  const Directory directory;
  const fs::path file = directory / "schemas.json", plugin = directory.write("p.spar.so", "x");
  SchemaCache cache(file);
  cache.put(plugin, kKey, "abc", sample());
  BOOST_REQUIRE(cache.save() == "");
  BOOST_TEST(holds(file, plugin, kKey, "abc"));
  BOOST_REQUIRE(::chmod(file.c_str(), 0666) == 0);
  BOOST_TEST(!holds(file, plugin, kKey, "abc"));
}

BOOST_AUTO_TEST_CASE(cache_that_cannot_be_written_says_why_and_leaves_nothing) {
  const Directory directory;
  directory.write("file", "x");
  SchemaCache below_a_file(directory / "file/spar/schemas.json");
  BOOST_TEST(below_a_file.save() == "cannot create " + (directory / "file/spar").string() + " (Not a directory)");
  fs::create_directories(directory / "spar/schemas.json");  // a directory where the file should be
  SchemaCache over_a_directory(directory / "spar/schemas.json");
  BOOST_TEST(over_a_directory.save() ==
             "cannot write " + (directory / "spar/schemas.json").string() + " (Is a directory)");
  BOOST_TEST(std::distance(fs::directory_iterator(directory / "spar"), fs::directory_iterator()) == 1);
  BOOST_TEST(SchemaCache("").save() == "there is no cache directory (neither XDG_CACHE_HOME nor HOME is set)");
}

BOOST_AUTO_TEST_CASE(temporary_files_of_killed_processes_are_swept) {
  const Directory directory;
  const fs::path old = directory.write("schemas.json.aaaaaa.tmp", "x"),
                 young = directory.write("schemas.json.b.tmp", "x");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  SchemaCache cache(directory / "schemas.json");
  BOOST_TEST(cache.save() == "");
  BOOST_TEST(!fs::exists(old));
  BOOST_TEST(fs::exists(young));
}

BOOST_AUTO_TEST_CASE(default_place_follows_the_environment) {
  const char* home = ::getenv("HOME");
  const std::string saved = home ? home : "";
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  BOOST_TEST(default_schema_cache() == "/cache/spar/schemas.json");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home/me", 1);
  BOOST_TEST(default_schema_cache() == "/home/me/.cache/spar/schemas.json");
  ::setenv("HOME", "", 1);
  BOOST_TEST(default_schema_cache() == "");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", saved.c_str(), 1);
}

BOOST_AUTO_TEST_SUITE_END()

#include "core/plugin/note.hpp"

#include <boost/test/unit_test.hpp>

#include "spar/abi.h"

using namespace spar::plugin;

namespace {

std::string note_reason(const std::string& json) {
  const auto result = parse_note(json);
  const auto* refusal = std::get_if<Refusal>(&result);
  return refusal ? refusal->reason : "usable";
}

const std::string kOne = R"("components":[{"kind":"environment","id":"a.b/C-v1"}])";

}  // namespace

BOOST_AUTO_TEST_SUITE(note)

BOOST_AUTO_TEST_CASE(whole_note_is_read_and_unknown_keys_are_ignored) {
  const auto result = parse_note(
      R"({"id":"a.b","version":"1.0+x","new":{"k":[1]},"components":[{"kind":"algorithm","id":"a.b.c","x":1},)"
      R"({"kind":"meta_solver","id":"a.b.d"}],"requires":["spar.nn/1"]})");
  BOOST_REQUIRE(std::holds_alternative<Note>(result));
  const auto& note = std::get<Note>(result);
  BOOST_TEST(note.id == "a.b");
  BOOST_TEST(note.version == "1.0+x");
  BOOST_REQUIRE(note.components.size() == 2u);
  BOOST_TEST(note.components[0].kind == uint32_t{SPAR_KIND_ALGO});
  BOOST_TEST(note.components[0].id == "a.b.c");
  BOOST_TEST(note.components[1].kind == 0u);
  BOOST_TEST(note.components[1].kind_name == "meta_solver");
  BOOST_TEST(note.requires_services.at(0) == "spar.nn/1");
}

BOOST_AUTO_TEST_CASE(every_wrong_part_is_named) {
  BOOST_TEST(note_reason("{").starts_with("has a note that is not JSON ("));
  BOOST_TEST(note_reason("[]") == "has a note that is not a JSON object");
  BOOST_TEST(note_reason(R"({"version":"1",)" + kOne + "}") == "has a note that gives the plugin no text `id`");
  BOOST_TEST(note_reason(R"({"id":"a","version":1,)" + kOne + "}") ==
             "has a note that gives the plugin no text `version`");
  BOOST_TEST(note_reason(R"({"id":"a","version":"1"})") == "has a note that has no list `components`");
  BOOST_TEST(note_reason(R"({"id":"a","version":"1","components":{}})") ==
             "has a note that has a `components` that is not a list");
  BOOST_TEST(note_reason(R"({"id":"a","version":"1","components":[]})") == "has a note that lists no component");
  BOOST_TEST(note_reason(R"({"id":"a","version":"1","components":[3]})") ==
             "has a note that lists a component that is not an object");
  BOOST_TEST(note_reason(R"({"id":"a","version":"1","components":[{"kind":"algorithm"}]})") ==
             "has a note that gives a component no text `id`");
  BOOST_TEST(
      note_reason(
          R"({"id":"a","version":"1","components":[{"kind":"backend","id":"x"},{"kind":"backend","id":"x"}]})") ==
      "has a note that lists the backend `x` twice");
  BOOST_TEST(note_reason(R"({"id":"a","version":"1","requires":"x",)" + kOne + "}") ==
             "has a note that has a `requires` that is not a list");
  BOOST_TEST(note_reason(R"({"id":"a","version":"1","requires":[1],)" + kOne + "}") ==
             "has a note that requires a service that is not a text");
}

BOOST_AUTO_TEST_CASE(ids_cannot_steer_a_terminal) {
  BOOST_TEST(note_reason(R"({"id":"a\u001b[31m","version":"1",)" + kOne + "}") ==
             "has a note that gives the plugin the id \"a[31m\"; 1 to 255 letters, digits and . _ - / + are allowed");
  BOOST_TEST(note_reason(R"({"id":"","version":"1",)" + kOne + "}")
                 .starts_with("has a note that gives the plugin the id \"\""));
  BOOST_TEST(note_reason(R"({"id":")" + std::string(256, 'a') + R"(","version":"1",)" + kOne + "}")
                 .starts_with("has a note that gives the plugin the id \"aaa"));
}

BOOST_AUTO_TEST_CASE(lists_and_nesting_are_bounded) {
  std::string many = R"({"id":"a","version":"1","components":[)";
  for (int i = 0; i < 1025; ++i) many += (i ? "," : "") + std::string("0");
  BOOST_TEST(note_reason(many + "]}") == "has a note that lists more than 1024 components");
  BOOST_TEST(note_reason(R"({"id":)" + std::string(10'000, '[')).starts_with("has a note that is not JSON ("));
}

BOOST_AUTO_TEST_CASE(kinds_have_names) {
  for (const uint32_t kind : {SPAR_KIND_ENV, SPAR_KIND_ALGO, SPAR_KIND_STRATEGY, SPAR_KIND_BACKEND})
    BOOST_TEST(kind_of(kind_name(kind)) == kind);
  BOOST_TEST(kind_of("meta_solver") == 0u);
  BOOST_TEST(kind_name(99) == "component");
}

BOOST_AUTO_TEST_SUITE_END()

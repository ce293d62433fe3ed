// The contract held to a text: the value of every constant, the size of every struct, and place, size and type of every
// field. Types of function pointers are spelled out, so a changed signature shows too. When the contract grows, lines
// may be added, and sizes of growable structs rise; no other line of tests/data/abi_golden.txt ever changes.
#include <boost/core/demangle.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "spar/abi.h"

namespace {

std::string constant(const char* text) { return std::string("\"") + text + "\""; }
template <class Number>
std::string constant(Number number) {
  return std::to_string(static_cast<long long>(number));
}

/// One line per name, in the order of abi_names.inc.
std::string describe() {
  std::ostringstream out;
#define CONSTANT(name) out << #name << ' ' << constant(name) << '\n';
#define STRUCT(type) out << #type << " size " << sizeof(type) << '\n';
#define FIELD(type, field)                                                                                  \
  {                                                                                                         \
    using Field = std::remove_reference_t<decltype((std::declval<type&>().field))>;                         \
    out << "  " << #type "." #field << " at " << offsetof(type, field) << " size " << sizeof(Field) << ' '  \
        << (std::is_const_v<Field> ? "const " : "") << boost::core::demangle(typeid(Field).name()) << '\n'; \
  }
#include "abi_names.inc"
#undef CONSTANT
#undef STRUCT
#undef FIELD
  return out.str();
}

std::set<std::string> described_names() {
  std::set<std::string> names;
#define CONSTANT(name) names.insert(#name);
#define STRUCT(type) names.insert(#type);
#define FIELD(type, field)
#include "abi_names.inc"
#undef CONSTANT
#undef STRUCT
#undef FIELD
  return names;
}

/// Empty if there is no such file.
std::string read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class Visit>
void each_match(const std::string& text, const char* pattern, Visit visit) {
  const std::regex regex(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) visit((*it)[1].str());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(abi_golden)

BOOST_AUTO_TEST_CASE(constants_and_layouts_are_those_of_the_golden_text) {
  const std::string actual = describe();
  std::istringstream golden_lines(read(SPAR_TEST_DATA "/abi_golden.txt")), actual_lines(actual);
  std::string expected, found;
  for (int line = 1;; ++line) {
    const bool more_golden = static_cast<bool>(std::getline(golden_lines, expected));
    const bool more_actual = static_cast<bool>(std::getline(actual_lines, found));
    if (!more_golden && !more_actual) break;
    if (!more_golden) expected = "(the end)";
    if (!more_actual) found = "(the end)";
    if (found == expected) continue;
    std::ofstream(SPAR_BUILD_DIR "/tests/abi_golden.txt") << actual;
    BOOST_FAIL("line " << line << " of abi_golden.txt: expected `" << expected << "`, found `" << found
                       << "`; the whole text as it is now: " SPAR_BUILD_DIR "/tests/abi_golden.txt");
  }
}

BOOST_AUTO_TEST_CASE(golden_text_leaves_no_name_of_the_headers_out) {
  const std::set<std::string> described = described_names();
  std::set<std::string> declared;
  const auto declare = [&declared](const std::string& name) { declared.insert(name); };
  for (const char* file :
       {"types", "services", "nn", "environment", "algorithm", "losses", "backend", "strategy", "plugin", "lock"}) {
    std::string text = read(std::string(SPAR_TEST_DATA "/../../sdk/include/spar/abi/") + file + ".h");
    for (size_t at; (at = text.find("/*")) != std::string::npos;) text.erase(at, text.find("*/", at) + 2 - at);
    each_match(text, "#define (SPAR_[A-Z0-9_]+) [^_]", declare);
    each_match(text, R"(enum \{([^}]*)\})",
               [&](const std::string& body) { each_match(body, R"(\b(SPAR_[A-Z0-9_]+)\b)", declare); });
    each_match(text, R"(typedef struct (spar_\w+) \{)", declare);
  }
  BOOST_TEST(declared.size() > 150u);
  for (const std::string& name : declared) BOOST_TEST(described.count(name) == 1u, name << " is in no golden line");
}

BOOST_AUTO_TEST_SUITE_END()

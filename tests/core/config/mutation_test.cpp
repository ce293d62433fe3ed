// Random damage to a valid experiment: every outcome is an experiment or an error that says where.
#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "core/config/problems.hpp"
#include "core/config/support.hpp"

using namespace spar;
using namespace spar::config;

namespace {

const std::string kValid = R"(name = "pendulum-sac"
seed = 1
[env]
id = "Pendulum-v1"
count = 8
wrap = []
[algorithm]
id = "sac"
actor_lr = 3e-4
hidden_layers = [64, 64]
network = { kind = "mlp", sizes = [1, 2] }
[strategy]
id = "independent"
[stop]
any = [ { env_steps = 20_000 }, { eval_return = -150, for = 3 }, { seconds = 600 } ]
[eval]
every = 1_000
[checkpoint]
every = "2min"
keep = { last = 2, best = 1 }
[threshold]
"eval.return.iqm" = ">= -160"
)";

class Mutator {
 public:
  /// One or two edits: a byte changed, removed or inserted, a piece removed, doubled or swapped with another.
  std::string operator()(std::string text) {
    for (size_t edits = 1 + below(3) / 2; edits > 0; --edits) edit(text);
    return text;
  }

 private:
  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }

  char byte() {
    static const std::string kLikely = "[]{}=\"'.,#\n\t -+_0123456789einfatrueXYZ\\";
    return below(8) == 0 ? static_cast<char>(below(256)) : kLikely[below(kLikely.size())];
  }

  void edit(std::string& text) {
    if (text.empty()) text = "=";
    const size_t at = below(text.size());
    const std::string piece = text.substr(at, 1 + below(20));
    switch (below(6)) {
      case 0:
        text[at] = byte();
        break;
      case 1:
        text.erase(at, 1);
        break;
      case 2:
        text.insert(at, 1, byte());
        break;
      case 3:
        text.erase(at, piece.size());
        break;
      case 4:
        text.insert(below(text.size()), piece);
        break;
      default:
        text.erase(at, piece.size());
        text.insert(below(text.size() + 1), piece);
    }
  }

  std::mt19937_64 random_{20240607};
};

/// Codes of the errors that were met.
using Codes = std::set<std::string>;

void check(const Error& error, Codes& codes) {
  codes.insert(error.code());
  BOOST_TEST(error.code().starts_with("E02"));
  BOOST_TEST((error.exit() == Exit::usage));
  const std::string what = error.what();
  BOOST_TEST((error.place().has_value() || what.find('`') != std::string::npos), what);
  BOOST_TEST(what.size() > 10u);
  for (const char c : error.render()) BOOST_REQUIRE((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mutation)

BOOST_AUTO_TEST_CASE(a_damaged_file_loads_or_says_where_it_is_wrong) {
  Mutator mutate;
  const Scratch scratch;
  int loaded = 0, refused = 0;
  Codes codes;
  for (int i = 0; i < 2000; ++i) {
    const std::string path = scratch.file("m.toml", mutate(kValid));
    try {
      const Experiment experiment = load({path, scratch.path(), {}, {}}, fake_lookup);
      ++loaded;
      // What loads can be written and loaded again.
      const std::string again = scratch.file("again.toml", resolved_toml(experiment));
      BOOST_TEST((load({again, "", {}, {}}, fake_lookup) == experiment));
    } catch (const Errors& errors) {
      ++refused;
      for (const auto& error : errors.all()) check(error, codes);
    } catch (const Error& error) {
      ++refused;
      check(error, codes);
    }
  }
  BOOST_TEST_MESSAGE(loaded << " loaded, " << refused << " refused");
  BOOST_TEST(loaded > 100);
  BOOST_TEST(codes.size() >= 8u);
  BOOST_TEST(refused > 1000);
}

BOOST_AUTO_TEST_CASE(a_damaged_assignment_is_taken_or_says_where_it_is_wrong) {
  Mutator mutate;
  const Scratch scratch;
  const std::string path = scratch.file("a.toml", kValid);
  const std::vector<std::string> arguments = {"algorithm.actor_lr=1e-3", "env.id=Pendulum-v1",
                                              "stop={any=[{env_steps=12000}]}",
                                              "threshold.\"eval.return.mean\"=\">= 475\""};
  int loaded = 0, refused = 0;
  Codes codes;
  for (size_t i = 0; i < 2000; ++i) {
    try {
      load({path, scratch.path(), {mutate(arguments[i % arguments.size()])}, {}}, fake_lookup);
      ++loaded;
    } catch (const Errors& errors) {
      ++refused;
      for (const auto& error : errors.all()) check(error, codes);
    } catch (const Error& error) {
      ++refused;
      check(error, codes);
    }
  }
  BOOST_TEST_MESSAGE(loaded << " loaded, " << refused << " refused");
  BOOST_TEST(loaded > 20);
  BOOST_TEST(codes.size() >= 6u);
  BOOST_TEST(refused > 1000);
}

BOOST_AUTO_TEST_SUITE_END()

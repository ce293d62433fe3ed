#include "core/game/cfr.hpp"

#include "core/game/exploitability.hpp"
#include "core/game/fixture.hpp"

using namespace spar;
using namespace spar::game;
using namespace spar::test;

namespace {

double exploitability_after(const SequenceForm& form, Cfr::Variant variant, int iterations) {
  Cfr cfr(form, variant);
  for (int i = 0; i < iterations; ++i) cfr.iterate();
  return exploitability(form, cfr.average()).exploitability;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cfr)

BOOST_AUTO_TEST_CASE(a_hundred_iterations_have_the_reference_exploitability) {
  BOOST_TEST(close(exploitability_after(kuhn(), Cfr::Variant::plain, 100), 0.008226, 1e-6));
  BOOST_TEST(close(exploitability_after(kuhn(), Cfr::Variant::plus, 100), 0.001194, 1e-6));
  BOOST_TEST(close(exploitability_after(leduc(), Cfr::Variant::plain, 100), 0.095716, 1e-6));
  BOOST_TEST(close(exploitability_after(leduc(), Cfr::Variant::plus, 100), 0.013416, 1e-6));
}

BOOST_AUTO_TEST_CASE(before_the_first_iteration_everybody_plays_uniformly) {
  BOOST_TEST(close(exploitability_after(leduc(), Cfr::Variant::plus, 0), 2.373611111));
}

BOOST_AUTO_TEST_CASE(a_saved_state_goes_on_bit_for_bit) {
  Cfr whole(leduc(), Cfr::Variant::plus), first(leduc(), Cfr::Variant::plus), second(leduc(), Cfr::Variant::plus);
  for (int i = 0; i < 20; ++i) whole.iterate();
  for (int i = 0; i < 7; ++i) first.iterate();
  ByteWriter writer;
  first.save(writer);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "cfr");
  second.load(reader);
  reader.end();
  for (int i = 0; i < 13; ++i) second.iterate();
  BOOST_TEST((second.average() == whole.average()));
  Cfr other(kuhn(), Cfr::Variant::plus);
  ByteReader again(bytes, "cfr");
  BOOST_TEST(refusal_of([&] { other.load(again); }) ==
             "E0501 checkpoint section `cfr` holds 1093 values where 13 are expected");
}

BOOST_AUTO_TEST_CASE(plain_and_plus_solve_matching_pennies_and_games_of_one) {
  for (const auto variant : {Cfr::Variant::plain, Cfr::Variant::plus}) {
    BOOST_TEST(exploitability_after(compiled("matching_pennies"), variant, 1000) < 0.01);
    const auto alone =
        compiled("matrix", {{"actions", std::vector<int64_t>{3}}, {"payoffs", std::vector<double>{1, 5, 2}}});
    BOOST_TEST(exploitability_after(alone, variant, 1000) < 0.01);
  }
}

BOOST_AUTO_TEST_SUITE_END()

// Rows of float32 numbers projected many atoms at a time: the bits of the plain algorithm for every width of vectors.
#include "spar/rl/projection.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "spar/rl/categorical.hpp"

#if SPAR_RL_VECTORS

using namespace spar::rl;

namespace {

constexpr size_t kRows = 40;

struct Projection {
  std::vector<float> m;
  size_t clipped = 0;
  bool operator==(const Projection&) const = default;
};

struct Problem {
  Support z;
  std::vector<float> reward, discount, p;
};

/// Targets inside the support, far outside of it, on its atoms, and all at one place.
Problem problem(size_t atoms) {
  Problem out{Support(-3, 3, atoms), {}, {}, std::vector<float>(kRows * atoms)};
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (size_t i = 0; i < kRows; ++i) {
    out.reward.push_back(i % 5 == 0 ? 0.0F : 8 * uniform(random) - 4);
    out.discount.push_back(i % 4 == 0 ? 0.0F : i % 4 == 1 ? 1.0F : i % 4 == 2 ? uniform(random) : -uniform(random));
  }
  for (float& x : out.p) x = uniform(random);
  return out;
}

/// Algorithm 1 of C51, atom after atom, through memory.
Projection plainly(const Problem& in) {
  const size_t n = in.z.size();
  Projection out{std::vector<float>(in.p.size()), 0};
  for (size_t i = 0; i < kRows; ++i) {
    const double r = static_cast<double>(in.reward[i]), scale = static_cast<double>(in.discount[i]);
    double mean = 0, total = 0;
    for (size_t j = 0; j < n; ++j) {
      const double mass = static_cast<double>(in.p[i * n + j]), target = r + scale * in.z[j], b = in.z.place(target);
      const auto lower = static_cast<size_t>(b);
      const double share = b - static_cast<double>(lower);
      out.m[i * n + lower] += static_cast<float>(mass * (1 - share));
      if (lower + 1 < n) out.m[i * n + lower + 1] += static_cast<float>(mass * share);
      mean += mass * target;
      total += mass;
    }
    const double slack = 1e-6 * in.z.delta();
    out.clipped += mean < total * in.z.v_min() - slack || mean > total * in.z.v_max() + slack;
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(projection)

BOOST_AUTO_TEST_CASE(every_width_of_vectors_gives_the_bits_of_the_plain_algorithm) {
  for (const size_t atoms : {2, 3, 7, 8, 9, 51, 64, 65, 130}) {
    const Problem in = problem(atoms);
    const Projection expected = plainly(in);
    BOOST_TEST(expected.clipped > 0u);
    BOOST_TEST(expected.clipped < kRows);
    const auto by = [&](auto&& rows) {
      Projection out{std::vector<float>(in.p.size(), 5.0F), 0};
      const detail::Atoms grid{in.z.data(), atoms, in.z.v_min(), in.z.v_max(), in.z.delta()};
      rows(grid, in.reward.data(), in.discount.data(), in.p.data(), kRows, out.m.data(), &out.clipped);
      return out;
    };
    BOOST_TEST((by([](const auto&... a) { detail::project_rows_in<4>(a...); }) == expected));
    BOOST_TEST((by([](const auto&... a) { detail::project_rows(a...); }) == expected));
#if defined(__x86_64__)
    if (detail::vector_width() < 8) continue;
    BOOST_TEST((by([](const auto&... a) { detail::project_rows_256(a...); }) == expected));
#endif
  }
}

BOOST_AUTO_TEST_SUITE_END()

#endif

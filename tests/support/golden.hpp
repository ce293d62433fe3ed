// Reading tests/data/golden_rl.json: numbers worked out independently, and the numbers that known faults give.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/json_file.hpp"

namespace spar::test {

using Json = boost::json::value;

inline Json golden(const std::string& name) { return json_file("golden_rl.json").at(name); }

inline double number(const Json& value) { return value.to_number<double>(); }

/// A list of numbers, or nested lists of them, row-major.
inline std::vector<double> numbers(const Json& value) {
  if (!value.is_array()) return {number(value)};
  std::vector<double> all;
  for (const Json& item : value.as_array())
    for (const double x : numbers(item)) all.push_back(x);
  return all;
}

/// 1e-9, relative for numbers above 1. The file prints ten significant digits.
inline bool same(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(1.0, std::max(std::abs(a), std::abs(b)));
}

inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same(x, y); });
}

inline std::string text_of(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += std::to_string(value) + " ";
  return text;
}

/// What was computed equals what is expected ..
inline void check(const std::vector<double>& found, const Json& expected) {
  BOOST_TEST(same(found, numbers(expected)), "found " << text_of(found) << "expected " << text_of(numbers(expected)));
}
inline void check(double found, const Json& expected) { check(std::vector<double>{found}, expected); }

/// .. and is not what the fault gives.
inline void check_not(const std::vector<double>& found, const Json& wrong) {
  BOOST_TEST(!same(found, numbers(wrong)), "found the numbers of a known fault: " << text_of(found));
}
inline void check_not(double found, const Json& wrong) { check_not(std::vector<double>{found}, wrong); }

}  // namespace spar::test

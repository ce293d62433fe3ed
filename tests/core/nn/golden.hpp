// Reference cases of tests/data/golden_nn.json.
#pragma once

#include <boost/json.hpp>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace spar::nn::test {

inline boost::json::object golden_case(const std::string& name) {
  std::ifstream file(std::string(SPAR_TEST_DATA) + "/golden_nn.json");
  if (!file) throw std::runtime_error("golden_nn.json is missing in " SPAR_TEST_DATA);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return boost::json::parse(text).at("cases").at(name).as_object();
}

inline std::vector<float> floats(const boost::json::value& list) {
  std::vector<float> values;
  for (const auto& item : list.as_array()) values.push_back(static_cast<float>(item.to_number<double>()));
  return values;
}

/// A list of lists, row by row.
inline std::vector<float> matrix(const boost::json::value& lists) {
  std::vector<float> all;
  for (const auto& list : lists.as_array())
    for (const float value : floats(list)) all.push_back(value);
  return all;
}

inline std::vector<double> doubles(const boost::json::value& list) {
  std::vector<double> values;
  for (const auto& item : list.as_array()) values.push_back(item.to_number<double>());
  return values;
}

}  // namespace spar::nn::test

// Reading test data.
#pragma once

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace spar::test {

/// The JSON document tests/data/NAME.
inline boost::json::value json_file(const std::string& name) {
  const std::string path = std::string(SPAR_TEST_DATA) + "/" + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("test data `" + path + "` cannot be opened");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return boost::json::parse(text);
}

/// Boost.JSON 1.81 may miss a double by its last bit, so the files hold reals as text where that matters.
inline double real(const boost::json::value& v) {
  return v.is_string() ? std::strtod(v.as_string().c_str(), nullptr) : v.to_number<double>();
}

}  // namespace spar::test

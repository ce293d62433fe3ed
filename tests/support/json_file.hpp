// Reading test data.
#pragma once

#include <boost/json.hpp>
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

}  // namespace spar::test

// Several errors found in one pass.
#pragma once

#include <vector>

#include "core/base/error.hpp"

namespace spar::config {

/// What a configuration with more than one error throws: it is the first by position, and its help names the others.
class Errors : public Error {
 public:
  explicit Errors(std::vector<Error> sorted);
  const std::vector<Error>& all() const { return all_; }  ///< by position, at least two

 private:
  std::vector<Error> all_;
};

class Problems {
 public:
  void add(Error error) { errors_.push_back(std::move(error)); }
  bool empty() const { return errors_.empty(); }
  size_t size() const { return errors_.size(); }
  /// Throws the only error as it is, several as Errors. Order: files by name, line and column; then the command line.
  void throw_if_any();

 private:
  std::vector<Error> errors_;
};

}  // namespace spar::config

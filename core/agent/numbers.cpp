#include "core/agent/numbers.hpp"

#include <cmath>
#include <vector>

#include "core/base/error.hpp"

namespace spar {
namespace {

/// The shape of `n` numbers that should have been rows of `row`: [80, 3] where that divides, else [239].
std::string found_shape(uint64_t n, uint64_t rows, const std::vector<int64_t>& row) {
  const ColumnType type{0, 0, row};
  if (n % type.width() == 0) return shape_of(n / type.width(), row);
  if (rows > 0 && n % rows == 0) return "[" + std::to_string(rows) + ", " + std::to_string(n / rows) + "]";
  return "[" + std::to_string(n) + "]";
}

size_t first_not_finite(const float* x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) return i;
  }
  return n;
}

}  // namespace

uint64_t ColumnType::width() const {
  uint64_t width = 1;
  for (const int64_t extent : row) width *= static_cast<uint64_t>(extent);
  return width;
}

std::string ColumnType::text() const { return dtype_name(code, bits); }

std::string shape_of(uint64_t rows, const std::vector<int64_t>& row) {
  std::string text = "[" + std::to_string(rows);
  for (const int64_t extent : row) text += ", " + std::to_string(extent);
  return text + "]";
}

void check_numbers(std::string_view what, const Numbers& numbers, const ColumnType& type, uint64_t rows) {
  const auto refuse = [&what](const std::string& problem) {
    throw Error("E1001", Exit::usage, std::string(what) + " " + problem);
  };
  if (numbers.code != type.code || numbers.bits != type.bits)
    refuse("is " + dtype_name(numbers.code, numbers.bits) + ", expected " + type.text());
  if (numbers.size != rows * type.width())
    refuse("has the shape " + found_shape(numbers.size, rows, type.row) + ", expected " + shape_of(rows, type.row));
  if (type.code != SPAR_DTYPE_FLOAT) return;
  const auto* x = reinterpret_cast<const float*>(numbers.bytes);
  if (const size_t at = first_not_finite(x, numbers.size); at < numbers.size)
    refuse(std::string("is ") + (std::isnan(x[at]) ? "NaN" : "infinite") + " in row " +
           std::to_string(at / type.width()) + ", expected finite numbers");
}

}  // namespace spar

// Typed access to the named columns of a batch.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "spar/barrier.hpp"

namespace spar {

/// A view of rows x width numbers, row-major. Owns nothing.
template <class T>
struct Matrix {
  T* data = nullptr;
  uint64_t rows = 0;
  uint64_t width = 0;

  T* row(uint64_t i) const { return data + i * width; }
  T& operator()(uint64_t i, uint64_t j = 0) const { return data[i * width + j]; }
};

template <class T>
constexpr uint8_t dtype_code() {
  return std::is_floating_point_v<T> ? SPAR_DTYPE_FLOAT : std::is_unsigned_v<T> ? SPAR_DTYPE_UINT : SPAR_DTYPE_INT;
}

/// "f32", "u8", "i64", ..
inline std::string dtype_name(uint8_t code, uint8_t bits) {
  switch (code) {
    case SPAR_DTYPE_FLOAT:
      return "f" + std::to_string(bits);
    case SPAR_DTYPE_UINT:
      return "u" + std::to_string(bits);
    case SPAR_DTYPE_INT:
      return "i" + std::to_string(bits);
    case SPAR_DTYPE_BFLOAT:
      return "bf" + std::to_string(bits);
    case SPAR_DTYPE_BOOL:
      return "bool";
    default:
      return "element type " + std::to_string(code);
  }
}

/// The column called `name`, or nullptr.
inline const spar_column* find_column(const spar_batch& batch, std::string_view name) {
  for (uint32_t i = 0; i < batch.n_columns; ++i) {
    if (view(batch.columns[i].name) == name) return &batch.columns[i];
  }
  return nullptr;
}

/// Numbers in one row of a tensor whose first dimension is the row.
inline uint64_t row_width(const spar_tensor& tensor) {
  uint64_t width = 1;
  for (int32_t i = 1; i < tensor.ndim; ++i) width *= static_cast<uint64_t>(tensor.shape[i]);
  return width;
}

/// The column as a matrix. Throws SPAR_E_INVALID if its element type, device or layout is another.
template <class T>
Matrix<T> matrix(const spar_column& column, uint64_t rows) {
  const spar_tensor& t = column.t;
  if (t.code != dtype_code<T>() || t.bits != 8 * sizeof(T) || t.device_type != SPAR_DEVICE_CPU || t.strides) {
    throw StatusError(SPAR_E_INVALID, "column `" + std::string(view(column.name)) + "` is " +
                                          dtype_name(t.code, t.bits) + ", expected a compact CPU column of " +
                                          dtype_name(dtype_code<T>(), 8 * sizeof(T)));
  }
  return {reinterpret_cast<T*>(static_cast<char*>(t.data) + t.byte_offset), rows, row_width(t)};
}

/// Throws SPAR_E_INVALID if the batch has no such column.
template <class T>
Matrix<T> column(const spar_batch& batch, std::string_view name) {
  const spar_column* found = find_column(batch, name);
  if (!found) throw StatusError(SPAR_E_INVALID, "the batch has no column `" + std::string(name) + "`");
  return matrix<T>(*found, batch.rows);
}

/// data == nullptr if the batch has no such column.
template <class T>
Matrix<T> optional_column(const spar_batch& batch, std::string_view name) {
  const spar_column* found = find_column(batch, name);
  return found ? matrix<T>(*found, batch.rows) : Matrix<T>{nullptr, batch.rows, 0};
}

/// Numbers in one element of a space: product of its shape; 1 for DISCRETE.
inline int64_t space_width(const spar_space& space) {
  int64_t width = 1;
  if (space.kind != SPAR_SPACE_DISCRETE) {
    for (int32_t i = 0; i < space.ndim; ++i) width *= space.shape[i];
  }
  return width;
}

/// "Box(4)", "Discrete(2)", .. for messages.
inline std::string space_name(const spar_space& space) {
  const auto shape = [&space] {
    std::string text;
    for (int32_t i = 0; i < space.ndim; ++i) text += (i ? "x" : "") + std::to_string(space.shape[i]);
    return text;
  };
  switch (space.kind) {
    case SPAR_SPACE_BOX:
      return "Box(" + shape() + ")";
    case SPAR_SPACE_DISCRETE:
      return "Discrete(" + std::to_string(space.n) + ")";
    case SPAR_SPACE_MULTI_DISCRETE:
      return "MultiDiscrete(" + shape() + ")";
    case SPAR_SPACE_MULTI_BINARY:
      return "MultiBinary(" + shape() + ")";
    case SPAR_SPACE_DICT:
      return "Dict of " + std::to_string(space.n_children);
    default:
      return "space of kind " + std::to_string(space.kind);
  }
}

}  // namespace spar

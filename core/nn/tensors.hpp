// Tensors of the caller, checked against what a network expects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "spar/abi/types.h"

namespace spar::nn {

/// For messages; built into text only when something is wrong.
struct Where {
  std::string_view net, argument;  ///< "q", "x"
  std::string_view input;          ///< name of the input, or ""
};

/// A compact tensor in host memory: [rows, row..] or, with `members`, [ensemble, rows, row..].
struct View {
  std::byte* data = nullptr;
  size_t rows = 0;
  bool members = false;
};

/// Throws Error E0401 that names both shapes, or what else is wrong with the tensor. A tensor for an ensemble of one
/// may have the ensemble dimension or not; `need_members`: an ensemble of several must have it.
View view_of(const Where& where, const spar_tensor* tensor, std::span<const int64_t> row, bool bytes, size_t ensemble,
             bool need_members);

}  // namespace spar::nn

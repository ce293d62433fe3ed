#include "core/nn/tensors.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text.hpp"
#include "core/nn/failure.hpp"
#include "core/nn/spec.hpp"

namespace spar::nn {
namespace {

std::string place(const Where& where) {
  std::string text = "network `" + printable(where.net) + "`: " + std::string(where.argument);
  if (!where.input.empty()) text += " of input `" + printable(where.input) + "`";
  return text + " ";
}

std::string found_shape(const spar_tensor& tensor) {
  return shape_text({tensor.shape, tensor.shape + std::max(0, tensor.ndim)});
}

std::string expected_shape(std::span<const int64_t> row, size_t ensemble, bool need_members) {
  std::string tail = "rows";
  for (const int64_t n : row) tail += ", " + std::to_string(n);
  const std::string with = "[" + std::to_string(ensemble) + ", " + tail + "]";
  return need_members && ensemble > 1 ? with : "[" + tail + "] or " + with;
}

bool compact(const spar_tensor& tensor) {
  if (tensor.strides == nullptr) return true;
  int64_t stride = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride) return false;
    stride *= tensor.shape[i];
  }
  return true;
}

}  // namespace

View view_of(const Where& where, const spar_tensor* tensor, std::span<const int64_t> row, bool bytes, size_t ensemble,
             bool need_members) {
  if (tensor == nullptr || tensor->data == nullptr || (tensor->ndim > 0 && tensor->shape == nullptr))
    throw invalid(place(where) + "is NULL or has no data, expected a tensor of shape " +
                  expected_shape(row, ensemble, need_members));
  if (tensor->device_type != SPAR_DEVICE_CPU)
    throw invalid(place(where) + "lies on device type " + std::to_string(tensor->device_type) +
                  ", expected host memory (1): copy it first");
  const uint8_t code = bytes ? SPAR_DTYPE_UINT : SPAR_DTYPE_FLOAT, bits = bytes ? 8 : 32;
  if (tensor->code != code || tensor->bits != bits || tensor->lanes != 1)
    throw invalid(place(where) + "has element type " + std::to_string(tensor->code) + " of " +
                  std::to_string(tensor->bits) + " bits, expected " + (bytes ? "u8" : "f32"));
  const size_t ndim = tensor->ndim < 0 ? 0 : static_cast<size_t>(tensor->ndim);
  const bool members = ndim == row.size() + 2;
  const bool fits = (members || (ndim == row.size() + 1 && !(need_members && ensemble > 1))) &&
                    std::equal(row.begin(), row.end(), tensor->shape + (ndim - row.size())) &&
                    (!members || tensor->shape[0] == static_cast<int64_t>(ensemble)) &&
                    tensor->shape[members ? 1 : 0] >= 0;
  if (!fits)
    throw invalid(place(where) + "has shape " + found_shape(*tensor) + ", expected " +
                  expected_shape(row, ensemble, need_members));
  if (!compact(*tensor))
    throw invalid(place(where) + "of shape " + found_shape(*tensor) +
                  " has gaps between its elements, expected a compact tensor: copy it first");
  return {static_cast<std::byte*>(tensor->data) + tensor->byte_offset,
          static_cast<size_t>(tensor->shape[members ? 1 : 0]), members};
}

}  // namespace spar::nn

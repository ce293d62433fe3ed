// LibTorch and the contract's tensors on the same memory, without a copy. With torch_network.hpp one of the
// two headers of the SDK that need LibTorch; a plugin that includes it links LibTorch itself:
//
//   find_package(Torch REQUIRED)
//   spar_add_plugin(my_algorithm my_algorithm.cpp)
//   target_link_libraries(my_algorithm PRIVATE ${TORCH_LIBRARIES})
//
// Nothing here owns memory. A view of a column lives as long as the column: until the sample goes back, or until the
// call that brought the batch returns; clone() what has to live longer. torch::manual_seed, at::set_num_threads and the
// default element type belong to the whole process: a plugin leaves them alone and seeds a generator of its own with
// Context::seed_for().
#pragma once

#include <torch/types.h>

#include <string>

#include "spar/batch.hpp"

namespace spar {

/// LibTorch's name of an element type. Throws SPAR_E_UNSUPPORTED if it has none.
inline ::torch::Dtype torch_dtype(uint8_t code, uint8_t bits) {
  switch (code) {
    case SPAR_DTYPE_FLOAT:
      if (bits == 16) return ::torch::kFloat16;
      if (bits == 32) return ::torch::kFloat32;
      if (bits == 64) return ::torch::kFloat64;
      break;
    case SPAR_DTYPE_BFLOAT:
      if (bits == 16) return ::torch::kBFloat16;
      break;
    case SPAR_DTYPE_INT:
      if (bits == 8) return ::torch::kInt8;
      if (bits == 16) return ::torch::kInt16;
      if (bits == 32) return ::torch::kInt32;
      if (bits == 64) return ::torch::kInt64;
      break;
    case SPAR_DTYPE_UINT:
      if (bits == 8) return ::torch::kUInt8;
      break;
    case SPAR_DTYPE_BOOL:
      if (bits == 8) return ::torch::kBool;
      break;
    default:
      break;
  }
  throw StatusError(SPAR_E_UNSUPPORTED, "LibTorch has no element type for " + dtype_name(code, bits));
}

/// [rows, width] on the matrix's memory.
template <class T>
::torch::Tensor view(const Matrix<T>& matrix) {
  return ::torch::from_blob(matrix.data, {static_cast<int64_t>(matrix.rows), static_cast<int64_t>(matrix.width)},
                            torch_dtype(dtype_code<T>(), 8 * sizeof(T)));
}

/// The tensor's shape on its memory, strides included. Throws SPAR_E_UNSUPPORTED for memory that is not on the CPU, for
/// several lanes, and for element types that LibTorch lacks.
inline ::torch::Tensor view(const spar_tensor& tensor) {
  if (tensor.device_type != SPAR_DEVICE_CPU || tensor.lanes != 1) {
    throw StatusError(SPAR_E_UNSUPPORTED, "expected a CPU tensor of 1 lane, found device type " +
                                              std::to_string(tensor.device_type) + " and " +
                                              std::to_string(tensor.lanes) + " lanes");
  }
  const auto ndim = static_cast<size_t>(tensor.ndim);
  const ::torch::IntArrayRef shape(tensor.shape, ndim);
  const auto dtype = torch_dtype(tensor.code, tensor.bits);
  void* data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  if (!tensor.strides) return ::torch::from_blob(data, shape, dtype);
  return ::torch::from_blob(data, shape, ::torch::IntArrayRef(tensor.strides, ndim), dtype);
}

/// The contract's view of a contiguous CPU tensor; valid while `tensor` lives and keeps its shape. Throws
/// SPAR_E_INVALID for any other layout or device, SPAR_E_UNSUPPORTED for element types that the contract lacks.
inline spar_tensor view(const ::torch::Tensor& tensor) {
  if (!tensor.defined() || !tensor.device().is_cpu() || !tensor.is_contiguous()) {
    throw StatusError(
        SPAR_E_INVALID,
        "expected a contiguous CPU tensor: call .cpu().contiguous() and keep the result while it is used");
  }
  spar_tensor out{};
  out.data = tensor.data_ptr();
  out.device_type = SPAR_DEVICE_CPU;
  out.ndim = static_cast<int32_t>(tensor.dim());
  out.bits = static_cast<uint8_t>(8 * tensor.element_size());
  out.lanes = 1;
  out.shape = const_cast<int64_t*>(tensor.sizes().data());
  switch (tensor.scalar_type()) {
    case ::torch::kFloat16:
    case ::torch::kFloat32:
    case ::torch::kFloat64:
      out.code = SPAR_DTYPE_FLOAT;
      return out;
    case ::torch::kBFloat16:
      out.code = SPAR_DTYPE_BFLOAT;
      return out;
    case ::torch::kInt8:
    case ::torch::kInt16:
    case ::torch::kInt32:
    case ::torch::kInt64:
      out.code = SPAR_DTYPE_INT;
      return out;
    case ::torch::kUInt8:
      out.code = SPAR_DTYPE_UINT;
      return out;
    case ::torch::kBool:
      out.code = SPAR_DTYPE_BOOL;
      return out;
    default:
      throw StatusError(SPAR_E_UNSUPPORTED,
                        std::string("the contract has no element type for ") + ::torch::toString(tensor.scalar_type()));
  }
}

}  // namespace spar

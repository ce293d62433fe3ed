#include "core/params/service.hpp"

#include <cstdio>
#include <cstring>

#include "core/params/store.hpp"
#include "core/plugin/context.hpp"

namespace spar::params {
namespace {

spar_status refuse(spar_error* error, spar_status code, const char* message) {
  if (error && error->struct_size >= sizeof(spar_error)) {
    error->code = code;
    std::snprintf(error->message, sizeof error->message, "%s", message);
  }
  return code;
}

/// What a plugin borrows: the snapshot and the columns that point into it.
struct Loan {
  std::shared_ptr<const Snapshot> snapshot;
  std::vector<spar_column> columns;
};

spar_status publish(spar_ctx* ctx, spar_str key, const spar_column* columns, uint32_t n, uint64_t* version,
                    spar_error* error) noexcept try {
  if (!ctx->params) return refuse(error, SPAR_E_UNSUPPORTED, "this instance has no parameter store");
  std::vector<Tensor> tensors;
  for (uint32_t i = 0; i < n; ++i) {
    const spar_tensor& t = columns[i].t;
    if (t.device_type != SPAR_DEVICE_CPU || t.strides)
      return refuse(error, SPAR_E_INVALID, "tensors to publish must be compact and on the CPU");
    Tensor tensor{std::string(columns[i].name.ptr, columns[i].name.len), t.code, t.bits, {}, {}};
    size_t numbers = 1;
    for (int32_t d = 0; d < t.ndim; ++d) {
      tensor.shape.push_back(t.shape[d]);
      numbers *= static_cast<size_t>(t.shape[d]);
    }
    tensor.data.resize(numbers * t.bits / 8);
    std::memcpy(tensor.data.data(), static_cast<const char*>(t.data) + t.byte_offset, tensor.data.size());
    tensors.push_back(std::move(tensor));
  }
  const uint64_t published = ctx->params->publish({key.ptr, key.len}, std::move(tensors));
  if (version) *version = published;
  return SPAR_OK;
} catch (const std::exception& e) {
  return refuse(error, SPAR_E_INTERNAL, e.what());
}

spar_status fetch(spar_ctx* ctx, spar_str key, uint64_t newer_than, spar_snapshot* out, spar_error* error) noexcept
    try {
  if (!ctx->params) return refuse(error, SPAR_E_UNSUPPORTED, "this instance has no parameter store");
  auto snapshot = ctx->params->fetch({key.ptr, key.len}, newer_than);
  if (!snapshot) return refuse(error, SPAR_E_NOTREADY, "no newer version");
  auto loan = std::make_unique<Loan>();
  loan->snapshot = std::move(snapshot);
  for (const Tensor& tensor : loan->snapshot->tensors) {
    spar_column column{};
    column.name = {tensor.name.data(), tensor.name.size()};
    column.t.data = const_cast<std::byte*>(tensor.data.data());
    column.t.device_type = SPAR_DEVICE_CPU;
    column.t.ndim = static_cast<int32_t>(tensor.shape.size());
    column.t.code = tensor.code;
    column.t.bits = tensor.bits;
    column.t.lanes = 1;
    column.t.shape = const_cast<int64_t*>(tensor.shape.data());
    loan->columns.push_back(column);
  }
  spar_snapshot local{};
  local.n = static_cast<uint32_t>(loan->columns.size());
  local.version = loan->snapshot->version;
  local.tensors = loan->columns.data();
  local.token = loan.release();
  SPAR_STORE(out, local);
  return SPAR_OK;
} catch (const std::exception& e) {
  return refuse(error, SPAR_E_INTERNAL, e.what());
}

void release(spar_ctx*, spar_snapshot* snapshot) {
  delete static_cast<Loan*>(snapshot->token);
  snapshot->token = nullptr;
}

}  // namespace

const spar_svc_params& params_service() {
  static constexpr spar_svc_params kTable = {sizeof(spar_svc_params), 0, publish, fetch, release};
  return kTable;
}

}  // namespace spar::params

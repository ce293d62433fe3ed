#include "core/nn/service.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "core/nn/failure.hpp"
#include "core/nn/network_set.hpp"
#include "core/nn/tier.hpp"
#include "core/nn/update.hpp"
#include "core/plugin/context.hpp"

namespace spar::nn {
namespace {

spar_status report(spar_error* error, spar_status status, std::string_view message) {
  if (error == nullptr || error->struct_size <= offsetof(spar_error, message)) return status;
  error->code = status;
  const size_t room = std::min<size_t>(sizeof error->message, error->struct_size - offsetof(spar_error, message));
  size_t length = std::min(message.size(), room - 1);
  // A cut must not leave half a UTF-8 character.
  while (length < message.size() && length > 0 && (static_cast<uint8_t>(message[length]) & 0xc0) == 0x80) --length;
  std::memcpy(error->message, message.data(), length);
  error->message[length] = '\0';
  return status;
}

spar_status status_of(std::string_view code) {
  if (code == "E0901") return SPAR_E_INVALID;
  if (code == "E0902") return SPAR_E_UNSUPPORTED;
  if (code == "E0903") return SPAR_E_STATE;
  return SPAR_E_INTERNAL;
}

/// The one place where exceptions become statuses.
template <class Call>
spar_status guarded(spar_error* error, Call&& call) noexcept {
  try {
    call();
    return SPAR_OK;
  } catch (const Error& problem) {
    return report(error, status_of(problem.code()), problem.what());
  } catch (const std::bad_alloc&) {
    return report(error, SPAR_E_NOMEM, "there is not enough memory for this network: lower max_rows, slots or widths");
  } catch (const std::exception& problem) {
    return report(error, SPAR_E_INTERNAL, problem.what());
  } catch (...) {
    return report(error, SPAR_E_INTERNAL, "an unknown exception was thrown inside a network function");
  }
}

/// A handle that must be there.
template <class Handle>
auto& existing(Handle* handle, const char* argument) {
  if (handle == nullptr) throw invalid(std::string(argument) + " is NULL, expected a network");
  return network_of(handle);
}

spar_status create(spar_ctx* ctx, spar_str name, const spar_net_spec* spec, spar_net** out, spar_error* error) {
  return guarded(error, [&] {
    if (ctx == nullptr || spec == nullptr || out == nullptr)
      throw invalid("create: ctx, spec or out is NULL, expected all three");
    *out = nullptr;
    if (ctx->networks == nullptr) throw not_offered("networks are not offered to this component");
    if (name.ptr == nullptr && name.len > 0) throw invalid("create: name has a length and no text");
    kernels();  // a wrong SPAR_CPU shows here, not in the first forward
    *out = handle_of(ctx->networks->create(ctx->root_seed, ctx->name, std::string_view(name.ptr, name.len), *spec));
  });
}

void destroy(spar_net* net) {
  guarded(nullptr, [&] {
    if (net != nullptr) network_of(net).owner().destroy(network_of(net));
  });
}

spar_status forward(spar_net* net, uint32_t slot, uint32_t flags, const spar_tensor* const* x, spar_tensor* y,
                    spar_error* error) {
  return guarded(error, [&] { existing(net, "net").forward(slot, flags, x, y); });
}

spar_status backward(spar_net* net, uint32_t slot, const spar_tensor* dy, spar_tensor* const* dx, uint32_t what,
                     spar_error* error) {
  return guarded(error, [&] { existing(net, "net").backward(slot, dy, dx, what); });
}

spar_status update_nets(spar_ctx*, const spar_update* step, double* grad_norm, spar_error* error) {
  return guarded(error, [&] {
    if (step == nullptr) throw invalid("update: its argument is NULL, expected a spar_update");
    const double norm = routed_update(*step);
    if (grad_norm != nullptr) *grad_norm = norm;
  });
}

spar_status blend_nets(spar_net* dst, const spar_net* src, double tau, spar_error* error) {
  return guarded(error, [&] { routed_blend(existing(dst, "dst"), existing(src, "src"), tau); });
}

spar_status resample(spar_net* net, spar_error* error) {
  return guarded(error, [&] { existing(net, "net").resample(); });
}

uint64_t bytes(spar_net* net, uint32_t what) { return net != nullptr ? network_of(net).bytes(what) : 0; }

spar_status read(spar_net* net, uint32_t what, void* dst, uint64_t size, spar_error* error) {
  return guarded(error, [&] { existing(net, "net").read(what, dst, size); });
}

spar_status write(spar_net* net, uint32_t what, const void* src, uint64_t size, spar_error* error) {
  return guarded(error, [&] { existing(net, "net").write(what, src, size); });
}

}  // namespace

const spar_svc_nn& nn_service() {
  static constexpr spar_svc_nn kTable{.struct_size = sizeof(spar_svc_nn),
                                      .reserved = 0,
                                      .create = create,
                                      .destroy = destroy,
                                      .forward = forward,
                                      .backward = backward,
                                      .update = update_nets,
                                      .blend = blend_nets,
                                      .resample = resample,
                                      .bytes = bytes,
                                      .read = read,
                                      .write = write};
  return kTable;
}

}  // namespace spar::nn

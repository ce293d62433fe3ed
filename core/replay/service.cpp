#include "core/replay/service.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "core/base/error.hpp"
#include "core/plugin/context.hpp"
#include "core/replay/buffer.hpp"

namespace spar::replay {

namespace {

spar_status report(spar_error* out, spar_status status, std::string_view text) {
  if (out == nullptr) return status;
  out->code = status;
  const size_t length = std::min(text.size(), sizeof out->message - 1);
  std::memcpy(out->message, text.data(), length);
  out->message[length] = '\0';
  return status;
}

/// The only way into the buffer: runs `call(buffer)` and turns every exception into a status.
template <class Call>
spar_status guarded(spar_ctx* ctx, spar_error* error, Call&& call) noexcept {
  if (ctx == nullptr || ctx->buffer == nullptr)
    return report(error, SPAR_E_UNSUPPORTED,
                  "this instance has no memory: ask for one with buffer_kind in needs(); acting copies have none");
  try {
    call(*ctx->buffer);
    return SPAR_OK;
  } catch (const Error& caught) {
    const spar_status status = caught.code() == "E0806" ? SPAR_E_NOTREADY : SPAR_E_INVALID;
    std::string text = caught.what();
    if (!caught.help().empty()) text += "; " + caught.help();
    return report(error, status, text);
  } catch (const std::bad_alloc&) {
    return report(error, SPAR_E_NOMEM, "the memory of this instance cannot grow: no memory is left");
  } catch (const std::exception& caught) {
    return report(error, SPAR_E_INTERNAL, caught.what());
  } catch (...) {
    return report(error, SPAR_E_INTERNAL, "the memory of this instance failed for an unknown reason");
  }
}

uint64_t size(spar_ctx* ctx) { return ctx != nullptr && ctx->buffer != nullptr ? ctx->buffer->size() : 0; }

spar_status sample(spar_ctx* ctx, const spar_query* query, spar_batch* out, spar_error* error) {
  if (query == nullptr || query->struct_size < SPAR_END(spar_query, n) || out == nullptr ||
      out->struct_size < SPAR_END(spar_batch, token))
    return report(error, SPAR_E_INVALID, "sample needs a query and a batch with their struct_size set");
  const double beta = query->struct_size >= SPAR_END(spar_query, beta) ? query->beta : 0.0;
  return guarded(ctx, error, [&](Buffer& buffer) {
    if (ctx->reader) return buffer.sample(*ctx->reader, query->n, beta, out);
    buffer.sample(query->n, beta, out);
  });
}

void release(spar_ctx* ctx, spar_batch* batch) {
  guarded(ctx, nullptr, [&](Buffer& buffer) {
    if (ctx->reader) return Buffer::release(*ctx->reader, batch);
    buffer.release(batch);
  });
}

spar_status set_priority(spar_ctx* ctx, const uint64_t* index, const float* p, uint64_t n, spar_error* error) {
  if (n > 0 && (index == nullptr || p == nullptr))
    return report(error, SPAR_E_INVALID, "set_priority needs an index and a priority for each of its rows");
  return guarded(ctx, error, [&](Buffer& buffer) { buffer.set_priority(index, p, n); });
}

}  // namespace

const spar_svc_buffer& buffer_service() {
  static constexpr spar_svc_buffer kTable = {sizeof(spar_svc_buffer), 0, size, sample, release, set_priority};
  return kTable;
}

}  // namespace spar::replay

#include "core/train/services.hpp"

#include <limits>

#include "core/base/crew.hpp"
#include "core/base/text.hpp"
#include "core/plugin/context.hpp"
#include "core/train/budget.hpp"
#include "core/train/metrics.hpp"

namespace spar::train {
namespace {

uint32_t define(spar_ctx* ctx, spar_str name, uint32_t kind, spar_str unit) noexcept try {
  if (!ctx->metrics) return 0;
  return ctx->metrics->define(printable({name.ptr, name.len}), kind, {unit.ptr, unit.len});
} catch (...) {
  return 0;
}

void record(spar_ctx* ctx, uint32_t id, uint64_t step, double value) {
  if (ctx->metrics && id >= 1 && id <= ctx->metrics->size()) ctx->metrics->record(id, step, value);
}

uint32_t cancelled(spar_ctx* ctx) { return ctx->budget && ctx->budget->cancelled() ? 1 : 0; }
uint32_t threads(spar_ctx* ctx) { return ctx->crew ? ctx->crew->free_threads() : 1; }
double progress(spar_ctx* ctx) {
  return ctx->budget ? ctx->budget->progress() : std::numeric_limits<double>::quiet_NaN();
}
spar_status parallel(spar_ctx* ctx, uint64_t n, void (*fn)(void*, uint64_t), void* arg) {
  if (ctx->crew) {
    ctx->crew->run(n, [&](size_t i) { fn(arg, i); });
  } else {
    for (uint64_t i = 0; i < n; ++i) fn(arg, i);
  }
  return SPAR_OK;
}

}  // namespace

const spar_svc_metrics& metrics_service() {
  static constexpr spar_svc_metrics kTable = {sizeof(spar_svc_metrics), 0, define, record};
  return kTable;
}

const spar_svc_exec& exec_service() {
  static constexpr spar_svc_exec kTable = {sizeof(spar_svc_exec), 0, cancelled, threads, progress, parallel};
  return kTable;
}

}  // namespace spar::train

#include "core/rollout/sampling.hpp"

#include <string_view>

#include "core/base/profile.hpp"
#include "core/plugin/context.hpp"
#include "core/replay/buffer.hpp"
#include "core/replay/service.hpp"
#include "core/rollout/central.hpp"
#include "core/rollout/transform.hpp"
#include "spar/barrier.hpp"

namespace spar::rollout {
namespace {

bool is_leaf_of(std::string_view column, std::string_view root) {
  return column == root || (column.starts_with(root) && column[root.size()] == '/');
}

/// n = 0 (of a rollout: everything) fits every batch.
spar_status lend_given(Given& given, const spar_query* query, spar_batch* out, spar_error* error) {
  if (!query || !out) return report(error, SPAR_E_INVALID, "sample needs a query and a batch");
  if (query->n != 0 && query->n != given.batch.rows) {
    given.wanted = query->n;
    return report(error, SPAR_E_INVALID, "the batch that was given has another number of rows than sample asks for");
  }
  given.taken = true;
  SPAR_STORE(out, given.batch);
  return SPAR_OK;
}

/// Nothing to wait for where one instance learns alone.
std::unique_lock<std::mutex> lock_memory(const spar_ctx* ctx) {
  return ctx->sharing ? std::unique_lock(*ctx->sharing->mutex) : std::unique_lock<std::mutex>();
}

void transform(const Transforms& transforms, spar_batch* out) {
  size_t obs_leaf = 0, next_leaf = 0;
  for (uint32_t i = 0; i < out->n_columns; ++i) {
    const std::string_view name(out->columns[i].name.ptr, out->columns[i].name.len);
    auto* data = static_cast<float*>(out->columns[i].t.data);
    if (is_leaf_of(name, "obs")) {
      if (transforms.observation.active()) transforms.observation.apply(obs_leaf, data, out->rows);
      ++obs_leaf;
    } else if (is_leaf_of(name, "next_obs")) {
      if (transforms.observation.active()) transforms.observation.apply(next_leaf, data, out->rows);
      ++next_leaf;
    } else if (name == "reward" && transforms.reward.active()) {
      transforms.reward.on_sample(data, out->rows);
    }
  }
}

void release(spar_ctx* ctx, spar_batch* batch) {
  if (ctx && ctx->given) return;
  if (ctx && ctx->central && batch && SPAR_HAS(batch, spar_batch, token)) ctx->central->release(batch->token);
  replay::buffer_service().release(ctx, batch);
}

spar_status sample(spar_ctx* ctx, const spar_query* query, spar_batch* out, spar_error* error) {
  const auto draw = [&] { return replay::buffer_service().sample(ctx, query, out, error); };
  if (!ctx) return draw();  // which refuses it
  if (ctx->given) return lend_given(*ctx->given, query, out, error);
  const Profile::Span span(ctx->profile, Phase::sample);
  const auto lock = lock_memory(ctx);
  const spar_status status = draw();
  if (status >= 0 && ctx->sharing) ctx->sharing->sampled += out->rows;
  if (status < 0 || !ctx->transforms) return status;
  transform(*ctx->transforms, out);
  if (!ctx->central) return status;
  const spar_status joined = barrier(error, [&] { ctx->central->join(*out); });
  if (joined < 0) release(ctx, out);
  return joined;
}

uint64_t size(spar_ctx* ctx) { return ctx && ctx->given ? ctx->given->batch.rows : replay::buffer_service().size(ctx); }
spar_status set_priority(spar_ctx* ctx, const uint64_t* index, const float* p, uint64_t n, spar_error* error) {
  if (ctx && ctx->given) return SPAR_OK;  // its rows lie in no memory
  if (ctx && ctx->sharing) {
    Sharing& sharing = *ctx->sharing;
    if (!sharing.late) {
      const std::scoped_lock lock(*sharing.mutex);
      return replay::buffer_service().set_priority(ctx, index, p, n, error);
    }
    if (index && p) {
      sharing.index.insert(sharing.index.end(), index, index + n);
      sharing.priority.insert(sharing.priority.end(), p, p + n);
      return SPAR_OK;
    }
  }
  return replay::buffer_service().set_priority(ctx, index, p, n, error);
}

}  // namespace

void Sharing::settle(replay::Buffer& buffer) {
  if (!index.empty()) buffer.set_priority(index.data(), priority.data(), index.size());
  index.clear();
  priority.clear();
}

const spar_svc_buffer& sampling_service() {
  static constexpr spar_svc_buffer kTable = {sizeof(spar_svc_buffer), 0, size, sample, release, set_priority};
  return kTable;
}

}  // namespace spar::rollout

#include "core/plugin/host_table.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>

#include "core/base/text.hpp"
#include "core/plugin/context.hpp"

namespace spar::plugin {
namespace {

std::string_view view(spar_str text) { return text.ptr ? std::string_view(text.ptr, text.len) : std::string_view(); }

spdlog::level::level_enum spdlog_level(uint32_t level) {
  switch (level) {
    case SPAR_LOG_TRACE:
      return spdlog::level::trace;
    case SPAR_LOG_DEBUG:
      return spdlog::level::debug;
    case SPAR_LOG_INFO:
      return spdlog::level::info;
    case SPAR_LOG_WARN:
      return spdlog::level::warn;
    default:
      return spdlog::level::err;
  }
}

// Nothing throws across the border: a line that cannot be written is lost.
void write_log(spar_ctx* ctx, uint32_t level, spar_str message) noexcept try {
  const std::string text = printable(view(message));
  const std::string scope = printable(ctx ? ctx->name : "plugin");
  if (ctx && ctx->log) {
    (*ctx->log)(scope, std::min<uint32_t>(level, SPAR_LOG_ERROR), text);
  } else {
    spdlog::log(spdlog_level(level), "{}: {}", scope, text);
  }
} catch (...) {
}

void draw_bits(spar_ctx* ctx, uint64_t* dst, uint64_t n) noexcept {
  if (n == 1)
    *dst = ctx->random.bits();
  else
    ctx->random.bits(n, dst);
}
void draw_uniform(spar_ctx* ctx, double* dst, uint64_t n) noexcept {
  if (n == 1)
    *dst = ctx->random.uniform();
  else
    ctx->random.uniforms(n, dst);
}
void draw_normal(spar_ctx* ctx, double* dst, uint64_t n) noexcept { ctx->random.normals(n, dst); }
uint64_t seed_for(spar_ctx* ctx, spar_str purpose) noexcept { return ctx->random.seed_for(view(purpose)); }

}  // namespace

struct HostTable::Host {
  spar_host table{};  ///< first: a pointer to it is a pointer to this object
  std::map<std::string, const void*, std::less<>> services;

  static const void* get_service(const spar_host* host, const char* id) noexcept {
    if (!host || !id) return nullptr;
    const auto& services = reinterpret_cast<const Host*>(host)->services;
    const auto found = services.find(std::string_view(id));
    return found == services.end() ? nullptr : found->second;
  }
};

HostTable::HostTable() : host_(std::make_unique<Host>()) {
  host_->table.struct_size = sizeof(spar_host);
  host_->table.abi_version = SPAR_ABI_VERSION;
  host_->table.name = "spar";
  host_->table.version = SPAR_VERSION;
  host_->table.get_service = Host::get_service;
  offer(SPAR_SVC_LOG, &log_service());
  offer(SPAR_SVC_RNG, &rng_service());
}

HostTable::~HostTable() = default;

void HostTable::offer(std::string id, const void* table) { host_->services[std::move(id)] = table; }

const spar_host* HostTable::host() const { return &host_->table; }

std::vector<std::string> HostTable::services() const {
  std::vector<std::string> out;
  for (const auto& [id, table] : host_->services) out.push_back(id);
  return out;
}

const spar_svc_log& log_service() {
  static constexpr spar_svc_log kTable{sizeof(spar_svc_log), 0, write_log};
  return kTable;
}

const spar_svc_rng& rng_service() {
  static constexpr spar_svc_rng kTable{sizeof(spar_svc_rng), 0, draw_bits, draw_uniform, draw_normal, seed_for};
  return kTable;
}

}  // namespace spar::plugin

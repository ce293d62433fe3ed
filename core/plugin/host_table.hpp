// What plugins see of the host: a `spar_host` whose services are tables that the owner puts in by id.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "spar/abi.h"

namespace spar::plugin {

class HostTable {
 public:
  /// Offers spar.log/1 and spar.rng/1 from the start.
  HostTable();
  ~HostTable();

  /// Adds a service, or replaces it; `table` lives until the last plugin is shut down. Only before the first plugin is
  /// loaded: get_service() may be called from any thread.
  void offer(std::string id, const void* table);

  /// Stays where it is for the life of this object.
  const spar_host* host() const;
  /// Ids of the services, sorted.
  std::vector<std::string> services() const;

 private:
  struct Host;
  std::unique_ptr<Host> host_;
};

/// spar.log/1: control characters are removed, the scope is the instance's name; lines go to the instance's sink
/// (spar_ctx::log) or, without one, to spdlog's default logger.
const spar_svc_log& log_service();

/// spar.rng/1 on spar_ctx::random.
const spar_svc_rng& rng_service();

}  // namespace spar::plugin

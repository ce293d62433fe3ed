// The plugins and services behind the verbs that need them.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "core/config/experiment.hpp"
#include "core/train/plugins.hpp"
#include "core/train/session.hpp"
#include "host/spar/arguments.hpp"

namespace spar::host {

/// Finds the plugins. A verb makes one when it needs it; stays where it is.
class Engine {
 public:
  explicit Engine(const Arguments& arguments);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  plugin::Registry& registry() { return plugins_.registry(); }
  const plugin::HostTable& table() const { return plugins_.table(); }
  train::Host host() {
    train::Host host = plugins_.host();
    host.threads = threads_;
    return host;
  }

 private:
  Plugins plugins_;
  uint32_t threads_;
};

/// `--threads`, but no more than the machine has processors: threads that wait for each other would only cost time.
uint32_t threads_in_use(const Arguments& arguments);
/// A sentence if that is fewer than were asked for, else "".
std::string threads_warning(const Arguments& arguments);

/// SPAR_PRESETS, else <directory of the program>/../share/spar/presets.
std::string preset_directory();

/// The experiment that the words behind the verb mean: the first is a preset or a file unless it is KEY=VALUE, the rest
/// are assignments. Throws E0403 for a second preset or file, and whatever config::load() throws.
config::Sources sources_of(const Arguments& arguments);

/// Room on the disk of `directory` (or of its nearest parent that exists).
uint64_t free_disk(const std::string& directory);

/// Compares with what the machine has. Throws E0405 if the memory is not enough; returns a warning if the disk is
/// short, else "".
std::string check_resources(uint64_t memory_bytes, uint64_t checkpoint_bytes, const std::string& directory);

/// "memory 13.7 MB, checkpoints up to 41 MB".
std::string estimate_text(uint64_t memory_bytes, uint64_t checkpoint_bytes);

}  // namespace spar::host

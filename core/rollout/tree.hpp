// What the game tree of an environment (SPAR_EXT_ENV_TREE) is asked in more than one place.
#pragma once

#include <string>
#include <string_view>

#include "core/rollout/plugin_call.hpp"

namespace spar::rollout {

/// `key`: the bytes of what `agent` knows in row `row` of `self`. Its memory is kept, so that asking again allocates
/// nothing. `name`: of the environment, for messages. Throws E0701.
inline void read_infoset(std::string_view name, const spar_ext_env_tree& tree, spar_env* self, uint64_t row,
                         size_t agent, std::string& key) {
  key.clear();
  const auto append = [](void* to, const void* from, uint64_t n) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(from), n);
    return static_cast<int64_t>(n);
  };
  const spar_stream stream{sizeof(spar_stream), 0, &key, nullptr, append};
  call_plugin(name, "tree.infoset",
              [&](spar_error* e) { return tree.infoset(self, row, static_cast<uint32_t>(agent), &stream, e); });
}

}  // namespace spar::rollout

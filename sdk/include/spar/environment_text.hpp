// An environment in words (spar.env.text/1) from the functions of its author; see environment.hpp.
#pragma once

#include <string>

#include "spar/environment_table.hpp"

namespace spar::detail {

template <class E>
class TextTable {
  using Copies = EnvironmentCopies<E>;
  static Copies& self(spar_env* p) { return *reinterpret_cast<Copies*>(p); }

  static spar_status position(spar_env* p, uint64_t row, uint32_t agent, const spar_stream* stream, spar_error* error) {
    return barrier(error, [&] {
      check(self(p), row, agent);
      write(self(p).model_.text(self(p).states_[row], agent), *stream);
    });
  }

  static spar_status action([[maybe_unused]] spar_env* p, [[maybe_unused]] uint64_t row,
                            [[maybe_unused]] uint32_t agent, [[maybe_unused]] int64_t action,
                            [[maybe_unused]] const spar_stream* stream, spar_error* error) {
    return barrier(error, [&] {
      if constexpr (has_action_name<E>::value) {
        check(self(p), row, agent);
        const Space& space = self(p).world_.agents[agent].act;
        if (action < 0 || action >= space.n()) {
          throw StatusError(SPAR_E_INVALID, "there is no action " + std::to_string(action) + " of agent `" +
                                                self(p).world_.agents[agent].id + "`: expected 0 .. " +
                                                std::to_string(space.n() - 1));
        }
        write(self(p).model_.action_name(self(p).states_[row], agent, action), *stream);
      }
    });
  }

  static void check(const Copies& copies, uint64_t row, uint32_t agent) {
    copies.check_row(row);
    copies.check_started(row);
    if (agent >= copies.world_.agents.size()) {
      throw StatusError(SPAR_E_INVALID, "there is no agent " + std::to_string(agent) + ": the last one is " +
                                            std::to_string(copies.world_.agents.size() - 1));
    }
  }
  static void write(const std::string& text, const spar_stream& stream) {
    StreamWriter(stream).raw(text.data(), text.size());
  }

 public:
  static constexpr spar_ext_env_text kTable = {sizeof(spar_ext_env_text), 0, position,
                                               has_action_name<E>::value ? action : nullptr};
};

}  // namespace spar::detail

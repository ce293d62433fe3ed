// N copies of an environment plugin, driven through nothing but its function table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "spar/abi.h"

namespace spar::test {

/// The component ID of the plugin file NAME.spar.so in the build tree; throws std::runtime_error if there is none.
const spar_component& environment_component(const std::string& plugin, const std::string& id);

using Bytes = std::vector<char>;

/// One column of the host: rows x width numbers of one type.
struct Column {
  std::string name;
  uint8_t code, bits;
  std::vector<int64_t> shape;
  Bytes bytes;
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(bytes.data());
  }
};

/// The columns of one agent and the batches that show them.
struct AgentColumns {
  std::vector<Column> in, out;
  std::vector<spar_column> in_view, out_view;
  spar_batch in_batch{}, out_batch{};
};

/// The value of a parameter: a number or switch, a text, or a list of numbers.
struct Override {
  Override(double value) : number(value) {}
  Override(const char* value) : text(value) {}
  Override(std::vector<double> values) : list(std::move(values)) {}

  double number = 0;
  std::string text;
  std::vector<double> list;
};
using Overrides = std::map<std::string, Override>;

class EnvironmentCopies {
 public:
  /// Parameters have their defaults but for `overrides`, by name. Throws std::runtime_error with the plugin's message
  /// if it refuses. The default host offers no service.
  EnvironmentCopies(const spar_component& component, uint64_t n, const Overrides& overrides = {},
                    const spar_host* host = nullptr);
  ~EnvironmentCopies();
  EnvironmentCopies(const EnvironmentCopies&) = delete;
  EnvironmentCopies& operator=(const EnvironmentCopies&) = delete;

  const spar_world& world() const { return world_; }
  const spar_agent_spec& agent(size_t i = 0) const { return *world_.agents[i]; }

  float* obs(uint64_t row = 0, size_t agent = 0);
  uint64_t obs_width(size_t agent = 0) const;
  float& reward(uint64_t row = 0, size_t agent = 0) { return column(agent, "reward").as<float>()[row]; }
  uint8_t& terminated(uint64_t row = 0, size_t agent = 0) { return column(agent, "terminated").as<uint8_t>()[row]; }
  int64_t& discrete(uint64_t row = 0, size_t agent = 0) { return agents_[agent].in[0].as<int64_t>()[row]; }
  float* box(uint64_t row = 0, size_t agent = 0);
  /// The out column of that name.
  Column& column(size_t agent, const std::string& name);
  AgentColumns& columns(size_t agent) { return agents_[agent]; }

  /// These three throw std::runtime_error with the plugin's message.
  void reset(const uint8_t* mask = nullptr, const uint64_t* seeds = nullptr);
  void reset_all(uint64_t seed);  ///< all copies with that seed
  void step();

  /// The calls themselves; message() is the text of the last failure.
  spar_status try_reset(const uint8_t* mask, const uint64_t* seeds);
  spar_status try_step();
  /// The tree extension; nullptr if the environment has none.
  const spar_ext_env_tree* tree() const { return tree_; }
  /// The text extension; nullptr if the environment has none. text() and action_name() throw std::runtime_error with
  /// the plugin's message; at most `piece` bytes are taken at once.
  const spar_ext_env_text* text_extension() const { return text_; }
  std::string text(uint64_t row, uint32_t agent, size_t piece = SIZE_MAX);
  std::string action_name(uint64_t row, uint32_t agent, int64_t action);
  /// The state extension. `piece`: the most bytes that the stream moves at once.
  const spar_ext_env_state* state() const { return state_; }
  spar_status try_load(uint64_t row, const Bytes& bytes, size_t piece = SIZE_MAX);
  Bytes save(uint64_t row, size_t piece = SIZE_MAX);
  void copy(uint64_t to, uint64_t from);
  const std::string& message() const { return message_; }

  spar_env* handle() const { return self_; }
  const spar_env_vtbl& table() const { return *table_; }
  spar_env_io& io(bool step);

 private:
  spar_status note(spar_status status, const spar_error& error);
  void demand(spar_status status);

  const spar_env_vtbl* table_;
  spar_env* self_ = nullptr;
  spar_world world_{};
  const spar_ext_env_state* state_ = nullptr;
  const spar_ext_env_tree* tree_ = nullptr;
  const spar_ext_env_text* text_ = nullptr;
  uint64_t n_;
  std::vector<AgentColumns> agents_;
  std::vector<const spar_batch*> act_;
  std::vector<spar_batch*> out_;
  spar_env_io io_{};
  std::string message_;
};

}  // namespace spar::test

#include "plugins/environments/environment_copies.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstring>
#include <deque>
#include <stdexcept>

namespace spar::test {
namespace {

uint64_t width_of(const spar_space& space) {
  uint64_t width = 1;
  for (int32_t i = 0; i < space.ndim; ++i) width *= static_cast<uint64_t>(space.shape[i]);
  return width;
}

Column make_column(std::string name, uint8_t code, uint8_t bits, uint64_t rows, uint64_t width) {
  Column column{std::move(name), code, bits, {static_cast<int64_t>(rows)}, Bytes(rows * width * bits / 8)};
  if (width != 1) column.shape.push_back(static_cast<int64_t>(width));
  return column;
}

void show(std::vector<Column>& columns, std::vector<spar_column>& views, spar_batch& batch, uint64_t rows) {
  views.clear();
  for (Column& c : columns) {
    spar_column view{};
    view.name = {c.name.data(), c.name.size()};
    view.t.data = c.bytes.data();
    view.t.device_type = SPAR_DEVICE_CPU;
    view.t.ndim = static_cast<int32_t>(c.shape.size());
    view.t.code = c.code;
    view.t.bits = c.bits;
    view.t.lanes = 1;
    view.t.shape = c.shape.data();
    views.push_back(view);
  }
  batch = {sizeof(spar_batch), static_cast<uint32_t>(views.size()), rows, views.data(), nullptr, nullptr, nullptr};
}

struct Tape {
  Bytes bytes;
  size_t at = 0, piece;
  spar_stream stream() {
    return {sizeof(spar_stream), 0, this,
            [](void* self, void* to, uint64_t n) {
              auto& tape = *static_cast<Tape*>(self);
              const size_t size = std::min({static_cast<size_t>(n), tape.piece, tape.bytes.size() - tape.at});
              if (size > 0) std::memcpy(to, tape.bytes.data() + tape.at, size);
              tape.at += size;
              return static_cast<int64_t>(size);
            },
            [](void* self, const void* from, uint64_t n) {
              auto& tape = *static_cast<Tape*>(self);
              const size_t size = std::min(static_cast<size_t>(n), tape.piece);
              const auto* first = static_cast<const char*>(from);
              tape.bytes.insert(tape.bytes.end(), first, first + size);
              return static_cast<int64_t>(size);
            }};
  }
};

spar_error fresh() {
  spar_error error{};
  error.struct_size = sizeof error;
  return error;
}

Override default_of(const spar_param& param) {
  const boost::json::value value = boost::json::parse(param.default_json);
  if (value.is_bool()) return value.as_bool() ? 1.0 : 0.0;
  if (value.is_string()) return value.as_string().c_str();
  if (!value.is_array()) return value.to_number<double>();
  std::vector<double> list;
  for (const auto& item : value.as_array()) list.push_back(item.to_number<double>());
  return list;
}

/// The values of a component's parameters and what they point to.
struct Values {
  std::deque<Override> given;
  std::deque<std::vector<int64_t>> integers;
  std::vector<spar_value> values;

  void add(const spar_param& param, Override value) {
    given.push_back(std::move(value));
    const Override& kept = given.back();
    spar_value out{param.type, 0, {}};
    if (param.type == SPAR_T_REAL) {
      out.u.r = kept.number;
    } else if (param.type == SPAR_T_STR) {
      out.u.s = {kept.text.data(), kept.text.size()};
    } else if (param.type == SPAR_T_REALS) {
      out.count = static_cast<uint32_t>(kept.list.size());
      out.u.rv = kept.list.data();
    } else if (param.type == SPAR_T_INTS) {
      integers.emplace_back(kept.list.begin(), kept.list.end());
      out.count = static_cast<uint32_t>(kept.list.size());
      out.u.iv = integers.back().data();
    } else {
      out.u.i = static_cast<int64_t>(kept.number);
    }
    values.push_back(out);
  }
};

/// A host without any service.
const spar_host kHost = {sizeof(spar_host), SPAR_ABI_VERSION, "test", "1",
                         [](const spar_host*, const char*) -> const void* { return nullptr; }};

}  // namespace

const spar_component& environment_component(const std::string& plugin, const std::string& id) {
  const std::string path = std::string(SPAR_PLUGINS) + "/" + plugin + ".spar.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  using Entry = const spar_plugin*(uint32_t);
  auto* entry = reinterpret_cast<Entry*>(dlsym(library, SPAR_ENTRY_SYMBOL));
  if (!entry) throw std::runtime_error("`" + path + "` has no entry");
  const spar_plugin* found = entry(SPAR_ABI_VERSION);
  for (uint32_t i = 0; i < found->n_components; ++i) {
    if (found->components[i]->id == id) return *found->components[i];
  }
  throw std::runtime_error("`" + path + "` has no component `" + id + "`");
}

EnvironmentCopies::EnvironmentCopies(const spar_component& component, uint64_t n, const Overrides& overrides,
                                     const spar_host* host)
    : table_(static_cast<const spar_env_vtbl*>(component.vtbl)), n_(n) {
  Values all;
  for (uint32_t i = 0; i < component.n_params; ++i) {
    const spar_param& param = *component.params[i];
    const auto given = overrides.find(param.name);
    all.add(param, given != overrides.end() ? given->second : default_of(param));
  }
  const auto& values = all.values;
  const spar_config config{sizeof(spar_config), static_cast<uint32_t>(values.size()), values.data()};
  spar_error error = fresh();
  demand(note(table_->create(host ? host : &kHost, nullptr, &config, n, &self_, &error), error));
  world_.struct_size = sizeof world_;
  demand(note(table_->describe(self_, &world_, &error), error));
  state_ = static_cast<const spar_ext_env_state*>(table_->get_extension(self_, SPAR_EXT_ENV_STATE));
  tree_ = static_cast<const spar_ext_env_tree*>(table_->get_extension(self_, SPAR_EXT_ENV_TREE));
  text_ = static_cast<const spar_ext_env_text*>(table_->get_extension(self_, SPAR_EXT_ENV_TEXT));

  agents_.resize(world_.n_agents);
  for (uint32_t i = 0; i < world_.n_agents; ++i) {
    const spar_agent_spec& spec = *world_.agents[i];
    AgentColumns& columns = agents_[i];
    if (spec.act->kind == SPAR_SPACE_DISCRETE)
      columns.in.push_back(make_column("action", SPAR_DTYPE_INT, 64, n, 1));
    else
      columns.in.push_back(make_column("action", SPAR_DTYPE_FLOAT, 32, n, width_of(*spec.act)));
    columns.out.push_back(make_column("obs", spec.obs->code, spec.obs->bits, n, width_of(*spec.obs)));
    columns.out.push_back(make_column("reward", SPAR_DTYPE_FLOAT, 32, n, 1));
    columns.out.push_back(make_column("terminated", SPAR_DTYPE_UINT, 8, n, 1));
    for (uint32_t j = 0; j < spec.n_columns; ++j) {
      const std::string name = spec.columns[j];
      const uint64_t width = name == "action_mask" ? static_cast<uint64_t>(spec.act->n) : 1;
      columns.out.push_back(make_column(name, SPAR_DTYPE_UINT, 8, n, width));
    }
    act_.push_back(&columns.in_batch);
    out_.push_back(&columns.out_batch);
  }
}

EnvironmentCopies::~EnvironmentCopies() { table_->destroy(self_); }

float* EnvironmentCopies::obs(uint64_t row, size_t agent) {
  return column(agent, "obs").as<float>() + row * obs_width(agent);
}
uint64_t EnvironmentCopies::obs_width(size_t agent) const { return width_of(*world_.agents[agent]->obs); }
float* EnvironmentCopies::box(uint64_t row, size_t agent) {
  return agents_[agent].in[0].as<float>() + row * width_of(*world_.agents[agent]->act);
}

Column& EnvironmentCopies::column(size_t agent, const std::string& name) {
  for (Column& c : agents_[agent].out) {
    if (c.name == name) return c;
  }
  throw std::runtime_error("no column `" + name + "`");
}

namespace {

/// A stream that takes at most `piece` bytes at once.
struct TextSink {
  spar_stream stream() {
    return {sizeof(spar_stream), 0, this, nullptr, [](void* self, const void* from, uint64_t n) {
              auto& sink = *static_cast<TextSink*>(self);
              const auto taken = std::min<uint64_t>(n, sink.piece);
              sink.text.append(static_cast<const char*>(from), taken);
              return static_cast<int64_t>(taken);
            }};
  }
  size_t piece;
  std::string text;
};

}  // namespace

std::string EnvironmentCopies::text(uint64_t row, uint32_t agent, size_t piece) {
  TextSink sink{piece, {}};
  const spar_stream stream = sink.stream();
  spar_error error = fresh();
  demand(note(text_->position(self_, row, agent, &stream, &error), error));
  return sink.text;
}
std::string EnvironmentCopies::action_name(uint64_t row, uint32_t agent, int64_t action) {
  TextSink sink{SIZE_MAX, {}};
  const spar_stream stream = sink.stream();
  spar_error error = fresh();
  demand(note(text_->action(self_, row, agent, action, &stream, &error), error));
  return sink.text;
}

spar_env_io& EnvironmentCopies::io(bool step) {
  for (AgentColumns& agent : agents_) {
    show(agent.in, agent.in_view, agent.in_batch, n_);
    show(agent.out, agent.out_view, agent.out_batch, n_);
  }
  io_ = {sizeof(spar_env_io), world_.n_agents, step ? act_.data() : nullptr, out_.data(), nullptr};
  return io_;
}

spar_status EnvironmentCopies::try_reset(const uint8_t* mask, const uint64_t* seeds) {
  spar_error error = fresh();
  return note(table_->reset(self_, mask, seeds, &io(false), &error), error);
}
spar_status EnvironmentCopies::try_step() {
  spar_error error = fresh();
  return note(table_->step(self_, &io(true), &error), error);
}
void EnvironmentCopies::reset(const uint8_t* mask, const uint64_t* seeds) { demand(try_reset(mask, seeds)); }
void EnvironmentCopies::reset_all(uint64_t seed) {
  const std::vector<uint64_t> seeds(n_, seed);
  reset(nullptr, seeds.data());
}
void EnvironmentCopies::step() { demand(try_step()); }

spar_status EnvironmentCopies::try_load(uint64_t row, const Bytes& bytes, size_t piece) {
  Tape tape{bytes, 0, piece};
  const spar_stream stream = tape.stream();
  spar_error error = fresh();
  return note(state_->load(self_, row, &stream, &error), error);
}
Bytes EnvironmentCopies::save(uint64_t row, size_t piece) {
  Tape tape{{}, 0, piece};
  const spar_stream stream = tape.stream();
  spar_error error = fresh();
  demand(note(state_->save(self_, row, &stream, &error), error));
  return tape.bytes;
}
void EnvironmentCopies::copy(uint64_t to, uint64_t from) {
  spar_error error = fresh();
  demand(note(state_->copy(self_, to, from, &error), error));
}

spar_status EnvironmentCopies::note(spar_status status, const spar_error& error) {
  message_ = status < 0 ? error.message : "";
  return status;
}
void EnvironmentCopies::demand(spar_status status) {
  if (status < 0) throw std::runtime_error(message_);
}

}  // namespace spar::test

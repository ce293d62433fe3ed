// States of an agent: what is in them, and the way to files and back.
#include "core/checkpoint/state.hpp"

#include <boost/json.hpp>

#include "core/agent/parts.hpp"
#include "core/base/text.hpp"
#include "core/checkpoint/directory.hpp"
#include "core/checkpoint/durable_file.hpp"

namespace spar {
namespace {

using checkpoint::read_state, checkpoint::state_section;

checkpoint::FileSystem& files() {
  static checkpoint::PosixFileSystem instance;  // it has no state
  return instance;
}

std::string manifest(const std::string& kind, const config::Component& algorithm) {
  return boost::json::serialize(boost::json::object{
      {"kind", kind}, {"spar", train::kVersion}, {"algorithm", algorithm.id}, {"version", algorithm.version}});
}

/// Throws E1004 unless the state says that it is of this kind.
void check_kind(const checkpoint::Checkpoint& state, const std::string& kind) {
  boost::system::error_code problem;
  const boost::json::value found = boost::json::parse(state.manifest, problem);
  const auto* object = problem ? nullptr : found.if_object();
  const auto* name = object ? object->if_contains("kind") : nullptr;
  if (name && name->is_string() && name->get_string() == kind) return;
  const std::string other = name && name->is_string()
                                ? "a state of kind `" + printable(std::string(name->get_string())) + "`"
                                : "a checkpoint of something else, perhaps of a run";
  throw Error("E1004", Exit::usage, "this is " + other + ", expected one of kind `" + kind + "`");
}

void write(const std::filesystem::path& file, const checkpoint::Checkpoint& state) {
  const checkpoint::Encoded encoded(state);
  checkpoint::write_durably(files(), file, encoded.pieces(), "state of the agent");
}

replay::Buffer& memory_of(rollout::Learner& learner) {
  if (!learner.buffer())
    throw Error("E1003", Exit::usage,
                learner.label() + " wants no memory of the host, so there is none to save or set");
  return *learner.buffer();
}

}  // namespace

void Agent::Parts::save(AgentState& state) const {
  state.step = env_steps;
  state.manifest = manifest("agent", *recipe.options.component);
  state.sections.push_back(state_section("agent", [&](ByteWriter& w) { save_recipe(recipe, w); }));
  state.sections.push_back(state_section("loop", [&](ByteWriter& w) {
    for (const uint64_t count : {env_steps, updates, episodes, pending, chosen_rows}) w.put(count);
    w.array<double>(returns);
    w.array<double>(recent_returns);
    w.array<uint64_t>(lengths);
    w.array<uint8_t>(first);
    w.array<std::byte>(chosen);
    w.array<std::byte>(handed_out);
    w.put(warm_up.state());
  }));
  state.sections.push_back(state_section("metrics", [&](ByteWriter& w) { metrics.save(w); }));
  state.sections.push_back(state_section("params", [&](ByteWriter& w) { store.save(w); }));
  state.sections.push_back(state_section("strategy", [&](ByteWriter& w) { strategy->save(w); }));
  state.sections.push_back(state_section("learner", [&](ByteWriter& w) { learner->save(w); }));
}

void Agent::Parts::load(const AgentState& state) {
  read_state(state, "loop", [&](ByteReader& r) {
    for (uint64_t* count : {&env_steps, &updates, &episodes, &pending, &chosen_rows}) *count = r.get<uint64_t>();
    r.array<double>(returns);
    recent_returns = r.vector<double>();
    r.array<uint64_t>(lengths);
    r.array<uint8_t>(first);
    r.array<std::byte>(chosen);
    r.array<std::byte>(handed_out);
    warm_up.restore(r.get<Philox::State>());
  });
  read_state(state, "metrics", [&](ByteReader& r) { metrics.load(r); });
  read_state(state, "params", [&](ByteReader& r) { store.load(r); });
  read_state(state, "strategy", [&](ByteReader& r) { strategy->load(r); });
  read_state(state, "learner", [&](ByteReader& r) { learner->load(r); });
  budget.advance_to(env_steps);
}

AgentState Agent::get_state() const {
  parts_->check_good(true);
  AgentState state;
  parts_->save(state);
  return state;
}

Agent Agent::from_state(Plugins& plugins, const AgentState& state) {
  check_kind(state, "agent");
  std::unique_ptr<Parts> parts;
  read_state(state, "agent", [&](ByteReader& r) { parts = std::make_unique<Parts>(plugins, load_recipe(plugins, r)); });
  parts->load(state);
  return Agent(std::move(parts));
}

Agent Agent::from_state(Plugins& plugins, const std::filesystem::path& file) {
  Agent agent = from_state(plugins, checkpoint::read_checkpoint(files(), file));
  agent.parts_->last_file = file;
  return agent;
}

void Agent::load_state(const AgentState& state) {
  check_kind(state, "agent");
  ByteReader reader(state.section("agent").data, "agent");
  check_same(load_recipe(parts_->plugins, reader), parts_->recipe);
  // Beside the old one, so that a state that turns out to be bad changes nothing.
  auto fresh = std::make_unique<Parts>(parts_->plugins, parts_->recipe);
  fresh->load(state);
  fresh->last_file = parts_->last_file;
  parts_ = std::move(fresh);
}

void Agent::load_state(const std::filesystem::path& file) {
  load_state(checkpoint::read_checkpoint(files(), file));
  parts_->last_file = file;
}

void Agent::save_state(const std::filesystem::path& file) const {
  write(file, get_state());
  parts_->last_file = file;
}

BufferState Agent::get_buffer() const {
  BufferState state;
  state.step = parts_->env_steps;
  state.manifest = manifest("buffer", *parts_->recipe.options.component);
  state.sections.push_back(state_section("buffer", [&](ByteWriter& w) { memory_of(*parts_->learner).save(w); }));
  return state;
}

void Agent::set_buffer(const BufferState& state) {
  check_kind(state, "buffer");
  replay::Buffer& memory = memory_of(*parts_->learner);
  read_state(state, "buffer", [&](ByteReader& r) { memory.load(r); });
}

void Agent::save_buffer(const std::filesystem::path& file) const { write(file, get_buffer()); }

void Agent::load_buffer(const std::filesystem::path& file) { set_buffer(checkpoint::read_checkpoint(files(), file)); }

NetworkState Agent::state_dict() const { return parts_->learner->named_tensors(); }

void Agent::set_network(const NetworkState& state) { parts_->learner->set_named_tensors(state); }

}  // namespace spar

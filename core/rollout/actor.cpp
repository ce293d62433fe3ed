#include "core/rollout/actor.hpp"

#include <algorithm>

#include "core/rollout/learner.hpp"
#include "core/rollout/plugin_call.hpp"
#include "core/rollout/streams.hpp"

namespace spar::rollout {

Actor::Actor(const LearnerSetup& setup, uint32_t number, uint32_t actors)
    : label_(std::string("algorithm `") + setup.component->id + "`, actor " + std::to_string(number)),
      table_(static_cast<const spar_algo_vtbl*>(setup.component->vtbl)),
      first_lane_(setup.lanes * number / actors),
      end_lane_(setup.lanes * (number + 1) / actors),
      networks_(
          backend_opener(*setup.host, setup.load, setup.name + "/actor/" + std::to_string(number), setup.root_seed)) {
  ctx_.name = setup.name + "/actor/" + std::to_string(number);
  ctx_.root_seed = setup.root_seed;
  ctx_.random = Philox(setup.root_seed, ctx_.name);
  ctx_.networks = &networks_;
  ctx_.budget = setup.budget;

  spar_algo_setup algo_setup{};
  algo_setup.struct_size = sizeof algo_setup;
  algo_setup.role = SPAR_ROLE_ACT;
  algo_setup.agent = setup.agent->spec;
  algo_setup.actor = number;
  algo_setup.n_actors = actors;
  algo_setup.max_rows = setup.lanes;
  call_plugin(label_, "create",
              [&](spar_error* e) { return table_->create(setup.host, &ctx_, setup.config, &algo_setup, &self_, e); });
}

Actor::~Actor() {
  if (self_) table_->destroy(self_);
}

void Actor::act(const spar_act& how, const Batch& obs, const Batch& actions, uint64_t first, uint64_t rows,
                const uint64_t* lane) {
  const spar_batch* in = obs.rows(first, rows, lane, seen_);
  spar_batch* out = actions.rows(first, rows, lane, chosen_);
  call_plugin(label_, "act", [&](spar_error* e) { return table_->act(self_, &how, in, out, e); });
}

void Actor::take(const params::Snapshot& snapshot) {
  for (const auto& [name, network] : networks_.networks()) {
    const auto found = std::find_if(snapshot.tensors.begin(), snapshot.tensors.end(),
                                    [&key = name](const params::Tensor& t) { return t.name == key; });
    if (found == snapshot.tensors.end() || found->data.size() != network->bytes(SPAR_NET_VALUES)) {
      throw Error("E0501", Exit::failed,
                  label_ + ": snapshot " + std::to_string(snapshot.version) + " of the parameters has no network `" +
                      name + "` of " + network->shape());
    }
    network->write(SPAR_NET_VALUES, found->data.data(), found->data.size());
  }
  version_ = snapshot.version;
}

void Actor::save(ByteWriter& writer) const {
  networks_.save(writer);
  writer.put(version_);
  writer.put(ctx_.random.state());
  OutStream stream;
  if (table_->save) call_plugin(label_, "save", [&](spar_error* e) { return table_->save(self_, stream.abi(), e); });
  writer.array<std::byte>(stream.bytes);
}

void Actor::load(ByteReader& reader) {
  networks_.load(reader);
  version_ = reader.get<uint64_t>();
  ctx_.random.restore(reader.get<Philox::State>());
  InStream stream(reader.vector<std::byte>());
  if (table_->load) call_plugin(label_, "load", [&](spar_error* e) { return table_->load(self_, stream.abi(), e); });
}

}  // namespace spar::rollout

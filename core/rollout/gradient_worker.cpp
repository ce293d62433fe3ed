#include "core/rollout/gradient_worker.hpp"

#include "core/rollout/learner.hpp"
#include "core/rollout/plugin_call.hpp"
#include "core/rollout/streams.hpp"
#include "core/train/metrics.hpp"

namespace spar::rollout {

GradientWorker::GradientWorker(const LearnerSetup& setup, size_t number, replay::Buffer& buffer,
                               const Transforms& transforms, const nn::NetworkSet& master)
    : label_(std::string("algorithm `") + setup.component->id + "`"),
      table_(static_cast<const spar_algo_vtbl*>(setup.component->vtbl)),
      networks_(
          backend_opener(*setup.host, setup.load, setup.name + "/worker/" + std::to_string(number), setup.root_seed)),
      reader_(
          buffer.make_reader(Philox(setup.root_seed, setup.name + "/worker/" + std::to_string(number) + "/replay"))) {
  ctx_.name = setup.name + "/worker/" + std::to_string(number);
  ctx_.root_seed = setup.root_seed;
  ctx_.random = Philox(setup.root_seed, ctx_.name);
  ctx_.networks = &networks_;
  ctx_.buffer = &buffer;
  ctx_.reader = &reader_;
  ctx_.sharing = &sharing_;
  ctx_.transforms = &transforms;
  ctx_.params = setup.params;
  ctx_.metrics = setup.worker_metrics[number - 1];
  ctx_.budget = setup.budget;

  spar_algo_setup algo_setup{};
  algo_setup.struct_size = sizeof algo_setup;
  algo_setup.role = SPAR_ROLE_TRAIN;
  algo_setup.agent = setup.agent->spec;
  algo_setup.n_actors = 1;
  algo_setup.max_rows = setup.max_rows;
  algo_setup.lanes = setup.lanes;
  call_plugin(label_, "create",
              [&](spar_error* e) { return table_->create(setup.host, &ctx_, setup.config, &algo_setup, &self_, e); });
  try {
    networks_.copy_values_from(master);
  } catch (...) {
    table_->destroy(self_);
    throw;
  }
}

GradientWorker::~GradientWorker() { table_->destroy(self_); }

void GradientWorker::learn(uint64_t step) {
  call_plugin(label_, "learn", [&](spar_error* e) { return table_->learn(self_, step, e); });
  if (metrics().broken()) throw Error("E0302", Exit::failed, label_ + " has a metric that is not finite");
}

std::vector<std::byte> GradientWorker::own_state() const {
  OutStream stream;
  if (table_->save) call_plugin(label_, "save", [&](spar_error* e) { return table_->save(self_, stream.abi(), e); });
  return std::move(stream.bytes);
}

uint64_t GradientWorker::saved_bytes() const {
  constexpr uint64_t kGenerators = 512;
  return networks_.saved_bytes() + own_state().size() + kGenerators;
}

void GradientWorker::save(ByteWriter& writer) const {
  networks_.save(writer);
  writer.put(ctx_.random.state());
  writer.put(reader_.random.state());
  writer.put(sharing_.sampled);
  writer.array<std::byte>(own_state());
}

void GradientWorker::load(ByteReader& reader) {
  networks_.load(reader);
  ctx_.random.restore(reader.get<Philox::State>());
  reader_.random.restore(reader.get<Philox::State>());
  sharing_.sampled = reader.get<uint64_t>();
  InStream stream(reader.vector<std::byte>());
  if (table_->load) call_plugin(label_, "load", [&](spar_error* e) { return table_->load(self_, stream.abi(), e); });
}

}  // namespace spar::rollout

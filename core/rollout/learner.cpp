#include "core/rollout/learner.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/hash.hpp"
#include "core/base/memory.hpp"
#include "core/base/text.hpp"
#include "core/rollout/actions.hpp"
#include "core/rollout/plugin_call.hpp"
#include "core/rollout/sampling.hpp"
#include "core/rollout/streams.hpp"
#include "core/rollout/tensors.hpp"
#include "core/train/budget.hpp"

namespace spar::rollout {
namespace {

constexpr const char* kOwnState = "own_state";

std::string text(const char* s) { return s ? s : ""; }

/// Needs that no run could serve are the plugin's fault; say which.
void check_needs(const spar_needs& needs, const std::string& label) {
  const auto refuse = [&label](const std::string& problem) {
    throw Error("E0708", Exit::crash, label + " needs " + problem);
  };
  if (needs.buffer_kind > SPAR_BUF_ROLLOUT)
    refuse("a buffer of kind " + std::to_string(needs.buffer_kind) + ", which this host does not know");
  if (needs.buffer_kind == SPAR_BUF_ROLLOUT && needs.rows_per_learn == 0)
    refuse("a rollout of 0 rows, expected at least 1");
  if (needs.buffer_kind != SPAR_BUF_NONE && needs.buffer_kind != SPAR_BUF_ROLLOUT && needs.capacity == 0) {
    refuse("a replay memory of 0 transitions, expected at least 1");
  }
  if (needs.learn_every == 0 || needs.updates == 0) refuse("learn_every = 0 or updates = 0, expected at least 1");
  if (!(needs.gamma >= 0 && needs.gamma <= 1)) refuse("a discount outside [0, 1]");
  if (needs.n_extra > 0) refuse("columns of its own (needs.extra), which this host does not offer yet");
}

void check_masks(const AgentPort& agent, uint32_t flags, const std::string& label) {
  if (agent.mask < 0 || (flags & SPAR_ALGO_HONOURS_MASK)) return;
  throw Error(
      "E0705", Exit::usage,
      label + " does not honour action masks, and agent `" + agent.id + "` allows only some of its actions at a time")
      .help("choose an algorithm that does, for instance ppo");
}

void check_central(uint32_t flags, const std::string& label) {
  if (flags & SPAR_ALGO_CENTRAL_CRITIC) return;
  throw Error("E0705", Exit::usage, label + " has no central critic, which the strategy asks for")
      .help("choose an algorithm that has one (ddpg, d3pg, d4pg, sac or ppo), or another mode of the strategy team");
}

}  // namespace

void add_seen_columns(Batch& seen, const AgentPort& agent) {
  for (const Leaf& leaf : agent.leaves) seen.add(leaf.column, leaf.code, leaf.bits, leaf.shape);
  seen.add("first", SPAR_DTYPE_UINT, 8, {});
  if (agent.mask >= 0) seen.add("action_mask", SPAR_DTYPE_UINT, 8, {agent.action.n});
}

Asked::Asked(const AgentPort& agent, uint64_t rows) : obs(rows), actions(rows) {
  add_seen_columns(obs, agent);
  std::fill_n(obs.data<uint8_t>(agent.leaves.size()), rows, uint8_t{1});
  add_action_column(actions, agent.action);
}

Learner::Learner(const LearnerSetup& setup)
    : label_(std::string("algorithm `") + setup.component->id + "`"),
      table_(static_cast<const spar_algo_vtbl*>(setup.component->vtbl)),
      agent_(setup.agent),
      networks_(backend_opener(*setup.host, setup.load, setup.name, setup.root_seed),
                // Where other threads work too, large products are not shared out.
                setup.worker_metrics.empty() ? setup.crew : nullptr),
      beside_(setup.beside),
      crew_(setup.crew) {
  check_masks(*agent_, table_->flags, label_);
  if (setup.central) check_central(table_->flags, label_);
  ctx_.name = setup.name;
  ctx_.root_seed = setup.root_seed;
  ctx_.random = Philox(setup.root_seed, setup.name);
  ctx_.networks = &networks_;
  ctx_.transforms = &transforms_;
  ctx_.central = setup.central;
  ctx_.params = setup.params;
  ctx_.metrics = setup.metrics;
  ctx_.budget = setup.budget;
  ctx_.crew = setup.worker_metrics.empty() ? setup.crew : nullptr;

  spar_algo_setup algo_setup{};
  algo_setup.struct_size = sizeof algo_setup;
  algo_setup.role = SPAR_ROLE_TRAIN;
  algo_setup.agent = agent_->spec;
  algo_setup.n_actors = 1;
  algo_setup.max_rows = setup.max_rows;
  algo_setup.lanes = setup.lanes;
  if (setup.central) {
    algo_setup.state = setup.central->state();
    algo_setup.joint_width = setup.central->joint_width();
    algo_setup.own_offset = setup.central->own_offset();
  }
  const uint64_t before = allocated_memory();
  call_plugin(label_, "create",
              [&](spar_error* e) { return table_->create(setup.host, &ctx_, setup.config, &algo_setup, &self_, e); });
  made_bytes_ = allocated_since(before);
  try {
    needs_.struct_size = sizeof needs_;
    call_plugin(label_, "needs", [&](spar_error* e) { return table_->needs(self_, &needs_, e); });
    check_needs(needs_, label_);
    if (needs_.buffer_kind != SPAR_BUF_NONE) {
      replay::BufferSpec spec = replay::buffer_spec(needs_, *agent_->spec, setup.lanes);
      if (setup.central && setup.central->keeps_state())
        spec.observed.push_back(replay::observation_columns(*setup.central->state(), "state").front());
      buffer_ = std::make_unique<replay::Buffer>(std::move(spec), Philox(setup.root_seed, setup.name + "/replay"));
      ctx_.buffer = buffer_.get();
    }
    transforms_.observation =
        ObservationTransform(TransformSpec::parse(text(needs_.state_transform), "state_transform"), agent_->leaves);
    transforms_.reward = RewardTransform(TransformSpec::parse(text(needs_.reward_transform), "reward_transform"),
                                         needs_.gamma, setup.lanes);
    acting_ = transforms_.observation;
    if (!setup.worker_metrics.empty()) make_workers(setup);
    if (needs_.actors > 1 || beside_) make_actors(setup);
    if (setup.central) setup.central->sit(*this);
  } catch (...) {
    table_->destroy(self_);
    throw;
  }
}

Learner::~Learner() {
  workers_.reset();
  table_->destroy(self_);
}

void Learner::make_actors(const LearnerSetup& setup) {
  const uint32_t number = std::max(needs_.actors, 1U);
  if (beside_) check_beside();
  const std::string wanted = label_ + " wants " + std::to_string(number) + " parallel actors";
  if (learns_outside_networks()) {
    throw Error(
        "E0708", Exit::crash,
        wanted + " and keeps what it learns outside the host's networks (SPAR_ALGO_HOSTED_NETWORKS is not set)");
  }
  if (setup.lanes < number) {
    throw Error("E0711", Exit::usage,
                wanted + " and can have " + std::to_string(setup.lanes) +
                    ": one for each agent that it plays in each copy of the environment")
        .help("raise env.count, or ask for fewer actors (num_workers of d4pg)");
  }
  actors_key_ = ctx_.name + "/actors";
  const uint64_t before = allocated_memory();
  for (uint32_t i = 0; i < number; ++i) {
    actors_.push_back(std::make_unique<Actor>(setup, i, number));
    actors_.back()->networks().copy_values_from(networks_);
  }
  made_bytes_ += allocated_since(before);
}

void Learner::make_workers(const LearnerSetup& setup) {
  const std::string wish = (setup.worker_metrics.size() > 1 ? "several learners cannot share what they learn: "
                                                            : "actors cannot run beside the learner: ") +
                           label_;
  const std::string help = "set `learners` of the strategy to 1 and its `mode` to \"bsp\"";
  if (needs_.buffer_kind == SPAR_BUF_ROLLOUT)
    throw Error("E0308", Exit::usage, wish + " learns from what its newest policy did, not from a replay memory")
        .help(help + "; env.shards and --threads step its environments at the same time");
  if (!buffer_) throw Error("E0308", Exit::usage, wish + " has no memory that they could draw from").help(help);
  if (learns_outside_networks())
    throw Error("E0308", Exit::usage,
                wish + " keeps what it learns outside the host's networks (SPAR_ALGO_HOSTED_NETWORKS is not set)")
        .help(help);
  const uint64_t before = allocated_memory();
  workers_ = std::make_unique<GradientWorkers>(setup, networks_, *buffer_, transforms_);
  made_bytes_ += allocated_since(before);
}

std::unique_lock<std::mutex> Learner::lock_memory() const {
  return workers_ ? workers_->lock_memory() : std::unique_lock<std::mutex>();
}

/// Not every algorithm can do without acting by what it has just learnt.
void Learner::check_beside() const {
  const std::string wish = "actors cannot run beside the learner: " + label_;
  const std::string help = "leave `overlap` of the strategy out";
  if (needs_.buffer_kind == SPAR_BUF_ROLLOUT)
    throw Error("E0308", Exit::usage, wish + " learns from what its newest policy did")
        .help(help + "; env.shards and --threads step its environments at the same time");
  if (learns_outside_networks())
    throw Error("E0308", Exit::usage,
                wish + " keeps what it learns outside the host's networks (SPAR_ALGO_HOSTED_NETWORKS is not set)")
        .help(help);
}

void Learner::act(uint32_t mode, uint64_t step, Batch& obs, Batch& actions, uint64_t rows, const uint64_t* lane,
                  double epsilon) {
  if (mode == SPAR_MODE_EXPLORE) watch(obs, rows);
  transform(transforms_.observation, obs, rows);
  const spar_act how{sizeof(spar_act), mode, epsilon, step};
  if (mode == SPAR_MODE_EXPLORE && !actors_.empty()) return explore(how, obs, actions, rows, lane);
  const spar_batch* in = obs.view(rows, lane);
  spar_batch* out = actions.view(rows, lane);
  call_plugin(label_, "act", [&](spar_error* e) { return table_->act(self_, &how, in, out, e); });
}

void Learner::act_target(Asked& asked, uint64_t rows, std::span<const uint64_t> lanes, Philox& random) {
  const spar_act how{sizeof(spar_act), SPAR_MODE_TARGET, std::numeric_limits<double>::quiet_NaN(), 0};
  const auto ask = [&](uint64_t first, uint64_t n) {
    const spar_batch* in = asked.obs.rows(first, n, lanes.data(), asked.in);
    spar_batch* out = asked.actions.rows(first, n, lanes.data(), asked.out);
    call_plugin(label_, "act", [&](spar_error* e) { return table_->act(self_, &how, in, out, e); });
  };
  std::swap(ctx_.random, random);
  try {
    for (uint64_t first = 0; first < rows; first += lanes.size())
      ask(first, std::min<uint64_t>(lanes.size(), rows - first));
  } catch (...) {
    std::swap(ctx_.random, random);
    throw;
  }
  std::swap(ctx_.random, random);
}

void Learner::show(float* obs, uint64_t rows) const {
  if (transforms_.observation.active()) transforms_.observation.apply(0, obs, rows);
}

void Learner::act_beside(uint64_t step, Batch& obs, Batch& actions, uint64_t rows, const uint64_t* lane) {
  transform(acting_, obs, rows);
  explore({sizeof(spar_act), SPAR_MODE_EXPLORE, std::numeric_limits<double>::quiet_NaN(), step}, obs, actions, rows,
          lane);
}

void Learner::transform(const ObservationTransform& by, Batch& obs, uint64_t rows) const {
  if (!by.active()) return;
  for (size_t leaf = 0; leaf < agent_->leaves.size(); ++leaf) by.apply(leaf, obs.data<float>(leaf), rows);
}

/// Every actor its own rows. They share nothing that an action could depend on.
void Learner::explore(const spar_act& how, Batch& obs, Batch& actions, uint64_t rows, const uint64_t* lane) {
  const auto act = [&](size_t i) {
    Actor& actor = *actors_[i];
    const uint64_t* first = std::lower_bound(lane, lane + rows, actor.first_lane());
    const uint64_t* end = std::lower_bound(first, lane + rows, actor.end_lane());
    if (first != end)
      actor.act(how, obs, actions, static_cast<uint64_t>(first - lane), static_cast<uint64_t>(end - first), first);
  };
  if (crew_) return crew_->run(actors_.size(), act);
  for (size_t i = 0; i < actors_.size(); ++i) act(i);
}

void Learner::refresh_actors() {
  if (actors_.empty()) return;
  if (beside_) {
    acting_ = transforms_.observation;
    if (workers_) {
      for (const auto& actor : actors_) workers_->read(actor->networks());
      return;
    }
    for (const auto& actor : actors_) actor->networks().copy_values_from(networks_);
    return;
  }
  params::Store& store = *ctx_.params;
  store.publish_into(actors_key_, [this](std::vector<params::Tensor>& tensors) {
    size_t i = 0;
    for (const auto& [name, unused] : actors_.front()->networks().networks()) {
      const nn::Network& network = *networks_.find(name);
      const uint64_t bytes = network.bytes(SPAR_NET_VALUES);
      if (tensors.size() == i) {
        tensors.push_back({name, SPAR_DTYPE_FLOAT, 32, {static_cast<int64_t>(bytes / sizeof(float))}, {}});
        tensors.back().data.resize(bytes);
      }
      network.read(SPAR_NET_VALUES, tensors[i++].data.data(), bytes);
    }
  });
  for (const auto& actor : actors_) {
    if (const auto snapshot = store.fetch(actors_key_, actor->version())) actor->take(*snapshot);
  }
}

void Learner::watch(const Batch& obs, uint64_t rows) {
  if (!transforms_.observation.active()) return;
  const auto lock = lock_memory();
  for (size_t leaf = 0; leaf < agent_->leaves.size(); ++leaf)
    transforms_.observation.observe(leaf, obs.data<float>(leaf), rows);
}

void Learner::watch(const std::vector<const void*>& leaves, uint64_t rows) {
  const auto lock = lock_memory();
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
    transforms_.observation.observe(leaf, static_cast<const float*>(leaves[leaf]), rows);
}

void Learner::learn(uint64_t step) {
  if (workers_)
    workers_->learn(step);
  else
    call_plugin(label_, "learn", [&](spar_error* e) { return table_->learn(self_, step, e); });
  if (!ctx_.central) after_learn();
}

void Learner::after_learn() {
  if (buffer_) buffer_->after_learn();
}

void Learner::learn_from(uint64_t step, const spar_batch& batch) {
  Given given{batch};
  ctx_.given = &given;
  try {
    call_plugin(label_, "learn", [&](spar_error* e) { return table_->learn(self_, step, e); });
  } catch (const Error&) {
    ctx_.given = nullptr;
    if (given.wanted == 0) throw;
    throw Error("E1002", Exit::usage,
                "the batch has " + std::to_string(batch.rows) + " rows, expected " + std::to_string(given.wanted) +
                    ": that is how many " + label_ + " learns from");
  }
  ctx_.given = nullptr;
  if (!given.taken)
    throw Error("E1003", Exit::usage, label_ + " does not sample when it learns, so no batch can be given to it");
  refresh_actors();
}

double Learner::loss(Loss which, const spar_batch& batch) {
  const spar_ext_algo_losses* losses = nullptr;
  if (SPAR_HAS(table_, spar_algo_vtbl, get_extension))
    losses = static_cast<const spar_ext_algo_losses*>(table_->get_extension(self_, SPAR_EXT_ALGO_LOSSES));
  spar_status (*function)(spar_algo*, const spar_batch*, double*, spar_error*) = nullptr;
  if (losses && which == Loss::policy && SPAR_HAS(losses, spar_ext_algo_losses, policy)) function = losses->policy;
  if (losses && which == Loss::value && SPAR_HAS(losses, spar_ext_algo_losses, value)) function = losses->value;
  const std::string name = which == Loss::policy ? "policy" : "value";
  if (!function) throw Error("E1003", Exit::usage, label_ + " offers no " + name + " loss");

  const Philox::State before = ctx_.random.state();  // a loss may draw; nothing may come of it
  double value = 0;
  spar_error error;
  error.struct_size = sizeof error;
  error.message[0] = '\0';
  const spar_status status = function(self_, &batch, &value, &error);
  ctx_.random.restore(before);
  if (status == SPAR_E_INVALID) throw Error("E1002", Exit::usage, label_ + ": " + printable(error.message));
  if (status < 0) fail_call(label_, name + "_loss", status, error);
  return value;
}

void Learner::remember(const StepView& step, uint64_t rows) {
  if (!buffer_) return;
  const auto lock = lock_memory();
  const float* reward = step.reward;
  if (transforms_.reward.active()) {
    rewards_.assign(step.reward, step.reward + rows);
    transforms_.reward.on_step(rewards_.data(), step.ended, step.lane, rows);
    reward = rewards_.data();
  }
  replay::StepRows out;
  out.rows = rows;
  out.lane = step.lane;
  out.observed = step.obs;
  out.acted = {&step.action, 1};
  out.next = step.next_obs;
  out.reward = reward;
  out.terminated = step.terminated;
  out.truncated = step.truncated;
  buffer_->append(out);
}

void Learner::cut() {
  if (buffer_) buffer_->cut();
  transforms_.reward.cut();
}

std::vector<params::Tensor> Learner::named_tensors() const {
  std::vector<params::Tensor> tensors = tensors_of(networks_);
  if (!learns_outside_networks()) return tensors;
  std::vector<std::byte> own = own_state();
  tensors.push_back({kOwnState, SPAR_DTYPE_UINT, 8, {static_cast<int64_t>(own.size())}, std::move(own)});
  return tensors;
}

void Learner::set_named_tensors(std::vector<params::Tensor> tensors) {
  std::vector<std::byte> own;
  if (learns_outside_networks()) {
    const auto found =
        std::find_if(tensors.begin(), tensors.end(), [](const params::Tensor& t) { return t.name == kOwnState; });
    if (found == tensors.end())
      throw Error("E1004", Exit::usage,
                  std::string("the network state does not fit: tensor `") + kOwnState + "` is missing");
    own = std::move(found->data);
    tensors.erase(found);
  }
  set_tensors(networks_, tensors);
  if (learns_outside_networks()) restore_own_state(std::move(own));
  if (workers_) workers_->pull_all();
  refresh_actors();
}

uint64_t Learner::stored_rows() const {
  const uint64_t steps = ctx_.budget ? ctx_.budget->total().value_or(needs_.capacity) : needs_.capacity;
  return std::min(needs_.capacity, steps);
}

uint64_t Learner::memory_bytes() const {
  // At least values, gradients and two moments of every network; two snapshots take turns in the parameter store; the
  // networks are saved, hashed and looked at by way of a copy of one vector.
  uint64_t bytes = std::max(made_bytes_, networks_.parameter_count() * 4 * sizeof(float)) + 2 * published_bytes();
  uint64_t largest = 0;
  for (const auto& [name, network] : networks_.networks()) largest = std::max(largest, network->bytes(SPAR_NET_VALUES));
  bytes += largest;
  if (ctx_.central) bytes += ctx_.central->bytes_with(needs_.rows_per_learn);
  if (!buffer_) return bytes;
  const uint64_t rows = stored_rows();
  const uint64_t batches = workers_ ? workers_->size() : 1;
  return bytes +
         buffer_->bytes_with(rows, needs_.buffer_kind == SPAR_BUF_ROLLOUT ? rows : batches * needs_.rows_per_learn);
}

uint64_t Learner::published_bytes() const {
  return actors_.empty() ? 0 : actors_.front()->networks().parameter_count() * sizeof(float);
}

uint64_t Learner::saved_bytes() const {
  constexpr uint64_t kGenerators = 4096;  // and what else is small
  uint64_t bytes = networks_.saved_bytes() + own_state().size() + kGenerators;
  for (const auto& actor : actors_) bytes += actor->networks().saved_bytes() + kGenerators;
  if (workers_) bytes += workers_->saved_bytes();
  return bytes + (buffer_ ? buffer_->saved_bytes(stored_rows()) : 0);
}

std::string Learner::parameters_sha256() const {
  std::string networks = networks_.sha256();
  if (!learns_outside_networks()) return networks;
  const std::vector<std::byte> own = own_state();
  Sha256 hash;
  hash.update(std::as_bytes(std::span(networks)));
  hash.update(own);
  return hash.hex();
}

std::vector<std::byte> Learner::own_state() const {
  OutStream stream;
  if (table_->save) call_plugin(label_, "save", [&](spar_error* e) { return table_->save(self_, stream.abi(), e); });
  return std::move(stream.bytes);
}

void Learner::restore_own_state(std::vector<std::byte> state) {
  InStream stream(std::move(state));
  if (table_->load) call_plugin(label_, "load", [&](spar_error* e) { return table_->load(self_, stream.abi(), e); });
}

void Learner::save_policy(ByteWriter& writer) const {
  networks_.save(writer);
  transforms_.observation.save(writer);
  writer.array<std::byte>(own_state());
}

void Learner::save(ByteWriter& writer) const {
  save_policy(writer);
  writer.put(ctx_.random.state());
  transforms_.reward.save(writer);
  if (buffer_) buffer_->save(writer);
  for (const auto& actor : actors_) actor->save(writer);
  if (beside_) acting_.save(writer);
  if (ctx_.central) writer.put(ctx_.central->random().state());
  if (workers_) workers_->save(writer);
}

void Learner::load(ByteReader& reader) {
  networks_.load(reader);
  transforms_.observation.load(reader);
  restore_own_state(reader.vector<std::byte>());
  ctx_.random.restore(reader.get<Philox::State>());
  transforms_.reward.load(reader);
  if (buffer_) buffer_->load(reader);
  for (const auto& actor : actors_) actor->load(reader);
  if (beside_) acting_.load(reader);
  if (ctx_.central) ctx_.central->random().restore(reader.get<Philox::State>());
  if (workers_) workers_->load(reader);
}

void Learner::load_policy(ByteReader& reader) {
  networks_.load(reader);
  transforms_.observation.load(reader);
  std::vector<std::byte> state = reader.vector<std::byte>();
  if (learns_outside_networks()) restore_own_state(std::move(state));
}

void Learner::take_policy(ByteReader& reader) {
  load_policy(reader);
  if (workers_) workers_->pull_all();
  refresh_actors();
}

}  // namespace spar::rollout

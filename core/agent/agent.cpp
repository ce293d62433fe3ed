#include "core/agent/agent.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/agent/parts.hpp"
#include "core/rollout/actions.hpp"
#include "core/rollout/sampling.hpp"
#include "core/run/statistics.hpp"
#include "core/train/follow.hpp"
#include "core/train/session.hpp"

namespace spar {
namespace {

spar_agent_spec make_spec(Recipe& recipe) {
  spar_agent_spec spec{};
  spec.struct_size = sizeof spec;
  spec.id = recipe.settings.name.c_str();
  spec.obs = recipe.spaces.observation.abi();
  spec.act = recipe.spaces.action.abi();
  static const char* const kMask[] = {"action_mask"};
  if (recipe.spaces.masked) {
    spec.n_columns = 1;
    spec.columns = kMask;
  }
  return spec;
}

ColumnType type_of(const rollout::Space& action) {
  if (action.kind == SPAR_SPACE_DISCRETE) return {SPAR_DTYPE_INT, 64, {}};
  return {SPAR_DTYPE_FLOAT, 32, action.shape};
}

const ColumnType kNumber{SPAR_DTYPE_FLOAT, 32, {}}, kFlag{SPAR_DTYPE_UINT, 8, {}};

uint32_t abi_mode(Mode mode) {
  return mode == Mode::explore ? SPAR_MODE_EXPLORE : mode == Mode::greedy ? SPAR_MODE_GREEDY : SPAR_MODE_SAMPLE;
}

}  // namespace

Agent::Parts::Parts(Plugins& from, Recipe what)
    : plugins(from),
      recipe(std::move(what)),
      spec(make_spec(recipe)),
      port(rollout::make_port(spec, "Agent::create()", recipe.settings.max_rows)),
      obs_type{port.leaves[0].code, port.leaves[0].bits, port.leaves[0].shape},
      action_type(type_of(port.action)),
      mask_type{SPAR_DTYPE_UINT, 8, {port.action.n}},
      budget(recipe.settings.steps),
      crew(recipe.settings.threads),
      warm_up(recipe.settings.seed, "rollout/warm_up"),
      seen(recipe.settings.max_rows),
      actions(recipe.settings.max_rows) {
  const train::Host host = plugins.host();
  const AgentSettings& settings = recipe.settings;
  const config::ConfigView options(recipe.options);
  rollout::LearnerSetup setup;
  setup.name = "learner/" + settings.name;
  setup.host = host.table.host();
  setup.component = &host.registry.load(SPAR_KIND_ALGO, recipe.algorithm);
  setup.load = train::loader_in(host.registry);
  setup.config = options.get();
  setup.agent = &port;
  setup.lanes = settings.copies;
  setup.max_rows = settings.max_rows;
  setup.root_seed = settings.seed;
  setup.params = &store;
  setup.metrics = &metrics;
  setup.budget = &budget;
  setup.crew = &crew;
  try {
    learner = std::make_unique<rollout::Learner>(setup);
  } catch (const Error& error) {
    if (error.code() != "E0702" || settings.steps) throw;
    throw Error(error).help("schedules are a share of the setting `steps`, which was left out");
  }

  const spar_component& component = host.registry.load(SPAR_KIND_STRATEGY, settings.strategy);
  const config::Options defaults = config::default_options(
      std::make_shared<const config::Component>(host.registry.schema(SPAR_KIND_STRATEGY, settings.strategy)));
  const config::ConfigView view_of_defaults(defaults);
  const spar_agent_spec* const agents[] = {&spec};
  const spar_world world{sizeof(spar_world), 1, agents, settings.copies, 0, nullptr};
  strategy = std::make_unique<train::Strategy>(*setup.host, component, *view_of_defaults.get(), world, settings.seed);
  train::refuse_beside(*strategy, "an agent in a loop of your own");
  train::refuse_workers(*strategy, "an agent in a loop of your own");

  rollout::add_seen_columns(seen, port);
  rollout::add_action_column(actions, port.action);
  for (uint64_t lane = 0; lane < settings.max_rows; ++lane) lanes.push_back(lane);
  returns.assign(settings.copies, 0.0);
  lengths.assign(settings.copies, 0);
  first.assign(settings.copies, 1);
  recent_returns.reserve(train::kRecentReturns);
  no.assign(settings.copies, 0);
  ended.assign(settings.copies, 0);
  for (auto* bytes : {&chosen, &handed_out, &acted}) bytes->resize(settings.copies * action_bytes());
  view.lane = lanes.data();
  view.obs.resize(port.observed.size());
  view.next_obs.resize(port.observed.size());
  return_metric = metrics.define("episode/return", SPAR_METRIC_MEAN, "");
  length_metric = metrics.define("episode/length", SPAR_METRIC_MEAN, "steps");
  follow();  // as a run does before its first step
}

uint64_t Agent::Parts::follow() {
  const uint64_t before = updates;
  const auto standing = [this] {
    return train::standing_of(0, *learner, env_steps, updates, store.version(recipe.settings.name), recent_returns);
  };
  const auto push = [this] { store.publish(recipe.settings.name, learner->named_tensors()); };
  pending = train::follow(
      *strategy, recipe.settings.name, standing, [this](uint64_t n) { learn(n); }, push);
  if (pending == 0) pending = ~uint64_t{0};  // the strategy is done: what comes is stored, and not learnt from
  return updates - before;
}

void Agent::Parts::learn(uint64_t times) {
  for (uint64_t i = 0; i < times; ++i) {
    try {
      learner->learn(env_steps);
    } catch (const Error&) {
      check_good();  // a loss that is not finite says more than the gradient norm that was refused for it
      throw;
    }
    ++updates;
    check_good();
  }
  learner->refresh_actors();  // parallel actors are in step with what was just learnt
}

void Agent::Parts::check_mask_of(std::string_view what, const Numbers& mask, uint64_t rows, const uint8_t* over) const {
  if (port.mask >= 0) return check_mask(what, mask, mask_type, rows, over);
  if (mask.size > 0)
    throw Error("E1001", Exit::usage, std::string(what) + " is given, and this agent was made without masks")
        .help("set `masked` in its spaces");
}

void Agent::Parts::check_good(bool networks) const {
  std::string problem = metrics.broken() ? metrics.broken_text() : "";
  const nn::Network* broken = networks && problem.empty() ? learner->networks().not_finite() : nullptr;
  if (broken) problem = "the network `" + broken->name() + "` is not finite at step " + std::to_string(env_steps);
  if (problem.empty()) return;
  throw Error("E0302", Exit::failed,
              problem + "; " +
                  (last_file.empty() ? "no state of this agent was saved to a file"
                                     : "the last state that was saved is " + last_file.string()))
      .help(train::kDivergedHelp);
}

Agent::Agent(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Agent::Agent(Agent&&) noexcept = default;
Agent& Agent::operator=(Agent&&) noexcept = default;
Agent::~Agent() = default;

Agent Agent::create(Plugins& plugins, std::string_view algorithm, const Spaces& spaces, const AgentOptions& options,
                    const AgentSettings& settings) {
  return Agent(std::make_unique<Parts>(plugins, make_recipe(plugins, algorithm, spaces, options, settings)));
}

Actions Agent::act(const Numbers& obs, const ActOptions& options) {
  Parts& p = *parts_;
  const ColumnType& type = p.obs_type;
  const uint64_t rows = std::max<uint64_t>(1, obs.size / type.width());
  const bool explore = options.mode == Mode::explore;
  const uint64_t most = explore ? p.recipe.settings.copies : p.recipe.settings.max_rows;
  check_numbers("act(): `obs`", obs, type, rows);
  if (rows > most)
    throw Error("E1001", Exit::usage,
                "act(): `obs` has " + std::to_string(rows) + " rows, expected at most " + std::to_string(most) +
                    (explore ? ", one for each copy" : ", the setting max_rows"));
  if (options.epsilon < 0 || options.epsilon > 1)
    throw Error("E1001", Exit::usage,
                "act(): epsilon is " + std::to_string(options.epsilon) + ", expected a probability");

  p.check_mask_of("act(): `mask`", options.mask, rows);
  const uint8_t* mask = p.port.mask >= 0 ? reinterpret_cast<const uint8_t*>(options.mask.bytes) : nullptr;

  std::memcpy(p.seen.bytes(0), obs.bytes, obs.size_bytes());
  if (explore && p.env_steps < p.learner->needs().warmup && std::isnan(options.epsilon)) {
    p.learner->watch(p.seen, rows);
    rollout::uniform_actions(p.port.action, p.actions, rows, p.warm_up, mask);
  } else {
    auto* first = p.seen.data<uint8_t>(1);
    for (uint64_t i = 0; i < rows; ++i) first[i] = explore && p.first[i];
    if (mask) std::memcpy(p.seen.bytes(2), mask, options.mask.size_bytes());
    p.learner->act(abi_mode(options.mode), p.env_steps, p.seen, p.actions, rows, p.lanes.data(), options.epsilon);
  }
  rollout::send_actions(p.actions, rows, nullptr, p.port, p.learner->label(), mask);

  if (options.mode != Mode::greedy && rows <= p.recipe.settings.copies) {
    p.chosen_rows = rows;
    std::memcpy(p.chosen.data(), p.actions.bytes(0), rows * p.action_bytes());
    std::memcpy(p.handed_out.data(), p.port.in->bytes(0), rows * p.action_bytes());
  }
  if (p.port.action.kind == SPAR_SPACE_DISCRETE) return {{p.port.in->data<int64_t>(0), rows}, {}};
  return {{}, {p.port.in->data<float>(0), rows * p.action_type.width()}};
}

uint64_t Agent::step(const Transition& t) {
  const uint8_t terminated = t.terminated, truncated = t.truncated;
  return step(
      Transitions{t.obs, t.action, {&t.reward, 1}, t.next_obs, {&terminated, 1}, {&truncated, 1}, t.mask, t.next_mask});
}

uint64_t Agent::step(const Transitions& t) {
  Parts& p = *parts_;
  const uint64_t rows = p.recipe.settings.copies;
  const size_t bytes = p.action_bytes();
  check_numbers("step(): `obs`", t.obs, p.obs_type, rows);
  check_numbers("step(): `next_obs`", t.next_obs, p.obs_type, rows);
  check_numbers("step(): `action`", t.action, p.action_type, rows);
  check_numbers("step(): `reward`", t.reward, kNumber, rows);
  check_numbers("step(): `terminated`", t.terminated, kFlag, rows);
  if (!t.truncated.empty()) check_numbers("step(): `truncated`", t.truncated, kFlag, rows);
  p.check_mask_of("step(): `mask`", t.mask, rows);
  p.check_mask_of("step(): `next_mask`", t.next_mask, rows, t.terminated.data());
  p.check_good();
  for (uint64_t i = 0; i < rows; ++i) {
    std::byte* to = p.acted.data() + i * bytes;
    const bool same =
        i < p.chosen_rows && std::memcmp(t.action.bytes + i * bytes, p.handed_out.data() + i * bytes, bytes) == 0;
    if (same)
      std::memcpy(to, p.chosen.data() + i * bytes, bytes);
    else
      from_environment("step(): `action`", p.port.action, t.action, i, to);
  }
  if (p.port.mask >= 0) check_allowed("step(): `action`", t.action, t.mask, p.port.action.n, rows);

  const uint8_t* truncated = t.truncated.empty() ? p.no.data() : t.truncated.data();
  for (uint64_t i = 0; i < rows; ++i) p.ended[i] = t.terminated[i] || truncated[i];
  p.view.obs[0] = t.obs.bytes;
  p.view.next_obs[0] = t.next_obs.bytes;
  if (p.port.mask >= 0) {
    p.view.obs[1] = t.mask.bytes;
    p.view.next_obs[1] = t.next_mask.bytes;
  }
  p.view.action = p.acted.data();
  p.view.reward = t.reward.data();
  p.view.terminated = t.terminated.data();
  p.view.truncated = truncated;
  p.view.ended = p.ended.data();
  p.learner->remember(p.view, rows);

  for (uint64_t i = 0; i < rows; ++i) {
    p.returns[i] += t.reward[i];
    ++p.lengths[i];
    if (!p.ended[i]) continue;
    p.metrics.record(p.return_metric, p.env_steps, p.returns[i]);
    p.metrics.record(p.length_metric, p.env_steps, static_cast<double>(p.lengths[i]));
    ++p.episodes;
    train::remember_return(p.recent_returns, p.returns[i]);
    p.returns[i] = 0;
    p.lengths[i] = 0;
  }
  p.first = p.ended;
  p.env_steps += rows;
  p.budget.advance_to(p.env_steps);
  p.pending -= std::min(p.pending, rows);
  return p.pending == 0 ? p.follow() : 0;
}

void Agent::learn(const TransitionBatch& batch) {
  Parts& p = *parts_;
  p.check_good();
  const GivenBatch given("learn()", batch, p.port, p.learner->needs(), p.learner->transforms());
  try {
    p.learner->learn_from(p.env_steps, given.abi());
  } catch (const Error&) {
    p.check_good();
    throw;
  }
  ++p.updates;
  p.check_good();
}

uint64_t Agent::train() {
  Parts& p = *parts_;
  p.check_good();
  const spar_needs& needs = p.learner->needs();
  const bool rollout = needs.buffer_kind == SPAR_BUF_ROLLOUT;
  const uint64_t least = needs.buffer_kind == SPAR_BUF_NONE ? 0 : rollout ? 1 : needs.rows_per_learn;
  if (p.learner->buffer_rows() < least)
    throw Error("E1003", Exit::usage,
                "train(): the memory holds " + std::to_string(p.learner->buffer_rows()) +
                    " transitions, expected at least " + std::to_string(least));
  const uint64_t before = p.updates;
  p.learn(rollout ? 1 : needs.updates);
  p.follow();  // a rollout that was used up is to be collected anew
  return p.updates - before;
}

double Agent::compute_policy_loss(const TransitionBatch& batch) {
  Parts& p = *parts_;
  const GivenBatch given("compute_policy_loss()", batch, p.port, p.learner->needs(), p.learner->transforms());
  return p.learner->loss(rollout::Learner::Loss::policy, given.abi());
}

double Agent::compute_value_loss(const TransitionBatch& batch) {
  Parts& p = *parts_;
  const GivenBatch given("compute_value_loss()", batch, p.port, p.learner->needs(), p.learner->transforms());
  return p.learner->loss(rollout::Learner::Loss::value, given.abi());
}

void Agent::reset() {
  Parts& p = *parts_;
  p.learner->cut();
  std::fill(p.returns.begin(), p.returns.end(), 0.0);
  std::fill(p.lengths.begin(), p.lengths.end(), 0);
  std::fill(p.first.begin(), p.first.end(), 1);
  p.chosen_rows = 0;
}

void Agent::reset_agent() { parts_ = std::make_unique<Parts>(parts_->plugins, parts_->recipe); }

}  // namespace spar

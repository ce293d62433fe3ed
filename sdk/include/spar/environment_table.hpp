// From an author's environment (see environment.hpp) to the function table of the contract.
#pragma once

#include <cmath>
#include <memory>
#include <type_traits>

#include "spar/context.hpp"
#include "spar/environment.hpp"
#include "spar/environment_traits.hpp"
#include "spar/stream.hpp"

namespace spar::detail {

template <class E>
class TreeTable;
template <class E>
class TextTable;

/// The copies of one environment instance. A call that is refused because of its arguments changes nothing.
template <class E>
class EnvironmentCopies {
  friend class TreeTable<E>;
  friend class TextTable<E>;
  using State = typename E::State;
  using Action = typename E::Action;
  using Observation = typename E::Observation;
  static constexpr bool kDiscrete = std::is_same_v<Action, int64_t>;
  static_assert(kDiscrete || std::is_same_v<Action, const float*>,
                "Action is int64_t (DISCRETE) or const float* (BOX)");

 public:
  EnvironmentCopies(const Context& ctx, const typename E::Config& config, uint64_t n)
      : ctx_(ctx),
        model_(make_environment<E>(ctx, config)),
        world_(model_.world()),
        states_(n),
        randoms_(n),
        started_(n, 0),
        unstarted_(n) {
    if (n == 0) throw StatusError(SPAR_E_INVALID, "an environment needs at least 1 copy, found 0");
    const size_t agents = world_.agents.size();
    if (agents == 0) throw StatusError(SPAR_E_INVALID, "an environment needs at least 1 agent, found 0");
    if (steps_alone<E>::value && agents > 1)
      throw StatusError(SPAR_E_INVALID,
                        "step() takes the action of 1 agent, but world() lists " + std::to_string(agents));
    columns_.resize(agents);
    actions_.resize(agents);
    outcomes_.resize(has_step_all<E>::value ? n : agents);
    if constexpr (has_acting<E>::value) optional_.push_back("acting");
    if constexpr (has_alive<E>::value) optional_.push_back("alive");
    if constexpr (has_action_mask<E>::value) optional_.push_back("action_mask");
    if constexpr (E::kTruncates) optional_.push_back("truncated");
    for (AgentSpaces& agent : world_.agents) check_spaces(agent);
    check_central_state();
    for (AgentSpaces& agent : world_.agents) {
      specs_.push_back({sizeof(spar_agent_spec), 0, agent.id.c_str(), agent.obs.abi(), agent.act.abi(),
                        static_cast<uint32_t>(optional_.size()), 0, optional_.data()});
    }
    for (const spar_agent_spec& spec : specs_) spec_pointers_.push_back(&spec);
  }

  spar_world describe() {
    return {sizeof(spar_world), static_cast<uint32_t>(specs_.size()),        spec_pointers_.data(), states_.size(),
            world_.time_limit,  world_.state ? world_.state->abi() : nullptr};
  }

  /// Writes the observation (and acting, alive, action_mask) of the rows concerned; reward and flags keep the values of
  /// the step that ended the episode.
  void reset(const uint8_t* mask, const uint64_t* seeds, const spar_env_io& io) {
    bind_outputs(io, false);
    for (uint64_t row = 0; row < states_.size(); ++row) {
      if (mask && !mask[row]) continue;
      if (seeds)
        randoms_[row] = NumpyRandom(seeds[row]);
      else if (!started_[row])
        randoms_[row] = NumpyRandom(ctx_.seed_for("environment") + row);
      model_.reset(states_[row], randoms_[row]);
      start(row);
      observe(row);
    }
  }

  void step(const spar_env_io& io) {
    if (unstarted_ > 0) {
      throw StatusError(SPAR_E_STATE, "step before reset: " + std::to_string(unstarted_) + " of " +
                                          std::to_string(states_.size()) + " copies were never reset");
    }
    bind_outputs(io, true);
    bind_actions(io);
    if constexpr (has_step_all<E>::value) return step_together();
    for (uint64_t row = 0; row < states_.size(); ++row) {
      if constexpr (steps_alone<E>::value) {
        write(columns_[0], row, model_.step(states_[row], action(columns_[0], row), randoms_[row]));
      } else {
        for (size_t agent = 0; agent < columns_.size(); ++agent) {
          actions_[agent] = action(columns_[agent], row);
          outcomes_[agent] = Outcome{};
        }
        model_.step(states_[row], actions_.data(), outcomes_.data(), randoms_[row]);
        for (size_t agent = 0; agent < columns_.size(); ++agent) write(columns_[agent], row, outcomes_[agent]);
      }
      observe(row);
    }
  }

  /// Layout: u64 bytes of State (0 if the author saves it), the State, the 48 bytes of NumpyRandom.
  void save(uint64_t row, StreamWriter& out) const {
    check_row(row);
    check_started(row);
    if constexpr (saves_copies<E>::value) {
      out.put<uint64_t>(0);
      model_.save(states_[row], out);
    } else {
      out.put<uint64_t>(sizeof(State));
      out.put(states_[row]);
    }
    out.put(randoms_[row]);
  }

  /// Leaves the copy as it was if the stream ends early, has another layout, or holds an impossible state.
  void load(uint64_t row, StreamReader& in) {
    check_row(row);
    const uint64_t expected = saves_copies<E>::value ? 0 : sizeof(State);
    const auto found = in.get<uint64_t>();
    if (found != expected) {
      throw StatusError(SPAR_E_INVALID, "the saved state of `" + std::string(E::id) + "` holds " +
                                            std::to_string(found) + " bytes, expected " + std::to_string(expected) +
                                            "; was it saved by another version?");
    }
    State state{};
    if constexpr (saves_copies<E>::value)
      model_.load(state, in);
    else
      in.raw(&state, sizeof state);
    const auto random = in.get<NumpyRandom>();
    if constexpr (has_valid<E>::value) {
      if (!model_.valid(state))
        throw StatusError(SPAR_E_INVALID, "the saved state of `" + std::string(E::id) +
                                              "` is impossible under this configuration; was it saved under another?");
    }
    states_[row] = std::move(state);
    randoms_[row] = random;
    start(row);
  }

  void copy(uint64_t to, uint64_t from) {
    check_row(to);
    check_row(from);
    check_started(from);
    if (to == from) return;
    if constexpr (std::is_copy_assignable_v<State>) {
      states_[to] = states_[from];
      randoms_[to] = randoms_[from];
      start(to);
    } else {
      MemoryStream memory;
      const spar_stream stream = memory.stream();
      StreamWriter out(stream);
      save(from, out);
      StreamReader in(stream);
      load(to, in);
    }
  }

 private:
  struct Columns {
    Matrix<Observation> obs;
    Matrix<float> reward, action_box;
    Matrix<int64_t> action_discrete;
    Matrix<uint8_t> terminated, truncated, acting, alive, mask;
  };

  static void check_spaces(const AgentSpaces& agent) {
    const auto refuse = [&agent](const char* what) {
      throw StatusError(SPAR_E_INVALID, "agent `" + agent.id + "`: " + what);
    };
    if (agent.act.kind() != (kDiscrete ? SPAR_SPACE_DISCRETE : SPAR_SPACE_BOX))
      refuse("the action space does not fit `Action` (int64_t: discrete, const float*: box)");
    if (!kDiscrete && agent.act.bits() != 32) refuse("a box of actions holds float32 numbers");
    if (agent.obs.kind() != SPAR_SPACE_BOX) refuse("an observation is a box or an image");
    if (agent.obs.code() != dtype_code<Observation>() || agent.obs.bits() != 8 * sizeof(Observation))
      refuse("the observation space does not fit `Observation` (float: box, uint8_t: image)");
  }

  void check_central_state() const {
    if (world_.state.has_value() != has_central_state<E>::value)
      throw StatusError(SPAR_E_INVALID, "a central state needs both World::state and central_state()");
    if (!world_.state) return;
    const Space& state = *world_.state;
    if (state.kind() != SPAR_SPACE_BOX || state.code() != SPAR_DTYPE_FLOAT || state.bits() != 32)
      throw StatusError(SPAR_E_INVALID, "a central state is a box of float32");
  }

  template <class T>
  Matrix<T> bind(const spar_batch* batch, size_t agent, const char* name, uint64_t width, bool required) const {
    const std::string& id = world_.agents[agent].id;
    if (!batch) throw StatusError(SPAR_E_INVALID, "agent `" + id + "` has no batch for its column `" + name + "`");
    const spar_column* found = find_column(*batch, name);
    if (!found) {
      if (!required) return {};
      throw StatusError(SPAR_E_INVALID, "the batch of agent `" + id + "` has no column `" + name + "`");
    }
    const Matrix<T> result = matrix<T>(*found, batch->rows);
    if (result.rows != states_.size() || result.width != width) {
      throw StatusError(SPAR_E_INVALID, "column `" + std::string(name) + "` of agent `" + id + "` is " +
                                            std::to_string(result.rows) + " x " + std::to_string(result.width) +
                                            ", expected " + std::to_string(states_.size()) + " copies x " +
                                            std::to_string(width));
    }
    return result;
  }

  void bind_outputs(const spar_env_io& io, bool stepping) {
    if (io.n_agents != columns_.size()) {
      throw StatusError(SPAR_E_INVALID, "the call brings " + std::to_string(io.n_agents) + " agents, expected " +
                                            std::to_string(columns_.size()));
    }
    central_ = {};
    if (has_central_state<E>::value && io.shared) {
      central_ = optional_column<float>(*io.shared, "state");
      if (central_.data && (central_.rows != states_.size() || central_.width != world_.state->width()))
        throw StatusError(SPAR_E_INVALID, "column `state` is " + std::to_string(central_.rows) + " x " +
                                              std::to_string(central_.width) + ", expected " +
                                              std::to_string(states_.size()) + " copies x " +
                                              std::to_string(world_.state->width()));
    }
    for (size_t agent = 0; agent < columns_.size(); ++agent) {
      Columns& c = columns_[agent];
      const spar_batch* out = io.out[agent];
      c.obs = bind<Observation>(out, agent, "obs", world_.agents[agent].obs.width(), true);
      if (stepping) {
        c.reward = bind<float>(out, agent, "reward", 1, true);
        c.terminated = bind<uint8_t>(out, agent, "terminated", 1, true);
        if constexpr (E::kTruncates) c.truncated = bind<uint8_t>(out, agent, "truncated", 1, false);
      }
      if constexpr (has_acting<E>::value) c.acting = bind<uint8_t>(out, agent, "acting", 1, false);
      if constexpr (has_alive<E>::value) c.alive = bind<uint8_t>(out, agent, "alive", 1, false);
      if constexpr (has_action_mask<E>::value) {
        const auto choices = static_cast<uint64_t>(world_.agents[agent].act.n());
        c.mask = bind<uint8_t>(out, agent, "action_mask", choices, false);
      }
    }
  }

  /// Also refuses actions that are no element of their space (a box only NaN and infinities: its bounds are the host's
  /// to apply), before the first copy moves.
  void bind_actions(const spar_env_io& io) {
    if (!io.act) throw StatusError(SPAR_E_INVALID, "step needs one batch of actions per agent, found none");
    for (size_t agent = 0; agent < columns_.size(); ++agent) {
      const Space& space = world_.agents[agent].act;
      if constexpr (kDiscrete) {
        const auto actions = bind<int64_t>(io.act[agent], agent, "action", 1, true);
        columns_[agent].action_discrete = actions;
        uint64_t outside = 0;  // without a branch, in vectors: nearly always there is none
        for (uint64_t row = 0; row < actions.rows; ++row)
          outside |= static_cast<uint64_t>(actions.data[row]) >= static_cast<uint64_t>(space.n());
        for (uint64_t row = 0; outside != 0 && row < actions.rows; ++row) {
          if ((actions(row) < 0 || actions(row) >= space.n()) && moves(row, agent))
            refuse_action(agent, row, std::to_string(actions(row)), "0 .. " + std::to_string(space.n() - 1));
        }
      } else {
        const auto actions = bind<float>(io.act[agent], agent, "action", space.width(), true);
        columns_[agent].action_box = actions;
        for (uint64_t i = 0; i < actions.rows * actions.width; ++i) {
          if (!std::isfinite(actions.data[i]) && moves(i / actions.width, agent))
            refuse_action(agent, i / actions.width, std::to_string(actions.data[i]), "a finite number");
        }
      }
    }
  }

  [[noreturn]] void refuse_action(size_t agent, uint64_t row, const std::string& found, const std::string& expected) {
    throw StatusError(SPAR_E_INVALID, "column `action` of agent `" + world_.agents[agent].id + "`, copy " +
                                          std::to_string(row) + ": expected " + expected + ", found " + found);
  }

  /// Does the action of this agent count? Who is not to move, or no longer in the game, may carry anything.
  bool moves([[maybe_unused]] uint64_t row, [[maybe_unused]] size_t agent) const {
    if constexpr (has_acting<E>::value) {
      if (!model_.acting(states_[row], agent)) return false;
    }
    if constexpr (has_alive<E>::value) {
      if (!model_.alive(states_[row], agent)) return false;
    }
    return true;
  }

  static Action action(const Columns& c, uint64_t row) {
    if constexpr (kDiscrete)
      return c.action_discrete.data[row];
    else
      return c.action_box.row(row);
  }

  void step_together() {
    const Columns c = columns_[0];
    State* const states = states_.data();
    const Outcome* const outcomes = outcomes_.data();
    const uint64_t n = states_.size();
    if constexpr (kDiscrete)
      model_.step_all(states, c.action_discrete.data, outcomes_.data(), randoms_.data(), n);
    else
      model_.step_all(states, c.action_box.data, outcomes_.data(), randoms_.data(), n);
    for (uint64_t row = 0; row < n; ++row) write(c, row, outcomes[row]);
    for (uint64_t row = 0; row < n; ++row) {
      observe_together(row);
      observe_copy(states[row], row, c, 0);
    }
  }

  static void write(const Columns& c, uint64_t row, const Outcome& outcome) {
    c.reward.data[row] = static_cast<float>(outcome.reward);
    c.terminated.data[row] = outcome.terminated;
    if constexpr (E::kTruncates) {
      if (c.truncated.data) c.truncated.data[row] = outcome.truncated;
    }
  }

  void observe(uint64_t row) {
    observe_together(row);
    for (size_t agent = 0; agent < (steps_alone<E>::value ? 1 : columns_.size()); ++agent)
      observe_copy(states_[row], row, columns_[agent], agent);
  }

  void observe_together([[maybe_unused]] uint64_t row) {
    if constexpr (has_central_state<E>::value) {
      if (central_.data) model_.central_state(states_[row], central_.row(row));
    }
  }

  void observe_copy(const State& state, uint64_t row, const Columns& c, [[maybe_unused]] size_t agent) {
    if constexpr (steps_alone<E>::value)
      model_.observe(state, c.obs.row(row));
    else
      model_.observe(state, agent, c.obs.row(row));
    if constexpr (has_acting<E>::value) {
      if (c.acting.data) c.acting.data[row] = model_.acting(state, agent);
    }
    if constexpr (has_alive<E>::value) {
      if (c.alive.data) c.alive.data[row] = model_.alive(state, agent);
    }
    if constexpr (has_action_mask<E>::value) {
      if (c.mask.data) model_.action_mask(state, agent, c.mask.row(row));
    }
  }

  void start(uint64_t row) {
    unstarted_ -= started_[row] ? 0 : 1;
    started_[row] = 1;
  }
  void check_row(uint64_t row) const {
    if (row >= states_.size()) {
      throw StatusError(SPAR_E_INVALID, "there is no copy " + std::to_string(row) + ": the last one is " +
                                            std::to_string(states_.size() - 1));
    }
  }
  void check_started(uint64_t row) const {
    if (!started_[row])
      throw StatusError(SPAR_E_STATE, "copy " + std::to_string(row) + " has no state yet: reset it first");
  }

  Context ctx_;
  E model_;
  World world_;
  std::vector<State> states_;
  std::vector<NumpyRandom> randoms_;
  std::vector<uint8_t> started_;  ///< 1: reset or loaded, so the copy may step
  uint64_t unstarted_;            ///< copies that may not
  std::vector<Columns> columns_;  ///< of the call that runs, by agent
  Matrix<float> central_;         ///< of the call that runs; no data: nobody asks
  std::vector<Action> actions_;
  std::vector<Outcome> outcomes_;  ///< of the agents of a copy or, where step_all() is there, of the copies
  std::vector<const char*> optional_;
  std::vector<spar_agent_spec> specs_;
  std::vector<const spar_agent_spec*> spec_pointers_;
};

template <class E>
struct EnvironmentTable {
  using Copies = EnvironmentCopies<E>;
  static Copies& self(spar_env* p) { return *reinterpret_cast<Copies*>(p); }

  static spar_status create(const spar_host* host, spar_ctx* ctx, const spar_config* config, uint64_t n_envs,
                            spar_env** out, spar_error* error) {
    return barrier(error, [&] {
      auto copies = std::make_unique<Copies>(Context(host, ctx), E::schema().parse(config), n_envs);
      *out = reinterpret_cast<spar_env*>(copies.release());
    });
  }
  static void destroy(spar_env* p) { delete &self(p); }
  static spar_status describe(spar_env* p, spar_world* out, spar_error* error) {
    return barrier(error, [&] {
      const spar_world local = self(p).describe();
      SPAR_STORE(out, local);
    });
  }
  static spar_status reset(spar_env* p, const uint8_t* mask, const uint64_t* seeds, spar_env_io* io,
                           spar_error* error) {
    return barrier(error, [&] { self(p).reset(mask, seeds, *io); });
  }
  static spar_status step(spar_env* p, spar_env_io* io, spar_error* error) {
    return barrier(error, [&] { self(p).step(*io); });
  }
  static const void* get_extension(spar_env*, const char* id) {
    if constexpr (has_state_extension<E>::value) {
      if (std::string_view(id) == SPAR_EXT_ENV_STATE) return &kState;
    }
    if constexpr (has_tree<E>::value) {
      if (std::string_view(id) == SPAR_EXT_ENV_TREE) return &TreeTable<E>::kTable;
    }
    if constexpr (has_text<E>::value) {
      if (std::string_view(id) == SPAR_EXT_ENV_TEXT) return &TextTable<E>::kTable;
    }
    return nullptr;
  }

  static spar_status save(spar_env* p, uint64_t row, const spar_stream* stream, spar_error* error) {
    return barrier(error, [&] {
      StreamWriter out(*stream);
      self(p).save(row, out);
    });
  }
  static spar_status load(spar_env* p, uint64_t row, const spar_stream* stream, spar_error* error) {
    return barrier(error, [&] {
      StreamReader in(*stream);
      self(p).load(row, in);
    });
  }
  static spar_status copy(spar_env* p, uint64_t to, uint64_t from, spar_error* error) {
    return barrier(error, [&] { self(p).copy(to, from); });
  }

  static constexpr spar_ext_env_state kState = {sizeof(spar_ext_env_state), 0, save, load, copy};
  static constexpr spar_env_vtbl kTable = {sizeof(spar_env_vtbl), E::kFlags, create, destroy, describe, reset, step,
                                           get_extension};
};

}  // namespace spar::detail

#include "spar/environment_text.hpp"
#include "spar/environment_tree.hpp"

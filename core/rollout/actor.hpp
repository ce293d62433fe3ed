// A parallel actor: an acting copy of an algorithm (SPAR_ROLE_ACT) with networks, generator and noise of its own. It
// acts in its share of the environment copies; its networks are those of a snapshot from the parameter store.
#pragma once

#include <string>

#include "core/nn/network_set.hpp"
#include "core/params/store.hpp"
#include "core/plugin/context.hpp"
#include "core/rollout/batch.hpp"

namespace spar::rollout {

struct LearnerSetup;

class Actor {
 public:
  /// Number `number` of `actors`. Its stream is "NAME/actor/NUMBER" of the learner's name. Throws E0702 if the
  /// algorithm refuses.
  Actor(const LearnerSetup& setup, uint32_t number, uint32_t actors);
  ~Actor();
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  /// The lanes that it acts in: [first_lane, end_lane).
  uint64_t first_lane() const { return first_lane_; }
  uint64_t end_lane() const { return end_lane_; }

  /// Writes the actions of rows [first, first + rows). Actors of one algorithm may act at the same time.
  void act(const spar_act& how, const Batch& obs, const Batch& actions, uint64_t first, uint64_t rows,
           const uint64_t* lane);

  /// Takes the values of the networks from a snapshot of flat f32 tensors, canonical order. Throws E0501 if one is
  /// missing or has another size.
  void take(const params::Snapshot& snapshot);
  uint64_t version() const { return version_; }  ///< of the snapshot it holds; 0: the learner's first values
  nn::NetworkSet& networks() { return networks_; }
  const nn::NetworkSet& networks() const { return networks_; }

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  std::string label_;
  const spar_algo_vtbl* table_;
  uint64_t first_lane_, end_lane_;
  spar_ctx ctx_;
  nn::NetworkSet networks_;
  uint64_t version_ = 0;
  spar_algo* self_ = nullptr;
  Batch::Rows seen_, chosen_;
};

}  // namespace spar::rollout

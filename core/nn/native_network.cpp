#include "core/nn/native_network.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/nn/init.hpp"
#include "core/nn/network_set.hpp"

namespace spar::nn {

NativeNetwork::NativeNetwork(NetworkSet& owner, Spec source, Philox random, Philox noise)
    : Network(owner, std::move(source)), layout_(spec()) {
  const size_t members = spec().ensemble, size = members * layout_.member;
  for (Floats* vector : {&parameters_.values, &parameters_.gradients, &parameters_.moment1, &parameters_.moment2})
    *vector = Floats(size);
  parameters_.squares.assign((size + kSquareBlock - 1) / kSquareBlock, 0.0);
  std::vector<float> canonical(layout_.parameters);
  const std::vector<LayerShape> layers = layer_shapes(spec());
  for (size_t m = 0; m < members; ++m) {
    initial_values(spec(), layers, random, canonical);
    from_canonical(layout_, canonical.data(), parameters_.values.data() + m * layout_.member);
  }

  if (layout_.sigma > 0) noise_.emplace(layout_, members, noise);
  if (!layout_.joined.empty()) joined_.emplace(layout_, spec().atoms, members);

  slots_.resize(spec().slots + 1);
  if (spec().free_vector()) return;
  const size_t input_rows = padded(spec().max_rows * layout_.input_stride);
  const bool together = owner.crew() != nullptr && owner.crew()->threads() > 1;  // members may run at the same time
  for (size_t s = 0; s < slots_.size(); ++s) {
    slots_[s].apart = s > 0 || together;
    slots_[s].input = Floats(members * input_rows);
    slots_[s].rows = Floats((slots_[s].apart ? members : 1) * layout_.member_rows);
  }
  if (spec().slots == 0) return;
  const size_t copies = owner.crew() != nullptr ? owner.crew()->threads() : 1;
  transposed_ = Floats(copies * members * layout_.member_transposed);
  transposed_version_.assign(copies * members * layout_.layers, 0);
  scratch_.resize(together ? members : 1);
  for (Scratch& scratch : scratch_) {
    for (Floats& rows : scratch.rows) rows = Floats(padded(spec().max_rows * layout_.widest));
    scratch.input = Floats(input_rows);
  }
  input_gradient_sum_ = Floats(input_rows);
}

bool NativeNetwork::take_values(const Network& other) {
  const auto* source = dynamic_cast<const NativeNetwork*>(&other);
  if (source == nullptr) return false;
  std::copy(source->parameters_.values.begin(), source->parameters_.values.end(), parameters_.values.begin());
  changed();
  return true;
}

const Floats* NativeNetwork::vector_of(uint32_t what) const {
  switch (what) {
    case SPAR_NET_VALUES:
      return &parameters_.values;
    case SPAR_NET_GRADIENTS:
      return &parameters_.gradients;
    case SPAR_NET_MOMENT1:
      return &parameters_.moment1;
    case SPAR_NET_MOMENT2:
      return &parameters_.moment2;
    default:
      return nullptr;
  }
}

Floats* NativeNetwork::vector_of(uint32_t what) { return const_cast<Floats*>(std::as_const(*this).vector_of(what)); }

void NativeNetwork::read_numbers(uint32_t what, void* dst) const {
  if (what == SPAR_NET_STEPS) {
    std::memcpy(dst, &parameters_.steps, sizeof parameters_.steps);
    return;
  }
  if (what == SPAR_NET_NOISE) {
    std::memcpy(dst, noise_->drawn().data(), noise_->drawn().size_bytes());
    return;
  }
  const bool moments = what == SPAR_NET_MOMENT1 || what == SPAR_NET_MOMENT2;
  if ((what == SPAR_NET_GRADIENTS && parameters_.no_gradients) || (moments && parameters_.no_moments)) {
    std::memset(dst, 0, bytes(what));
    return;
  }
  const Floats& from = *vector_of(what);
  for (size_t m = 0; m < spec().ensemble; ++m)
    to_canonical(layout_, from.data() + m * layout_.member,
                 static_cast<std::byte*>(dst) + m * layout_.parameters * sizeof(float));
}

void NativeNetwork::write_numbers(uint32_t what, const void* src) {
  if (what == SPAR_NET_STEPS) {
    std::memcpy(&parameters_.steps, src, sizeof parameters_.steps);
    return;
  }
  if (what == SPAR_NET_NOISE) return noise_->set(layout_, src);
  if (what == SPAR_NET_GRADIENTS) parameters_.no_gradients = false;
  if (what == SPAR_NET_MOMENT1 || what == SPAR_NET_MOMENT2) parameters_.no_moments = false;
  Floats& to = *vector_of(what);
  std::fill(to.begin(), to.end(), 0.0f);  // padding too: gradients that are not finite reach it
  for (size_t m = 0; m < spec().ensemble; ++m)
    from_canonical(layout_, static_cast<const std::byte*>(src) + m * layout_.parameters * sizeof(float),
                   to.data() + m * layout_.member);
}

// Weights and biases of one member, as the pass in `slot` uses them.
const float* NativeNetwork::weights_of(const Slot& slot, size_t member) const {
  return slot.quiet ? parameters_.values.data() + member * layout_.member : noise_->weights(layout_, member);
}

const float* NativeNetwork::weights_of(const Slot& slot, size_t member, const Layer& layer) const {
  return layer.joined ? joined_->weights(layout_, member) : weights_of(slot, member);
}

void NativeNetwork::join_heads(const Kernels& kernel, const Slot& slot) {
  if (!joined_) return;
  for (size_t m = 0; m < spec().ensemble; ++m)
    joined_->apply(kernel, layout_, m, parameters_.values.data() + m * layout_.member, slot.quiet ? nullptr : &*noise_,
                   weights_version(slot));
}

float* NativeNetwork::rows_of(Slot& slot, size_t member) const {
  return slot.rows.data() + (slot.apart ? member * layout_.member_rows : 0);
}

// Handing work to another thread takes about a microsecond, and getting what it works on from the cache of another
// processor as long as computing a hundred rows of it. Members that stay with their thread need less.
size_t NativeNetwork::threads_for(size_t rows, size_t multiply_adds, bool whole_members) const {
  constexpr size_t kFewestRows = 192, kFewestMultiplyAdds = 1'000'000;
  const Crew* crew = owner().crew();
  if (crew == nullptr || multiply_adds < kFewestMultiplyAdds || (!whole_members && rows < kFewestRows)) return 1;
  return crew->free_threads();
}

size_t NativeNetwork::threads_for_members(size_t rows) const {
  const size_t members = spec().ensemble, threads = threads_for(rows, members * rows * layout_.member, true);
  return members >= threads ? threads : 1;
}

float* NativeNetwork::input_of(Slot& slot, size_t member) const {
  return slot.input.data() + (slot.member_input ? member * padded(spec().max_rows * layout_.input_stride) : 0);
}

}  // namespace spar::nn

#include "core/nn/network.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/text.hpp"
#include "core/nn/failure.hpp"
#include "core/nn/init.hpp"

namespace spar::nn {

Network::Network(NetworkSet& owner, Spec spec, Philox random, Philox noise)
    : owner_(owner),
      spec_(std::move(spec)),
      shape_(spec_.shape()),
      layout_(spec_),
      out_shape_{static_cast<int64_t>(spec_.out)} {
  const size_t members = spec_.ensemble, size = members * layout_.member;
  for (Floats* vector : {&parameters_.values, &parameters_.gradients, &parameters_.moment1, &parameters_.moment2})
    vector->assign(size, 0.0f);
  std::vector<float> canonical(layout_.parameters);
  for (size_t m = 0; m < members; ++m) {
    initial_values(spec_, layout_, random, canonical);
    from_canonical(layout_, canonical.data(), parameters_.values.data() + m * layout_.member);
  }

  if (layout_.sigma > 0) noise_.emplace(layout_, members, noise);

  slots_.resize(spec_.slots + 1);
  views_.resize(spec_.inputs.size());
  if (spec_.free_vector()) return;
  const size_t input_rows = padded(spec_.max_rows * layout_.input_stride);
  for (size_t s = 0; s < slots_.size(); ++s) {
    slots_[s].input.assign(members * input_rows, 0.0f);
    slots_[s].rows.assign((s == 0 ? 1 : members) * layout_.member_rows, 0.0f);
    slots_[s].per_member.assign(spec_.inputs.size(), 0);
  }
  if (spec_.slots == 0) return;
  transposed_.assign(members * layout_.member_transposed, 0.0f);
  transposed_version_.assign(members * layout_.layers, 0);
  for (Floats& rows : gradient_rows_) rows.assign(padded(spec_.max_rows * layout_.widest), 0.0f);
  input_gradient_.assign(input_rows, 0.0f);
  input_gradient_sum_.assign(input_rows, 0.0f);
}

std::string Network::place() const { return "network `" + printable(spec_.name) + "`: "; }

void Network::resample() {
  if (!noise_)
    throw not_offered(place() +
                      "it has no noisy layers to resample: create it with noisy layers or leave the call out");
  noise_->draw(layout_);
  ++parameters_.version;
}

void Network::restore_noise(const Philox::State& generator, std::span<const float> drawn) {
  noise_->restore(layout_, generator, drawn);
  ++parameters_.version;
}

const Floats* Network::vector_of(uint32_t what) const {
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

Floats* Network::vector_of(uint32_t what) { return const_cast<Floats*>(std::as_const(*this).vector_of(what)); }

uint64_t Network::bytes(uint32_t what) const {
  if (what == SPAR_NET_STEPS) return sizeof(uint64_t);
  if (what == SPAR_NET_NOISE) return noise_ ? noise_->drawn().size() * sizeof(float) : 0;
  return vector_of(what) != nullptr ? parameter_count() * sizeof(float) : 0;
}

namespace {

void check_bytes(const std::string& place, const char* verb, uint32_t what, const void* data, uint64_t found,
                 uint64_t expected) {
  if (what == SPAR_NET_NOISE && expected == 0)
    throw not_offered(place + "it has no noisy layers, so there is no noise to " + verb);
  if (expected == 0)
    throw invalid(place + "there is nothing number " + std::to_string(what) + " to " + verb +
                  ", expected one of SPAR_NET_VALUES .. SPAR_NET_NOISE");
  if (found != expected || data == nullptr)
    throw invalid(place + "asked to " + verb + " " + std::to_string(data == nullptr ? 0 : found) + " bytes, expected " +
                  std::to_string(expected) + ": ask bytes() first");
}

}  // namespace

void Network::read(uint32_t what, void* dst, uint64_t size) const {
  const uint64_t expected = bytes(what);
  if (expected == 0 || size != expected || dst == nullptr) check_bytes(place(), "read", what, dst, size, expected);
  if (what == SPAR_NET_STEPS) {
    std::memcpy(dst, &parameters_.steps, sizeof parameters_.steps);
    return;
  }
  if (what == SPAR_NET_NOISE) {
    std::memcpy(dst, noise_->drawn().data(), size);
    return;
  }
  const Floats& from = *vector_of(what);
  for (size_t m = 0; m < spec_.ensemble; ++m)
    to_canonical(layout_, from.data() + m * layout_.member,
                 static_cast<std::byte*>(dst) + m * layout_.parameters * sizeof(float));
}

void Network::write(uint32_t what, const void* src, uint64_t size) {
  const uint64_t expected = bytes(what);
  if (expected == 0 || size != expected || src == nullptr) check_bytes(place(), "write", what, src, size, expected);
  if (what == SPAR_NET_STEPS) {
    std::memcpy(&parameters_.steps, src, sizeof parameters_.steps);
    return;
  }
  if (what == SPAR_NET_NOISE) {
    noise_->set(layout_, src);
    ++parameters_.version;
    return;
  }
  Floats& to = *vector_of(what);
  std::fill(to.begin(), to.end(), 0.0f);  // padding too: gradients that are not finite reach it
  for (size_t m = 0; m < spec_.ensemble; ++m)
    from_canonical(layout_, static_cast<const std::byte*>(src) + m * layout_.parameters * sizeof(float),
                   to.data() + m * layout_.member);
  if (what == SPAR_NET_VALUES) ++parameters_.version;
}

// Weights and biases of one member, as the pass in `slot` uses them.
const float* Network::weights_of(const Slot& slot, size_t member) const {
  return slot.quiet ? parameters_.values.data() + member * layout_.member : noise_->weights(layout_, member);
}

float* Network::rows_of(Slot& slot, uint32_t slot_index, size_t member) const {
  return slot.rows.data() + (slot_index == 0 ? 0 : member * layout_.member_rows);
}

float* Network::input_of(Slot& slot, size_t member) const {
  return slot.input.data() + (slot.member_input ? member * padded(spec_.max_rows * layout_.input_stride) : 0);
}

}  // namespace spar::nn

#include "core/nn/network.hpp"

#include <utility>

#include "core/base/text.hpp"
#include "core/nn/failure.hpp"

namespace spar::nn {

Network::Network(NetworkSet& owner, Spec spec)
    : owner_(owner),
      spec_(std::move(spec)),
      shape_(spec_.shape()),
      passes_(spec_.slots + 1),
      views_(spec_.inputs.size()),
      out_shape_{static_cast<int64_t>(spec_.out)} {
  for (size_t s = 0; s < passes_.size(); ++s) {
    passes_[s].slot = static_cast<uint32_t>(s);
    passes_[s].per_member.assign(spec_.inputs.size(), 0);
  }
}

std::string Network::place() const { return "network `" + printable(spec_.name) + "`: "; }

void Network::check_rows(size_t rows) const {
  if (rows < 1 || rows > spec_.max_rows)
    throw invalid(place() + "forward of " + std::to_string(rows) + " rows, expected 1 to " +
                  std::to_string(spec_.max_rows) + " (its max_rows)");
}

void Network::forward(uint32_t slot, uint32_t flags, const spar_tensor* const* x, const spar_tensor* y) {
  if (slot > spec_.slots)
    throw invalid(place() + "forward into slot " + std::to_string(slot) + ", expected 0 to " +
                  std::to_string(spec_.slots) + ": create it with more slots");
  if ((flags & ~static_cast<uint32_t>(SPAR_NET_QUIET)) != 0)
    throw invalid(place() + "forward with flags " + std::to_string(flags) + ", expected 0 or SPAR_NET_QUIET");
  Pass& pass = passes_[slot];
  pass.version = 0;
  pass.quiet = (flags & SPAR_NET_QUIET) != 0;
  if (!spec_.free_vector()) take_input(pass, x);
  const View out = view_of({spec_.name, "y", ""}, y, out_shape_, false, spec_.ensemble, true);
  if (spec_.free_vector()) {
    check_rows(out.rows);
    pass.rows = out.rows;
  }
  if (out.rows != pass.rows)
    throw invalid(place() + "y has " + std::to_string(out.rows) + " rows, and x has " + std::to_string(pass.rows));
  run_forward(pass, x, *y, out.data);
  pass.version = slot == 0 ? 0 : version_;
}

void Network::take_input(Pass& pass, const spar_tensor* const* x) {
  if (x == nullptr) throw invalid(place() + "forward needs x, one tensor for each of its inputs, found NULL");
  pass.member_input = false;
  for (size_t i = 0; i < views_.size(); ++i) {
    const Input& input = spec_.inputs[i];
    views_[i] = view_of({spec_.name, "x", input.name}, x[i], input.shape, input.bytes, spec_.ensemble, false);
    if (views_[i].rows != views_[0].rows)
      throw invalid(place() + "input `" + input.name + "` has " + std::to_string(views_[i].rows) +
                    " rows, and input `" + spec_.inputs[0].name + "` has " + std::to_string(views_[0].rows));
    pass.per_member[i] = views_[i].members;
    pass.member_input = pass.member_input || (views_[i].members && spec_.ensemble > 1);
  }
  check_rows(views_[0].rows);
  pass.rows = views_[0].rows;
}

void Network::backward(uint32_t slot, const spar_tensor* dy, spar_tensor* const* dx, uint32_t what) {
  if (slot < 1 || slot > spec_.slots)
    throw invalid(place() + "backward from slot " + std::to_string(slot) + ", expected 1 to " +
                  std::to_string(spec_.slots) + "; slot 0 keeps nothing");
  if (what == 0 || (what & ~static_cast<uint32_t>(SPAR_NET_PARAMS | SPAR_NET_INPUT)) != 0)
    throw invalid(place() + "backward for what = " + std::to_string(what) +
                  ", expected SPAR_NET_PARAMS, SPAR_NET_INPUT or both");
  const Pass& pass = passes_[slot];
  if (pass.version == 0)
    throw not_now(place() + "backward from slot " + std::to_string(slot) +
                  ", which holds no activations: call forward with this slot first");
  if (pass.version != version_)
    throw not_now(
        place() + "backward from slot " + std::to_string(slot) +
        ", whose activations are older than the parameters: call forward again after update, blend, resample or write");
  const View out = view_of({spec_.name, "dy", ""}, dy, out_shape_, false, spec_.ensemble, true);
  if (out.rows != pass.rows)
    throw invalid(place() + "dy has " + std::to_string(out.rows) + " rows, and slot " + std::to_string(slot) +
                  " holds " + std::to_string(pass.rows));
  if ((what & SPAR_NET_INPUT) != 0) take_input_gradients(pass, dx);
  run_backward(pass, *dy, out.data, dx, what);
}

void Network::take_input_gradients(const Pass& pass, spar_tensor* const* dx) {
  if (spec_.free_vector())
    throw invalid(place() + "it is a free vector and has no inputs: ask for SPAR_NET_PARAMS alone");
  if (dx == nullptr) throw invalid(place() + "SPAR_NET_INPUT needs dx, one entry for each of its inputs, found NULL");
  for (size_t i = 0; i < views_.size(); ++i) {
    views_[i] = {};
    if (dx[i] == nullptr) continue;
    const Input& column = spec_.inputs[i];
    if (column.bytes)
      throw invalid(place() + "input `" + column.name + "` is u8 and has no gradient: leave its entry of dx NULL");
    views_[i] = view_of({spec_.name, "dx", column.name}, dx[i], column.shape, false, spec_.ensemble, false);
    if (views_[i].rows != pass.rows || views_[i].members != (pass.per_member[i] != 0))
      throw invalid(place() + "dx of input `" + column.name + "` has " + std::to_string(views_[i].rows) + " rows and " +
                    (views_[i].members ? "an" : "no") +
                    " ensemble dimension, expected the shape of x: " + std::to_string(pass.rows) + " rows and " +
                    (pass.per_member[i] ? "an" : "no") + " ensemble dimension");
  }
}

void Network::resample() {
  if (noise_count() == 0)
    throw not_offered(place() +
                      "it has no noisy layers to resample: create it with noisy layers or leave the call out");
  draw_noise();
  changed();
}

void Network::restore_noise(const Philox::State& generator, std::span<const float> drawn) {
  restore_generator(generator);
  write(SPAR_NET_NOISE, drawn.data(), drawn.size_bytes());
}

uint64_t Network::bytes(uint32_t what) const {
  switch (what) {
    case SPAR_NET_VALUES:
    case SPAR_NET_GRADIENTS:
    case SPAR_NET_MOMENT1:
    case SPAR_NET_MOMENT2:
      return parameter_count() * sizeof(float);
    case SPAR_NET_STEPS:
      return sizeof(uint64_t);
    case SPAR_NET_NOISE:
      return noise_count() * sizeof(float);
    default:
      return 0;
  }
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
  read_numbers(what, dst);
}

void Network::write(uint32_t what, const void* src, uint64_t size) {
  const uint64_t expected = bytes(what);
  if (expected == 0 || size != expected || src == nullptr) check_bytes(place(), "write", what, src, size, expected);
  write_numbers(what, src);
  if (what == SPAR_NET_VALUES || what == SPAR_NET_NOISE) changed();
}

}  // namespace spar::nn

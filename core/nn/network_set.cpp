#include "core/nn/network_set.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/nn/backend_network.hpp"
#include "core/nn/failure.hpp"
#include "core/nn/native_network.hpp"
#include "core/nn/replicas.hpp"
#include "core/rng/philox.hpp"

namespace spar::nn {
namespace {

Error other_networks(const std::string& problem) {
  return Error("E0502", Exit::failed,
               "the checkpoint holds other networks than this run: " + problem +
                   ": resume with the configuration it was written with");
}

// Number of one network's vectors in canonical order.
constexpr uint32_t kVectors[] = {SPAR_NET_VALUES, SPAR_NET_MOMENT1, SPAR_NET_MOMENT2, SPAR_NET_GRADIENTS};

struct Saved {
  Network* network = nullptr;
  uint64_t steps = 0;
  std::vector<float> vectors[std::size(kVectors)];
  Philox::State generator;   // both only
  std::vector<float> noise;  // of noisy networks
};

std::vector<float> numbers(const Network& network, uint32_t what) {
  std::vector<float> canonical(network.bytes(what) / sizeof(float));
  network.read(what, canonical.data(), canonical.size() * sizeof(float));
  return canonical;
}

bool all_zero(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return x == 0.0f; });
}

}  // namespace

Network& NetworkSet::create(uint64_t seed, std::string_view scope, std::string_view name, const spar_net_spec& spec) {
  Spec parsed = parse_spec(name, spec);
  if (networks_.contains(name))
    throw not_now("network `" + printable(name) + "` exists already: destroy it first or choose another name");
  Philox random(seed, std::string(scope) + "/net/" + std::string(name));
  Philox noise(seed, std::string(scope) + "/noise/" + std::string(name));
  std::unique_ptr<Network> network;
  if (parsed.backend.empty()) {
    network = std::make_unique<NativeNetwork>(*this, std::move(parsed), random, noise);
  } else {
    Backend& home = backend(parsed);
    network = std::make_unique<BackendNetwork>(*this, std::move(parsed), home, spec, random, noise);
  }
  created_.emplace_back(name);
  return *networks_.emplace(std::string(name), std::move(network)).first->second;
}

Backend& NetworkSet::backend(const Spec& spec) {
  auto& found = backends_[{spec.backend, spec.device}];
  const std::string wish = "network `" + printable(spec.name) + "` asks for backend " + backquoted(spec.backend);
  if (!found && !open_) throw not_offered(wish + ", and this component has no backends: leave it out");
  try {
    if (!found) found = open_(spec.backend, spec.device);
  } catch (const Error& error) {
    throw not_offered(wish + ": " + error.what() + (error.help().empty() ? "" : ": " + error.help()));
  }
  return *found;
}

std::vector<std::string> NetworkSet::backends() const {
  std::vector<std::string> ids;
  for (const auto& [key, backend] : backends_)
    if (backend && (ids.empty() || ids.back() != key.first)) ids.push_back(key.first);
  return ids;
}

void NetworkSet::destroy(Network& network) {
  const auto found = networks_.find(network.name());
  if (found == networks_.end() || found->second.get() != &network) return;
  std::erase(created_, found->first);
  networks_.erase(found);
}

std::vector<const Network*> NetworkSet::in_order() const {
  std::vector<const Network*> out;
  for (const std::string& name : created_) out.push_back(find(name));
  return out;
}

Network* NetworkSet::find(std::string_view name) {
  const auto found = networks_.find(name);
  return found != networks_.end() ? found->second.get() : nullptr;
}

const Network* NetworkSet::find(std::string_view name) const {
  const auto found = networks_.find(name);
  return found != networks_.end() ? found->second.get() : nullptr;
}

size_t NetworkSet::parameter_count() const {
  size_t count = 0;
  for (const auto& [name, network] : networks_) count += network->parameter_count();
  return count;
}

void NetworkSet::copy_values_from(const NetworkSet& other) {
  for (const auto& [name, network] : networks_) {
    const Network* source = other.find(name);
    if (source == nullptr)
      throw invalid("network `" + printable(name) + "` cannot be copied: the other side has no network of that name");
    if (source->shape() != network->shape())
      throw invalid("network `" + printable(name) + "` has shape " + network->shape() + " here and " + source->shape() +
                    " on the other side: create both with the same specification");
  }
  for (const auto& [name, network] : networks_) copy_values(*other.find(name), *network);
}

void NetworkSet::save(ByteWriter& out) const {
  out.put<uint64_t>(networks_.size());
  for (const auto& [name, network] : networks_) {
    out.text(name);
    out.text(network->shape());
    uint64_t steps = 0;
    network->read(SPAR_NET_STEPS, &steps, sizeof steps);
    out.put(steps);
    const bool pending = !all_zero(numbers(*network, SPAR_NET_GRADIENTS));
    out.put<uint8_t>(pending ? 1 : 0);
    for (const uint32_t what : kVectors)
      if (what != SPAR_NET_GRADIENTS || pending) out.array(std::span<const float>(numbers(*network, what)));
    if (network->noise_count() == 0) continue;
    out.put(network->noise_generator());
    out.array(std::span<const float>(numbers(*network, SPAR_NET_NOISE)));
  }
}

size_t NetworkSet::saved_bytes() const {
  size_t bytes = sizeof(uint64_t);
  for (const auto& [name, network] : networks_) {
    bytes += name.size() + network->shape().size() + sizeof(Philox::State) + 64;
    for (const uint32_t what : {SPAR_NET_VALUES, SPAR_NET_MOMENT1, SPAR_NET_MOMENT2, SPAR_NET_NOISE})
      bytes += network->bytes(what);
  }
  return bytes;
}

void NetworkSet::load(ByteReader& in) {
  const auto count = in.get<uint64_t>();
  if (count != networks_.size())
    throw other_networks("it has " + std::to_string(count) + ", expected " + std::to_string(networks_.size()));
  std::vector<Saved> all(networks_.size());
  auto expected = networks_.begin();
  for (Saved& saved : all) {
    const std::string name = in.text(), shape = in.text();
    if (name != expected->first)
      throw other_networks("found `" + printable(name) + "` where `" + printable(expected->first) + "` is expected");
    saved.network = expected->second.get();
    if (shape != saved.network->shape())
      throw other_networks("network `" + printable(name) + "` has shape " + printable(shape) + ", expected " +
                           saved.network->shape());
    saved.steps = in.get<uint64_t>();
    const bool pending = in.get<uint8_t>() != 0;
    for (size_t i = 0; i < std::size(kVectors); ++i) {
      saved.vectors[i].assign(saved.network->parameter_count(), 0.0f);
      if (kVectors[i] != SPAR_NET_GRADIENTS || pending) in.array(std::span<float>(saved.vectors[i]));
    }
    if (saved.network->noise_count() > 0) {
      saved.generator = in.get<Philox::State>();
      saved.noise.resize(saved.network->noise_count());
      in.array(std::span<float>(saved.noise));
    }
    ++expected;
  }
  for (const Saved& saved : all) {
    saved.network->write(SPAR_NET_STEPS, &saved.steps, sizeof saved.steps);
    for (size_t i = 0; i < std::size(kVectors); ++i)
      saved.network->write(kVectors[i], saved.vectors[i].data(), saved.vectors[i].size() * sizeof(float));
    if (saved.network->noise_count() > 0) saved.network->restore_noise(saved.generator, saved.noise);
  }
}

const Network* NetworkSet::not_finite() const {
  for (const auto& [name, network] : networks_) {
    const std::vector<float> values = numbers(*network, SPAR_NET_VALUES);
    if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); })) return network.get();
  }
  return nullptr;
}

std::string NetworkSet::sha256() const {
  Sha256 hash;
  for (const auto& [name, network] : networks_)
    hash.update(std::as_bytes(std::span<const float>(numbers(*network, SPAR_NET_VALUES))));
  return hash.hex();
}

}  // namespace spar::nn

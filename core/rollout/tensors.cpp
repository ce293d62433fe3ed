#include "core/rollout/tensors.hpp"

#include <cmath>
#include <cstring>
#include <map>

#include "core/base/text.hpp"
#include "core/nn/names.hpp"
#include "spar/batch.hpp"

namespace spar::rollout {
namespace {

params::Tensor make_tensor(const nn::NamedTensor& named) {
  return {named.name, SPAR_DTYPE_FLOAT, 32, named.shape, std::vector<std::byte>(named.size * sizeof(float))};
}

[[noreturn]] void refuse(const std::string& problem) {
  throw Error("E1004", Exit::usage, "the network state does not fit: " + problem);
}

void check_numbers(const params::Tensor& found, const params::Tensor& expected) {
  if (type_text(found) != type_text(expected))
    refuse("tensor `" + expected.name + "` is " + type_text(found) + ", expected " + type_text(expected));
  if (found.data.size() != expected.data.size())
    refuse("tensor `" + expected.name + "` holds " + std::to_string(found.data.size()) + " bytes, expected " +
           std::to_string(expected.data.size()));
  for (size_t i = 0; i < found.data.size(); i += sizeof(float)) {
    float number;
    std::memcpy(&number, found.data.data() + i, sizeof number);
    if (!std::isfinite(number)) refuse("tensor `" + expected.name + "` holds a number that is not finite");
  }
}

}  // namespace

std::string type_text(const params::Tensor& tensor) {
  return dtype_name(tensor.code, tensor.bits) + " " + nn::shape_text(tensor.shape);
}

std::vector<params::Tensor> tensors_of(const nn::NetworkSet& networks) {
  std::vector<params::Tensor> out;
  std::vector<float> values;
  for (const nn::Network* network : networks.in_order()) {
    values.resize(network->parameter_count());
    network->read(SPAR_NET_VALUES, values.data(), values.size() * sizeof(float));
    for (const nn::NamedTensor& named : nn::named_tensors(*network)) {
      out.push_back(make_tensor(named));
      std::memcpy(out.back().data.data(), values.data() + named.offset, named.size * sizeof(float));
    }
  }
  return out;
}

void set_tensors(nn::NetworkSet& networks, std::span<const params::Tensor> tensors) {
  std::map<std::string_view, const params::Tensor*> given;
  for (const params::Tensor& tensor : tensors) {
    if (!given.emplace(tensor.name, &tensor).second) refuse("tensor `" + printable(tensor.name) + "` is there twice");
  }
  std::vector<std::string> known;
  std::map<const nn::Network*, std::vector<float>> values;
  for (const nn::Network* network : networks.in_order()) {
    std::vector<float>& flat = values[network];
    flat.resize(network->parameter_count());
    for (const nn::NamedTensor& named : nn::named_tensors(*network)) {
      known.push_back(named.name);
      const auto found = given.find(named.name);
      if (found == given.end()) refuse("tensor `" + named.name + "` is missing");
      check_numbers(*found->second, make_tensor(named));
      std::memcpy(flat.data() + named.offset, found->second->data.data(), named.size * sizeof(float));
      given.erase(found);
    }
  }
  if (!given.empty()) {
    const std::string name(given.begin()->first), near = nearest(name, known);
    refuse("tensor `" + printable(name) + "` belongs to none of its networks" +
           (near.empty() ? "" : "; the nearest is `" + near + "`"));
  }
  for (const auto& [network, flat] : values)
    networks.find(network->name())->write(SPAR_NET_VALUES, flat.data(), flat.size() * sizeof(float));
}

}  // namespace spar::rollout

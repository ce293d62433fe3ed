#include "plan.hpp"

#include <algorithm>
#include <array>

#include "json.hpp"
#include "spar/barrier.hpp"

namespace torch_backend {
namespace {

std::vector<int64_t> widths(const Json& list) {
  std::vector<int64_t> out;
  for (const Json& item : list.items) out.push_back(static_cast<int64_t>(item.number));
  return out;
}

void read_key(std::string_view key, const Json& value, Plan& plan) {
  // Initial values are the host's to write, and the device was chosen when the backend was opened.
  static constexpr std::array<std::string_view, 6> kHost = {"init", "gain", "last_gain", "value", "backend", "device"};
  if (std::find(kHost.begin(), kHost.end(), key) != kHost.end()) return;
  if (key == "kind") {
    plan.kind = value.text == "mlp" ? Kind::mlp : value.text == "nature_cnn" ? Kind::nature_cnn : Kind::torchscript;
  } else if (key == "file") {
    plan.file = value.text;
  } else if (key == "hidden") {
    plan.hidden = widths(value);
  } else if (key == "activation") {
    plan.relu = value.text == "relu";
  } else if (key == "output") {
    plan.tanh_output = value.text == "tanh";
  } else if (key == "dueling") {
    plan.dueling = value.truth;
  } else if (key == "atoms") {
    plan.atoms = static_cast<int64_t>(value.number);
  } else if (key == "noisy") {
    plan.noisy = value.number > 0;
  } else if (key == "heads") {
    for (const Json& item : value.items) {
      Head head;
      if (const Json* out = item.find("out")) head.out = static_cast<int64_t>(out->number);
      if (const Json* hidden = item.find("hidden")) head.hidden = widths(*hidden);
      plan.heads.push_back(std::move(head));
    }
  } else {
    throw spar::StatusError(SPAR_E_UNSUPPORTED, place(plan) + "backend `torch` knows no key `" + std::string(key) +
                                                    "`: leave it out, or take a newer backend");
  }
}

}  // namespace

std::string place(const Plan& plan) { return "network `" + plan.name + "`: "; }

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Plan read_plan(std::string_view name, const spar_net_spec& spec) {
  Plan plan;
  plan.name = name;
  plan.ensemble = std::max<uint32_t>(1, spec.ensemble);
  plan.slots = spec.slots;
  plan.out = spec.out;
  for (uint32_t i = 0; i < spec.n_inputs; ++i) {
    const spar_column_spec& column = *spec.inputs[i];
    Input input;
    input.shape.assign(column.shape, column.shape + column.ndim);
    for (const int64_t n : input.shape) input.size *= n;
    input.bytes = column.code == SPAR_DTYPE_UINT;
    plan.inputs.push_back(std::move(input));
  }
  const Json json = parse_json(spec.json && *spec.json ? spec.json : "{}");
  if (const Json* kind = json.find("kind")) read_key("kind", *kind, plan);
  if (plan.kind == Kind::nature_cnn) plan.hidden = {512};  // Mnih et al. 2015
  for (const auto& [key, value] : json.members) read_key(key, value, plan);
  if (plan.heads.empty()) plan.heads.push_back({plan.out, {}});
  return plan;
}

}  // namespace torch_backend

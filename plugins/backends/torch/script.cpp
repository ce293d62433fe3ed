// TorchScript modules: whatever the user wrote, compiled and saved by torch.jit.
#include <torch/script.h>
#include <torch/version.h>

#include <algorithm>
#include <fstream>

#include "failure.hpp"
#include "model.hpp"
#include "spar/barrier.hpp"

namespace torch_backend {
namespace {

using spar::StatusError;

class Script : public Model {
 public:
  Script(const Plan& plan, at::Device device) : plan_(plan), module_(load(plan, device)) {
    module_.eval();  // dropout is off, and running statistics stay as they are in the file
    for (const at::Tensor& parameter : module_.parameters()) {
      const auto same = [&](const at::Tensor& other) { return other.is_same(parameter); };
      if (std::none_of(parameters.begin(), parameters.end(), same)) parameters.push_back(parameter);
    }
    if (std::none_of(parameters.begin(), parameters.end(), [](const at::Tensor& p) { return p.requires_grad(); }))
      refuse("has no parameters to learn: it has none, or none of them requires a gradient");
    for (const at::Tensor& parameter : parameters)
      if (parameter.scalar_type() != at::kFloat)
        refuse(std::string("has parameters of type ") + c10::toString(parameter.scalar_type()) +
               ", expected Float: call .float() before it is saved");
    try_out(device);
  }

  at::Tensor forward(const std::vector<at::Tensor>& x, int64_t rows, bool) const override {
    // Without the optimiser, which rewrites the graph after the first calls: the same numbers from every call.
    const torch::jit::GraphOptimizerEnabledGuard unoptimised(false);
    std::vector<c10::IValue> arguments;
    for (size_t i = 0; i < x.size(); ++i) {
      const bool per_member = x[i].dim() == static_cast<int64_t>(plan_.inputs[i].shape.size()) + 2;
      arguments.emplace_back(per_member ? x[i][0] : x[i]);
    }
    c10::IValue result;
    try {
      result = module_.forward(std::move(arguments));
    } catch (const std::exception& error) {
      refuse("fails on inputs " + shapes(x) + ": " + essence(error));
    }
    if (!result.isTensor()) refuse("gives " + result.tagKind() + ", expected one tensor");
    const at::Tensor y = result.toTensor();
    if (y.scalar_type() != at::kFloat || y.dim() != 2 || y.size(0) != rows || y.size(1) != plan_.out)
      refuse(std::string("gives a tensor of type ") + c10::toString(y.scalar_type()) + " and shape " +
             shape_text(y.sizes().vec()) + ", expected Float and " + shape_text({rows, plan_.out}));
    return y.unsqueeze(0);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw StatusError(SPAR_E_INVALID, place(plan_) + "the module in `" + plan_.file + "` " + problem);
  }

  static torch::jit::Module load(const Plan& plan, at::Device device) {
    try {
      return torch::jit::load(plan.file, device);
    } catch (const std::exception& error) {
      throw StatusError(SPAR_E_INVALID, place(plan) + "`" + plan.file +
                                            "` is no TorchScript module that LibTorch " TORCH_VERSION " can read (" +
                                            essence(error) + "): save it again with torch.jit.save()");
    }
  }

  static std::string shapes(const std::vector<at::Tensor>& x) {
    std::string text;
    for (const at::Tensor& input : x) text += (text.empty() ? "" : " and ") + shape_text(input.sizes().vec());
    return text;
  }

  // A mistake shows when the network is created, not in the middle of a run.
  void try_out(at::Device device) const {
    const at::NoGradGuard off;
    std::vector<at::Tensor> x;
    for (const Input& input : plan_.inputs) {
      std::vector<int64_t> shape = input.shape;
      shape.insert(shape.begin(), 1);
      x.push_back(at::zeros(shape, floats(device)));
    }
    forward(x, 1, true);
  }

  Plan plan_;
  mutable torch::jit::Module module_;  // its forward() is not const
};

}  // namespace

std::unique_ptr<Model> load_script(const Plan& plan, at::Device device) {
  return std::make_unique<Script>(plan, device);
}

std::string essence(const std::exception& error) {
  const auto* own = dynamic_cast<const c10::Error*>(&error);
  std::string text = own ? own->what_without_backtrace() : error.what();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const bool script = text.find("Traceback of TorchScript") != std::string::npos;
  text = script ? text.substr(text.rfind('\n') + 1) : text.substr(0, text.find('\n'));
  if (text.size() > 240) text = text.substr(0, 237) + "..";
  return text;
}

}  // namespace torch_backend

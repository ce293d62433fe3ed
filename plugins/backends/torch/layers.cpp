// Free vectors, multilayer perceptrons, and the convolutional network of Mnih et al., "Human-level control through deep
// reinforcement learning", 2015.
#include "model.hpp"

namespace torch_backend {
namespace {

struct Convolution {
  int64_t filters, kernel, stride;
};
constexpr Convolution kNature[] = {{32, 8, 4}, {64, 4, 2}, {64, 3, 1}};

/// Hands out parameters and noise in canonical order, as the layers ask for them.
struct Cursor {
  const Model& model;
  size_t parameter = 0, number = 0;

  const at::Tensor& next() { return model.parameters[parameter++]; }
  /// f(eps) with f(x) = sgn(x) sqrt|x|
  at::Tensor next_noise() {
    const at::Tensor& eps = model.noise[number++];
    return eps.sign() * eps.abs().sqrt();
  }
};

class FreeVector : public Model {
 public:
  FreeVector(const Plan& plan, at::Device device) : out_(plan.out), ensemble_(plan.ensemble) {
    for (int64_t m = 0; m < ensemble_; ++m)
      parameters.push_back(at::zeros({out_}, floats(device)).requires_grad_(true));
  }
  at::Tensor forward(const std::vector<at::Tensor>&, int64_t rows, bool) const override {
    return at::stack(parameters).unsqueeze(1).expand({ensemble_, rows, out_});
  }

 private:
  int64_t out_, ensemble_;
};

class Layers : public Model {
 public:
  Layers(const Plan& plan, at::Device device) : plan_(plan), options_(floats(device)) {
    for (int64_t m = 0; m < plan_.ensemble; ++m) declare_member();
  }

  at::Tensor forward(const std::vector<at::Tensor>& x, int64_t, bool quiet) const override {
    Cursor cursor{*this};
    std::vector<at::Tensor> members;
    for (int64_t m = 0; m < plan_.ensemble; ++m) {
      std::vector<at::Tensor> own;
      for (size_t i = 0; i < x.size(); ++i) {
        const bool per_member = x[i].dim() == static_cast<int64_t>(plan_.inputs[i].shape.size()) + 2;
        own.push_back(per_member ? x[i][m] : x[i]);
      }
      members.push_back(run_member(cursor, own, quiet));
    }
    return at::stack(members);
  }

 private:
  bool picture(size_t input) const { return plan_.kind == Kind::nature_cnn && plan_.inputs[input].shape.size() == 3; }

  void declare(at::IntArrayRef shape) { parameters.push_back(at::zeros(shape, options_).requires_grad_(true)); }
  void declare_linear(int64_t in, int64_t out) {
    for (int of = 0; of < (plan_.noisy ? 2 : 1); ++of) {  // means, then sigmas
      declare({out, in});
      declare({out});
    }
    if (!plan_.noisy) return;
    noise.push_back(at::zeros({in}, options_));
    noise.push_back(at::zeros({out}, options_));
  }
  void declare_member() {
    int64_t in = 0;
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      const Input& input = plan_.inputs[i];
      if (!picture(i)) {
        in += input.size;
        continue;
      }
      int64_t channels = input.shape[0], height = input.shape[1], width = input.shape[2];
      for (const Convolution& c : kNature) {
        declare({c.filters, channels, c.kernel, c.kernel});
        declare({c.filters});
        channels = c.filters;
        height = (height - c.kernel) / c.stride + 1;
        width = (width - c.kernel) / c.stride + 1;
      }
      in += channels * height * width;
    }
    for (const int64_t width : plan_.hidden) {
      declare_linear(in, width);
      in = width;
    }
    for (const Head& head : plan_.heads) {
      int64_t from = in;
      for (const int64_t width : head.hidden) {
        declare_linear(from, width);
        from = width;
      }
      declare_linear(from, head.out);
    }
  }

  at::Tensor activate(const at::Tensor& x) const { return plan_.relu ? at::relu(x) : at::tanh(x); }

  at::Tensor convolutions(Cursor& cursor, at::Tensor x) const {
    for (const Convolution& c : kNature) {
      const at::Tensor &weight = cursor.next(), &bias = cursor.next();
      x = activate(at::conv2d(x, weight, bias, c.stride));
    }
    return x.flatten(1);
  }

  // y = (W + sigma_W * eps_W) x + b + sigma_b * eps_b, eps_W = f(eps_out) f(eps_in)^T (Fortunato et al. 2018, eq. 9)
  at::Tensor linear(Cursor& cursor, const at::Tensor& x, bool quiet) const {
    const at::Tensor &weight = cursor.next(), &bias = cursor.next();
    if (!plan_.noisy) return at::linear(x, weight, bias);
    const at::Tensor &sigma_weight = cursor.next(), &sigma_bias = cursor.next();
    const at::Tensor in = cursor.next_noise(), out = cursor.next_noise();
    if (quiet) return at::linear(x, weight, bias);
    return at::linear(x, weight + sigma_weight * at::outer(out, in), bias + sigma_bias * out);
  }

  at::Tensor run_member(Cursor& cursor, const std::vector<at::Tensor>& x, bool quiet) const {
    std::vector<at::Tensor> parts;
    for (size_t i = 0; i < x.size(); ++i) parts.push_back(picture(i) ? convolutions(cursor, x[i]) : x[i].flatten(1));
    at::Tensor trunk = parts.size() == 1 ? parts[0] : at::cat(parts, 1);
    for (size_t l = 0; l < plan_.hidden.size(); ++l) trunk = activate(linear(cursor, trunk, quiet));

    std::vector<at::Tensor> outs;
    for (const Head& head : plan_.heads) {
      at::Tensor y = trunk;
      for (size_t l = 0; l < head.hidden.size(); ++l) y = activate(linear(cursor, y, quiet));
      y = linear(cursor, y, quiet);
      outs.push_back(plan_.tanh_output ? at::tanh(y) : y);
    }
    if (!plan_.dueling) return outs.size() == 1 ? outs[0] : at::cat(outs, 1);
    // Q = V + A - mean_a A, atom by atom (Wang et al. 2016, eq. 9)
    const at::Tensor advantage = outs[1].reshape({outs[1].size(0), -1, plan_.atoms});
    return (outs[0].unsqueeze(1) + advantage - advantage.mean(1, true)).flatten(1);
  }

  Plan plan_;
  at::TensorOptions options_;
};

}  // namespace

std::unique_ptr<Model> make_layers(const Plan& plan, at::Device device) {
  if (plan.inputs.empty()) return std::make_unique<FreeVector>(plan, device);
  return std::make_unique<Layers>(plan, device);
}

}  // namespace torch_backend

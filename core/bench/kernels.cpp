// The products of one layer against the peak, in the sizes that small networks have.
#include <vector>

#include "core/bench/bench.hpp"
#include "core/bench/fma_peak.hpp"
#include "core/nn/aligned.hpp"

namespace spar::bench {
namespace {

struct Layer {
  size_t rows, in, out;
};

constexpr Layer kLayers[] = {{64, 64, 64}, {256, 64, 64}, {64, 128, 128}, {64, 256, 256}, {256, 256, 256}};

/// A layer that is a multiple of 64 wide has no padding anywhere.
class Products {
 public:
  explicit Products(const Layer& layer)
      : layer_(layer),
        x_(layer.rows * layer.in),
        y_(layer.rows * layer.out),
        w_(layer.in * layer.out),
        g_(w_.size()),
        b_(layer.out),
        gb_(layer.out) {
    for (size_t i = 0; i < x_.size(); ++i) x_[i] = static_cast<float>(i % 7) * 0.1f - 0.3f;
    for (size_t i = 0; i < w_.size(); ++i) w_[i] = static_cast<float>(i % 5) * 0.01f - 0.02f;
  }

  void forward() {
    nn::kernels().linear(layer_.rows, layer_.in, layer_.out, x_.data(), layer_.in, w_.data(), b_.data(), y_.data(),
                         layer_.out, true);
  }
  void input_gradient() {
    nn::kernels().input_gradient(layer_.rows, layer_.in, layer_.out, y_.data(), layer_.out, w_.data(), x_.data(),
                                 layer_.in, nn::Into::store, nullptr, 0);
  }
  void weight_gradient() {
    nn::kernels().weight_gradient(layer_.rows, layer_.in, layer_.out, x_.data(), layer_.in, y_.data(), layer_.out,
                                  g_.data(), gb_.data(), nn::Into::store, 0, layer_.in);
  }

 private:
  Layer layer_;
  nn::Floats x_, y_, w_, g_, b_, gb_;
};

}  // namespace

void measure_kernels(const Settings& settings, const Sink& sink) {
  const double peak = fma_peak_gflops();
  if (peak <= 0) return;
  for (const Layer& layer : kLayers) {
    const double flops = 2.0 * static_cast<double>(layer.rows * layer.in * layer.out);
    const int calls = std::max(1, static_cast<int>(2e7 / flops)), times = settings.brief ? 10 : 40;
    Products products(layer);
    const auto put = [&](const char* what, auto&& call) {
      const double seconds = best_seconds(times, [&] {
        for (int i = 0; i < calls; ++i) call();
      });
      sink({.group = "kernels",
            .name = std::string(what) + " " + std::to_string(layer.rows) + " x " + std::to_string(layer.in) + " x " +
                    std::to_string(layer.out),
            .value = seconds / calls * 1e6,
            .unit = "us",
            .limit = flops / peak * 1e-3,
            .limit_name = "FMA peak"});
    };
    put("forward", [&] { products.forward(); });
    put("input gradient", [&] { products.input_gradient(); });
    put("weight gradient", [&] { products.weight_gradient(); });
  }
}

}  // namespace spar::bench

// What a network is: the C specification and its JSON as a checked value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spar/abi/nn.h"

namespace spar::nn {

enum class Kind { mlp, nature_cnn, torchscript };
enum class Activation { relu, tanh };
enum class Output { identity, tanh };
enum class Init { standard, uniform, orthogonal };

/// One input column: f32, or u8 that is scaled by 1/255.
struct Input {
  std::string name;
  std::vector<int64_t> shape;  ///< of one row
  size_t size = 1;             ///< product of the shape
  bool bytes = false;          ///< u8
};

/// A branch after the trunk.
struct Head {
  size_t out = 0;
  std::vector<size_t> hidden;
};

/// Convolutions before the trunk of nature_cnn (Mnih et al., "Human-level control through deep reinforcement learning",
/// 2015).
struct Convolution {
  size_t filters, kernel, stride;
};
inline constexpr Convolution kNature[] = {{32, 8, 4}, {64, 4, 2}, {64, 3, 1}};
inline constexpr int64_t kNatureSmallest = 36;  ///< height and width of a picture, or nothing is left of it

struct Spec {
  std::string name;
  Kind kind = Kind::mlp;
  std::string backend;          ///< id of the backend's plugin; empty: the host's own kernels
  std::string device = "auto";  ///< for the backend: auto, cpu or cuda
  std::string file;             ///< of torchscript
  size_t ensemble = 1, slots = 0, max_rows = 1, out = 0;
  std::vector<Input> inputs;  ///< empty: a free vector of `out` numbers
  std::vector<size_t> hidden;
  std::vector<Head> heads;  ///< never empty unless a free vector; one without hidden layers where none were given
  bool dueling = false;
  size_t atoms = 1;    ///< of a distribution over values, with dueling
  double noisy = 0.0;  ///< sigma0 of factorised noisy layers; 0: plain ones
  Activation activation = Activation::relu;
  Output output = Output::identity;
  Init init = Init::standard;
  double gain = 1.0, last_gain = 1.0;
  std::vector<float> value;  ///< start of a free vector

  bool free_vector() const { return inputs.empty(); }
  size_t input_width() const;
  /// Everything that decides the meaning of the parameters, in one line: "2 x [4, 64, 64, 2] relu". Equal text means
  /// that values may be copied between the networks. How they started (init, gain, sigma0) is no part of it.
  std::string shape() const;
};

/// A layer as the canonical order sees it: weight [out, in], bias [out], and both sigmas if it is noisy. A convolution
/// is one on patches: in = channels * kernel * kernel.
struct LayerShape {
  size_t in, out;
  bool last;  ///< output layer of its branch
  bool noisy;
};

/// The layers of one member in canonical order; none for free vectors and for torchscript.
std::vector<LayerShape> layer_shapes(const Spec& spec);

/// Throws Error E0901 (wrong) or E0902 (not offered), naming the network, the key and the remedy.
Spec parse_spec(std::string_view name, const spar_net_spec& spec);

/// "[64, 4]".
std::string shape_text(const std::vector<int64_t>& shape);

}  // namespace spar::nn

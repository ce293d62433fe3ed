// What a network shall be: spar_net_spec and its json (spar/abi/nn.h) in C++.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spar/abi/nn.h"

namespace torch_backend {

enum class Kind { mlp, nature_cnn, torchscript };

struct Input {
  std::vector<int64_t> shape;  ///< of one row
  int64_t size = 1;            ///< product of the shape
  bool bytes = false;          ///< u8, scaled by 1/255
};

struct Head {
  int64_t out = 1;
  std::vector<int64_t> hidden;
};

struct Plan {
  std::string name;
  Kind kind = Kind::mlp;
  int64_t ensemble = 1, out = 1;
  uint32_t slots = 1;
  std::vector<Input> inputs;  ///< empty: a free vector
  std::vector<int64_t> hidden;
  std::vector<Head> heads;  ///< never empty for mlp and nature_cnn
  bool dueling = false;
  int64_t atoms = 1;
  bool noisy = false;
  bool relu = true;  ///< else tanh
  bool tanh_output = false;
  std::string file;  ///< of torchscript
};

/// The host has checked the specification; what it cannot know (a newer key) is refused here. Throws SPAR_E_INVALID or
/// SPAR_E_UNSUPPORTED.
Plan read_plan(std::string_view name, const spar_net_spec& spec);

/// "network `q`: "
std::string place(const Plan& plan);

/// "[4, 84, 84]"
std::string shape_text(const std::vector<int64_t>& shape);

}  // namespace torch_backend

// What every algorithm lets the user choose about its networks: kind, backend and device. An algorithm derives its
// options from NetworkOptions, adds them to its schema with add_network_options(), and hands them to each
// specification:
//
//   spar::NetworkSpec spec;
//   spec.inputs = {spar::observation_input("DQN", options, *setup.agent->obs)};
//   options.place(spec);
#pragma once

#include <string>
#include <vector>

#include "spar/network.hpp"
#include "spar/schema.hpp"

namespace spar {

struct NetworkOptions {
  std::string network = "mlp";
  std::string network_file;
  std::string network_backend = "auto";
  std::string device = "auto";

  /// Kind, file, backend and device of one network. A free vector goes where the others go, so that one update may
  /// cover both.
  void place(NetworkSpec& spec) const {
    const bool torch =
        network_backend == "torch" || (network_backend == "auto" && (network != "mlp" || device == "cuda"));
    spec.kind = network == "cnn" ? "nature_cnn" : network;
    spec.file = network_file;
    spec.backend = network_backend == "auto" && torch ? "torch" : network_backend;
    spec.device = device;
  }

  /// For an algorithm of several networks, which one file cannot describe. Throws SPAR_E_UNSUPPORTED.
  void refuse_file(const char* algorithm) const {
    if (network == "torchscript")
      throw StatusError(SPAR_E_UNSUPPORTED,
                        std::string(algorithm) +
                            " has networks of different shapes, and network = \"torchscript\" names "
                            "one file: use network = \"mlp\"");
  }
};

/// Adds network, network_file, network_backend and device to the schema of O, which derives from NetworkOptions.
template <class O>
void add_network_options(Schema<O>& schema) {
  schema
      .text("network", &O::network, {"mlp", "cnn", "torchscript"},
            "kind of network: mlp (hidden_layers), cnn (the convolutions of Mnih et al. 2015 over frames [channels, "
            "height, width], then hidden_layers) or torchscript (network_file); the last two need the torch backend")
      .text("network_file", &O::network_file, {}, "TorchScript file, with network = torchscript")
      .text(
          "network_backend", &O::network_backend, {"auto", "native", "torch"},
          "who computes the networks: native (the host's own kernels), torch (LibTorch); auto = native for mlp on the "
          "cpu, else torch")
      .text("device", &O::device, {"auto", "cpu", "cuda"},
            "where networks of the torch backend live (auto = cuda if there is one, else cpu)");
}

/// The input that observations of `space` make. Numbers of any shape go into an mlp, frames of u8 or f32 into a cnn.
/// Throws SPAR_E_INVALID for spaces that are no such Box; `algorithm`: for the message.
inline InputSpec observation_input(const char* algorithm, const NetworkOptions& options, const spar_space& space) {
  const bool numbers = space.code == SPAR_DTYPE_FLOAT && space.bits == 32,
             bytes = space.code == SPAR_DTYPE_UINT && space.bits == 8;
  if (space.kind != SPAR_SPACE_BOX || (!numbers && !bytes)) {
    throw StatusError(SPAR_E_INVALID, std::string(algorithm) +
                                          " needs observations that are a Box of float32 or uint8, found " +
                                          space_name(space) + " of " + dtype_name(space.code, space.bits));
  }
  if (options.network == "cnn" && space.ndim != 3) {
    throw StatusError(SPAR_E_INVALID, std::string(algorithm) +
                                          " with network = \"cnn\" needs frames [channels, height, width], found " +
                                          space_name(space) + ": use network = \"mlp\"");
  }
  return {std::vector<int64_t>(space.shape, space.shape + space.ndim), bytes};
}

}  // namespace spar

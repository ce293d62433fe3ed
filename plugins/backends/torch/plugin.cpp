// The backend's function table: one for each device, so that nothing has to be remembered between open and create.
#include "spar/plugin.hpp"

#include <torch/cuda.h>
#include <torch/version.h>

#include "failure.hpp"
#include "network.hpp"
#include "spar/context.hpp"

namespace torch_backend {
namespace {

using spar::StatusError;

Network& network_of(spar_net* net) { return *reinterpret_cast<Network*>(net); }

/// The one place where exceptions become statuses.
template <class Body>
spar_status guarded(spar_error* error, Body&& body) noexcept {
  return spar::barrier(error, [&] {
    try {
      body();
    } catch (const StatusError&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& problem) {
      throw StatusError(SPAR_E_INTERNAL, "LibTorch " TORCH_VERSION ": " + essence(problem));
    }
  });
}

template <at::DeviceType kDevice>
spar_status create(spar_ctx*, spar_str name, const spar_net_spec* spec, spar_net** out, spar_error* error) {
  return guarded(error, [&] {
    auto net = std::make_unique<Network>(read_plan(spar::view(name), *spec), at::Device(kDevice));
    *out = reinterpret_cast<spar_net*>(net.release());
  });
}

void destroy(spar_net* net) { delete &network_of(net); }

spar_status forward(spar_net* net, uint32_t slot, uint32_t flags, const spar_tensor* const* x, spar_tensor* y,
                    spar_error* error) {
  return guarded(error, [&] { network_of(net).forward(slot, flags, x, *y); });
}

spar_status backward(spar_net* net, uint32_t slot, const spar_tensor* dy, spar_tensor* const* dx, uint32_t what,
                     spar_error* error) {
  return guarded(error, [&] { network_of(net).backward(slot, *dy, dx, what); });
}

spar_status update_nets(spar_ctx*, const spar_update* step, double* norm, spar_error* error) {
  return guarded(error, [&] {
    std::vector<Network*> nets, targets;
    for (uint32_t i = 0; i < step->n_nets; ++i) {
      nets.push_back(&network_of(step->nets[i]));
      targets.push_back(step->targets && step->targets[i] ? &network_of(step->targets[i]) : nullptr);
    }
    const double found = update(nets, targets, *step);
    if (norm) *norm = found;
  });
}

spar_status blend_nets(spar_net* dst, const spar_net* src, double tau, spar_error* error) {
  return guarded(error, [&] { blend(network_of(dst), network_of(const_cast<spar_net*>(src)), tau); });
}

uint64_t bytes(spar_net* net, uint32_t what) { return network_of(net).bytes(what); }

spar_status read(spar_net* net, uint32_t what, void* dst, uint64_t size, spar_error* error) {
  return guarded(error, [&] { network_of(net).read(what, dst, size); });
}

spar_status write(spar_net* net, uint32_t what, const void* src, uint64_t size, spar_error* error) {
  return guarded(error, [&] { network_of(net).write(what, src, size); });
}

/// No resample: the host draws the noise and writes it.
template <at::DeviceType kDevice>
constexpr spar_svc_nn kNetworks = {sizeof(spar_svc_nn), 0,          create<kDevice>, destroy, forward, backward,
                                   update_nets,         blend_nets, nullptr,         bytes,   read,    write};

spar_status open(const spar_host* host, spar_ctx* ctx, const spar_config*, spar_str device, const spar_svc_nn** out,
                 spar_error* error) {
  return guarded(error, [&] {
    const std::string_view wish = spar::view(device);
    const size_t gpus = wish == "cpu" ? 0 : torch::cuda::device_count();
    if (wish == "cuda" && gpus == 0)
      throw StatusError(SPAR_E_UNSUPPORTED,
                        "device = \"cuda\" asks for a GPU and LibTorch " TORCH_VERSION
                        " finds none (it is built without CUDA, or the driver is missing): use device = \"cpu\" or "
                        "\"auto\"");
    if (gpus > 0) {  // the same numbers from every run, and float32 products in float32
      at::globalContext().setDeterministicCuDNN(true);
      at::globalContext().setBenchmarkCuDNN(false);
      at::globalContext().setAllowTF32CuDNN(false);
      at::globalContext().setAllowTF32CuBLAS(false);
    }
    *out = gpus > 0 ? &kNetworks<at::kCUDA> : &kNetworks<at::kCPU>;
    spar::Context(host, ctx).log(SPAR_LOG_INFO, std::string("networks live in LibTorch " TORCH_VERSION " on the ") +
                                                    (gpus > 0 ? "first GPU" : "processor"));
  });
}

void close(spar_ctx*) {}

struct TorchBackend {
  static constexpr uint32_t kKind = SPAR_KIND_BACKEND;
  static constexpr const char *id = "org.spar.torch", *version = "1.0.0", *title = "LibTorch networks";
  static constexpr const char* doc =
      "Networks on LibTorch, on the processor or a CUDA device: everything that the host's own kernels offer, the "
      "convolutional network of Mnih et al. 2015, and TorchScript modules.";
  struct Options {};
  static const spar::Schema<Options>& schema() {
    static const spar::Schema<Options> instance;
    return instance;
  }
  template <class>
  static const void* table() {
    static constexpr spar_backend_vtbl kTable = {sizeof(spar_backend_vtbl), SPAR_BACKEND_CPU | SPAR_BACKEND_CUDA, open,
                                                 close};
    return &kTable;
  }
};

}  // namespace
}  // namespace torch_backend

SPAR_PLUGIN("org.spar.torch", "1.0.0", torch_backend::TorchBackend)

// Networks of the host (spar.nn/1) with lifetimes.
#pragma once

#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "spar/context.hpp"
#include "spar/schema.hpp"

namespace spar {

/// A tensor of two or three dimensions over memory of the caller.
template <class T = float>
struct TensorView {
  TensorView(T* data, int64_t rows, int64_t width) : shape{rows, width, 0} { init(data, 2); }
  TensorView(T* data, int64_t members, int64_t rows, int64_t width) : shape{members, rows, width} { init(data, 3); }
  TensorView(const Matrix<T>& m) : TensorView(m.data, static_cast<int64_t>(m.rows), static_cast<int64_t>(m.width)) {}
  TensorView(const TensorView& other) : shape(other.shape), tensor(other.tensor) { tensor.shape = shape.data(); }
  TensorView& operator=(const TensorView&) = delete;

  std::array<int64_t, 3> shape;
  spar_tensor tensor{};

 private:
  void init(T* data, int32_t ndim) {
    using Value = std::remove_const_t<T>;
    tensor.data = const_cast<Value*>(data);
    tensor.device_type = SPAR_DEVICE_CPU;
    tensor.ndim = ndim;
    tensor.code = dtype_code<Value>();
    tensor.bits = 8 * sizeof(Value);
    tensor.lanes = 1;
    tensor.shape = shape.data();
  }
};

/// The column `name` of a batch as an input of a network: any shape and element type.
struct ColumnView {
  /// Throws SPAR_E_INVALID if the batch has no such column.
  ColumnView(const spar_batch& batch, std::string_view name) {
    const spar_column* column = find_column(batch, name);
    if (!column) throw StatusError(SPAR_E_INVALID, "the batch has no column `" + std::string(name) + "`");
    tensor = column->t;
  }

  spar_tensor tensor;
};

/// One input of a network: f32 numbers, or u8 that the network scales by 1/255.
struct InputSpec {
  InputSpec(int64_t width) : shape{width} {}
  InputSpec(std::vector<int64_t> dims, bool u8) : shape(std::move(dims)), bytes(u8) {}

  std::vector<int64_t> shape;  ///< of one row
  bool bytes = false;
};

/// A branch after the trunk; the outputs of all heads are joined.
struct HeadSpec {
  int64_t out = 1;
  std::vector<int64_t> hidden;
};

/// Shape and initialisation; the words are those of spar_net_spec.
struct NetworkSpec {
  std::vector<InputSpec> inputs;  ///< joined in order; empty: a free vector of `out` numbers
  std::vector<int64_t> hidden;
  int64_t out = 1;
  std::vector<HeadSpec> heads;  ///< empty: one output layer after the trunk
  std::vector<double> value;    ///< start of a free vector
  std::string activation = "relu", output = "identity", init = "default";
  double gain = 1, last_gain = 1;
  bool dueling = false;          ///< Q = V + A - mean_a A over `out` actions
  int64_t atoms = 1;             ///< numbers for each of `out`: output [out, atoms], for distributions over values
  double noisy = 0;              ///< sigma0 of factorised noisy layers (Fortunato et al. 2018); 0: plain layers
  std::string kind = "mlp";      ///< mlp, nature_cnn or torchscript; a free vector ignores it
  std::string file;              ///< of torchscript, which takes nothing else of what is above but inputs and out
  std::string backend = "auto";  ///< auto, native or torch
  std::string device = "auto";   ///< auto, cpu or cuda
  uint32_t ensemble = 1, slots = 1;
  uint64_t max_rows = 1;

  std::string json() const {
    const std::string where = "{\"backend\":" + detail::json(backend) + ",\"device\":" + detail::json(device);
    if (inputs.empty()) return where + ",\"value\":" + detail::json(value) + "}";
    std::string text = where + ",\"kind\":" + detail::json(kind);
    if (kind == "torchscript") return text + ",\"file\":" + detail::json(file) + "}";
    text += ",\"hidden\":" + detail::json(hidden) + ",\"activation\":" + detail::json(activation) +
            ",\"output\":" + detail::json(output) + ",\"init\":" + detail::json(init);
    if (init != "default") text += ",\"gain\":" + detail::json(gain) + ",\"last_gain\":" + detail::json(last_gain);
    if (noisy > 0) text += ",\"noisy\":" + detail::json(noisy);
    if (dueling && atoms > 1) text += ",\"atoms\":" + std::to_string(atoms);
    if (dueling)
      text += ",\"dueling\":true,\"heads\":[{\"out\":" + std::to_string(atoms) +
              "},{\"out\":" + std::to_string(out * atoms) + "}]";
    if (!dueling && !heads.empty()) text += ",\"heads\":" + heads_json();
    return text + "}";
  }

 private:
  std::string heads_json() const {
    std::string text;
    for (const HeadSpec& head : heads) {
      text += (text.empty() ? "[" : ",") + ("{\"out\":" + std::to_string(head.out)) +
              ",\"hidden\":" + detail::json(head.hidden) + "}";
    }
    return text + "]";
  }
};

class Network {
 public:
  Network(const Context& ctx, std::string_view name, const NetworkSpec& spec)
      : service_(&ctx.nn()), ctx_(ctx.handle()) {
    std::vector<spar_column_spec> columns;
    std::vector<const spar_column_spec*> pointers;
    for (const InputSpec& input : spec.inputs) {
      columns.push_back({sizeof(spar_column_spec), 0, "x",
                         static_cast<uint8_t>(input.bytes ? SPAR_DTYPE_UINT : SPAR_DTYPE_FLOAT),
                         static_cast<uint8_t>(input.bytes ? 8 : 32), 1, static_cast<int32_t>(input.shape.size()),
                         input.shape.data()});
    }
    for (const auto& column : columns) pointers.push_back(&column);
    const std::string json = spec.json();
    const spar_net_spec raw{
        sizeof(spar_net_spec), spec.ensemble, pointers.data(), static_cast<uint32_t>(pointers.size()), spec.slots,
        spec.out * spec.atoms, spec.max_rows, json.c_str()};
    spar_error error = fresh_error();
    check(service_->create(ctx_, str(name), &raw, &net_, &error), error);
  }
  ~Network() {
    if (net_) service_->destroy(net_);
  }
  Network(Network&& other) noexcept
      : service_(other.service_), ctx_(other.ctx_), net_(std::exchange(other.net_, nullptr)) {}
  Network& operator=(Network&&) = delete;

  /// x: TensorView or ColumnView. y = network(x..), y [ensemble, rows, out * atoms]. slot 0 keeps nothing; slots 1..
  /// keep what backward needs.
  template <class... Inputs>
  void forward(uint32_t slot, const TensorView<float>& y, const Inputs&... x) const {
    run(slot, 0, y, x...);
  }
  /// The same with the means of noisy layers.
  template <class... Inputs>
  void forward_quiet(uint32_t slot, const TensorView<float>& y, const Inputs&... x) const {
    run(slot, SPAR_NET_QUIET, y, x...);
  }
  /// Adds the parameter gradients of the activations in `slot` for the output gradient dy.
  void backward(uint32_t slot, const TensorView<float>& dy) const {
    spar_error error = fresh_error();
    check(service_->backward(net_, slot, &dy.tensor, nullptr, SPAR_NET_PARAMS, &error), error);
  }
  /// dx = gradients with respect to the inputs, in their order, nullptr where not wanted; overwritten, summed over the
  /// ensemble where the input had no ensemble dimension. Leaves the parameter gradients alone.
  void backward_to_inputs(uint32_t slot, const TensorView<float>& dy,
                          std::initializer_list<const TensorView<float>*> dx) const {
    std::array<spar_tensor, 8> tensors{};
    std::array<spar_tensor*, 8> wanted{};
    if (dx.size() > wanted.size()) throw StatusError(SPAR_E_INVALID, "a network has at most 8 inputs");
    size_t i = 0;
    for (const TensorView<float>* view : dx) {
      if (view) {
        tensors[i] = view->tensor;
        wanted[i] = &tensors[i];
      }
      ++i;
    }
    spar_error error = fresh_error();
    check(service_->backward(net_, slot, &dy.tensor, wanted.data(), SPAR_NET_INPUT, &error), error);
  }
  /// New noise for noisy layers; activations of before are no longer good for backward.
  void resample() const {
    spar_error error = fresh_error();
    check(service_->resample(net_, &error), error);
  }
  /// this += tau * (source - this); 1 copies.
  void blend(const Network& source, double tau) const {
    spar_error error = fresh_error();
    check(service_->blend(net_, source.net_, tau, &error), error);
  }
  spar_net* handle() const { return net_; }
  const spar_svc_nn& service() const { return *service_; }

 private:
  template <class... Inputs>
  void run(uint32_t slot, uint32_t flags, const TensorView<float>& y, const Inputs&... x) const {
    const spar_tensor* inputs[] = {&x.tensor..., nullptr};  // a free vector has no inputs
    spar_tensor out = y.tensor;
    spar_error error = fresh_error();
    check(service_->forward(net_, slot, flags, inputs, &out, &error), error);
  }

  const spar_svc_nn* service_;
  spar_ctx* ctx_;
  spar_net* net_ = nullptr;
};

/// Adam with global-norm clipping and the blend of a target in the same pass.
struct Adam {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double max_grad_norm = 0;  ///< <= 0: no clipping

  /// One step on `net`; if `target` is given, target += tau * (net - target) afterwards. Returns the norm before
  /// clipping.
  double step(const Context& ctx, const Network& net, const Network* target = nullptr, double tau = 0) const {
    spar_net* nets[] = {net.handle()};
    spar_net* targets[] = {target ? target->handle() : nullptr};
    return step(ctx, net.service(), nets, targets, 1, tau);
  }
  /// One step on several networks with one global norm, e.g. a policy network and its free log standard deviation.
  double step(const Context& ctx, std::initializer_list<const Network*> nets) const {
    std::array<spar_net*, 8> handles{};
    if (nets.size() == 0 || nets.size() > handles.size())
      throw StatusError(SPAR_E_INVALID, "one update takes 1 to 8 networks");
    size_t n = 0;
    for (const Network* net : nets) handles[n++] = net->handle();
    return step(ctx, (*nets.begin())->service(), handles.data(), nullptr, static_cast<uint32_t>(n), 0);
  }

 private:
  double step(const Context& ctx, const spar_svc_nn& service, spar_net* const* nets, spar_net* const* targets,
              uint32_t n, double tau) const {
    const spar_update update{sizeof(spar_update), n, nets, targets, lr, beta1, beta2, eps, max_grad_norm, tau};
    double norm = 0;
    spar_error error = fresh_error();
    check(service.update(ctx.handle(), &update, &norm, &error), error);
    return norm;
  }
};

}  // namespace spar

#include "core/nn/backend_network.hpp"

#include <string.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/nn/failure.hpp"
#include "core/nn/init.hpp"

namespace spar::nn {
namespace {

spar_error fresh_error() {
  spar_error error{};
  error.struct_size = sizeof error;
  return error;
}

/// call(&error) with the backend's answer checked.
template <class Call>
void checked(const Backend& backend, Call&& call) {
  spar_error error = fresh_error();
  const spar_status status = call(&error);
  if (status < 0) [[unlikely]]
    check_backend(backend, status, error);
}

/// A module is what its file says, so the file's checksum is part of its shape.
std::string file_sha256(const std::string& place, const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  Sha256 hash;
  std::array<char, 65536> block;
  while (in.read(block.data(), block.size()) || in.gcount() > 0)
    hash.update(std::as_bytes(std::span(block.data(), static_cast<size_t>(in.gcount()))));
  if (in.bad() || !in.eof())
    throw invalid(place + "`file` " + backquoted(path) + " cannot be read (" + system_text(errno) +
                  "): name a TorchScript file, seen from the working directory");
  return hash.hex();
}

}  // namespace

void check_backend(const Backend& backend, spar_status status, const spar_error& error) {
  if (status >= 0) return;
  std::string text = printable({error.message, ::strnlen(error.message, sizeof error.message)});
  if (text.empty())
    text = "backend `" + backend.id() + "` failed with status " + std::to_string(status) + " and gave no reason";
  if (status == SPAR_E_INVALID) throw invalid(text);
  if (status == SPAR_E_UNSUPPORTED) throw not_offered(text);
  if (status == SPAR_E_STATE) throw not_now(text);
  throw backend_failed(text);
}

BackendNetwork::BackendNetwork(NetworkSet& owner, Spec source_spec, Backend& backend, const spar_net_spec& source,
                               Philox random, Philox noise)
    : Network(owner, std::move(source_spec)),
      backend_(backend),
      handle_(nullptr, Destroy{&backend.table()}),
      random_(noise) {
  const spar_svc_nn& table = backend_.table();
  const bool script = spec().kind == Kind::torchscript;
  if (script) set_shape(shape() + " of " + file_sha256(place(), spec().file));
  spar_net* created = nullptr;
  checked(backend_, [&](spar_error* e) {
    return table.create(backend_.ctx(), {name().data(), name().size()}, &source, &created, e);
  });
  handle_.reset(created);
  parameters_ = table.bytes(created, SPAR_NET_VALUES) / sizeof(float);
  if (!script) write_initial_values(random);
  for (const LayerShape& layer : layer_shapes(spec()))
    if (layer.noisy) noise_.resize(noise_.size() + spec().ensemble * (layer.in + layer.out));
  if (!noise_.empty()) draw_noise();
}

void BackendNetwork::write_initial_values(Philox& random) {
  const std::vector<LayerShape> layers = layer_shapes(spec());
  size_t member = spec().free_vector() ? spec().out : 0;
  for (const LayerShape& layer : layers) member += (layer.noisy ? 2 : 1) * (layer.in * layer.out + layer.out);
  std::vector<float> canonical(spec().ensemble * member);
  if (canonical.size() != parameters_)
    throw backend_failed(place() + "backend `" + backend_.id() + "` made " + std::to_string(parameters_) +
                         " parameters for shape " + shape() + ", expected " + std::to_string(canonical.size()));
  for (size_t m = 0; m < spec().ensemble; ++m)
    initial_values(spec(), layers, random, std::span(canonical).subspan(m * member, member));
  write_numbers(SPAR_NET_VALUES, canonical.data());
}

void BackendNetwork::run_forward(const Pass& pass, const spar_tensor* const* x, const spar_tensor& y, std::byte*) {
  spar_tensor out = y;
  checked(backend_, [&](spar_error* e) {
    return backend_.table().forward(handle(), pass.slot, pass.quiet ? SPAR_NET_QUIET : 0, x, &out, e);
  });
}

void BackendNetwork::run_backward(const Pass& pass, const spar_tensor& dy, const std::byte*, spar_tensor* const* dx,
                                  uint32_t what) {
  checked(backend_, [&](spar_error* e) { return backend_.table().backward(handle(), pass.slot, &dy, dx, what, e); });
}

void BackendNetwork::draw_noise() {
  for (float& number : noise_) number = static_cast<float>(random_.normal());
  write_numbers(SPAR_NET_NOISE, noise_.data());
}

void BackendNetwork::read_numbers(uint32_t what, void* dst) const {
  checked(backend_, [&](spar_error* e) { return backend_.table().read(handle(), what, dst, bytes(what), e); });
}

void BackendNetwork::write_numbers(uint32_t what, const void* src) {
  checked(backend_, [&](spar_error* e) { return backend_.table().write(handle(), what, src, bytes(what), e); });
}

}  // namespace spar::nn

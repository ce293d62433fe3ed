#include "core/nn/update.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/nn/backend_network.hpp"
#include "core/nn/failure.hpp"
#include "core/nn/native_network.hpp"
#include "core/nn/network_set.hpp"
#include "core/nn/share.hpp"
#include "core/nn/tier.hpp"

namespace spar::nn {
namespace {

void check_number(const char* name, double value, bool right, const char* expected) {
  if (!right) throw invalid("update: " + std::string(name) + " is " + std::to_string(value) + ", expected " + expected);
}

void check_same_shape(const Network& dst, const Network& src) {
  if (dst.shape() == src.shape()) return;
  throw invalid("network `" + dst.name() + "` of shape " + dst.shape() + " cannot follow network `" + src.name() +
                "` of shape " + src.shape() + ": create both with the same specification");
}

std::string home(const Network& net) { return net.backend() ? "backend `" + net.backend()->id() + "`" : "the host"; }

void check_same_home(const char* call, const Network& a, const Network& b) {
  if (a.backend() == b.backend()) return;
  throw not_offered(std::string(call) + ": network `" + a.name() + "` lives on " + home(a) + " and network `" +
                    b.name() + "` on " + home(b) + (a.backend() && b.backend() ? ", opened another time" : "") +
                    ": create both with the same backend and device");
}

void check_nets(const spar_update& step) {
  if (step.nets == nullptr || step.n_nets == 0) throw invalid("update: no networks given, expected at least one");
  for (uint32_t i = 0; i < step.n_nets; ++i) {
    if (step.nets[i] == nullptr) throw invalid("update: nets[" + std::to_string(i) + "] is NULL");
    const Network& net = network_of(step.nets[i]);
    check_same_home("update", network_of(step.nets[0]), net);
    for (uint32_t j = 0; j < i; ++j)
      if (step.nets[j] == step.nets[i])
        throw invalid("update: network `" + net.name() + "` is given twice, and would take two steps");
    if (step.targets == nullptr || step.targets[i] == nullptr) continue;
    for (uint32_t j = 0; j < step.n_nets; ++j)
      if (step.targets[i] == step.nets[j] || (j < i && step.targets[j] == step.targets[i]))
        throw invalid("update: network `" + network_of(step.targets[i]).name() +
                      "` is a target and given once more, expected a target to occur once");
    const Network& target = network_of(step.targets[i]);
    check_same_shape(target, net);
    check_same_home("update", net, target);
  }
}

void check(const spar_update& step) {
  if (step.struct_size < SPAR_END(spar_update, tau))
    throw invalid("update: spar_update has struct_size " + std::to_string(step.struct_size) + ", expected at least " +
                  std::to_string(SPAR_END(spar_update, tau)) + ": set it to sizeof");
  check_nets(step);
  check_number("lr", step.lr, std::isfinite(step.lr), "a finite number");
  check_number("beta1", step.beta1, step.beta1 >= 0.0 && step.beta1 < 1.0, "0 <= beta1 < 1");
  check_number("beta2", step.beta2, step.beta2 >= 0.0 && step.beta2 < 1.0, "0 <= beta2 < 1");
  check_number("eps", step.eps, step.eps >= 1e-30 && std::isfinite(step.eps), "a positive number");
  check_number("max_grad_norm", step.max_grad_norm, !std::isnan(step.max_grad_norm), "a number");
  if (step.targets != nullptr) check_number("tau", step.tau, step.tau >= 0.0 && step.tau <= 1.0, "0 <= tau <= 1");
}

void check_blend(const Network& dst, const Network& src, double tau) {
  check_same_shape(dst, src);
  if (!(tau >= 0.0 && tau <= 1.0))
    throw invalid("blend of network `" + dst.name() + "`: tau is " + std::to_string(tau) + ", expected 0 <= tau <= 1");
  check_same_home("blend", dst, src);
}

spar_net* handle_in_backend(spar_net* net) {
  return net == nullptr ? nullptr : static_cast<BackendNetwork&>(network_of(net)).handle();
}

double update_in(Backend& backend, const spar_update& step) {
  std::vector<spar_net*> nets, targets;
  for (uint32_t i = 0; i < step.n_nets; ++i) {
    nets.push_back(handle_in_backend(step.nets[i]));
    targets.push_back(step.targets != nullptr ? handle_in_backend(step.targets[i]) : nullptr);
  }
  spar_update inner = step;
  inner.struct_size = sizeof inner;
  inner.nets = nets.data();
  inner.targets = targets.data();
  double norm = 0.0;
  spar_error error{};
  error.struct_size = sizeof error;
  check_backend(backend, backend.table().update(backend.ctx(), &inner, &norm, &error), error);
  for (uint32_t i = 0; i < step.n_nets; ++i) {
    network_of(step.nets[i]).changed();
    if (step.targets != nullptr && step.targets[i] != nullptr) network_of(step.targets[i]).changed();
  }
  return norm;
}

/// Threads for a pass over `n` numbers.
size_t threads_for(const Crew* crew, size_t n) {
  constexpr size_t kWorthIt = 20'000;
  return crew != nullptr && n >= kWorthIt ? crew->free_threads() : 1;
}

/// The sum of the squares of all gradients, block by block, however many threads take part.
double square_sum(const Kernels& kernel, Crew* crew, Parameters& net) {
  const Floats& g = net.summed_gradients();
  const size_t threads = threads_for(crew, g.size());
  if (threads == 1) return kernel.square_sum(g.size(), g.data());
  crew->run(threads, [&](size_t i) {
    const auto [from, end] = Share{i, threads}.of_numbers(net.squares.size(), 1);
    for (size_t block = from; block < end; ++block) {
      const size_t at = block * kSquareBlock;
      net.squares[block] = kernel.square_sum(std::min(kSquareBlock, g.size() - at), g.data() + at);
    }
  });
  return std::accumulate(net.squares.begin(), net.squares.end(), 0.0);
}

/// Numbers do not depend on each other: large vectors are shared out.
void adam(const Kernels& kernel, Crew* crew, const AdamPass& pass) {
  const size_t threads = threads_for(crew, pass.n);
  if (threads == 1) return kernel.adam(pass);
  crew->run(threads, [&](size_t i) {
    const auto [from, end] = Share{i, threads}.of_numbers(pass.n);
    AdamPass part = pass;
    for (float** vector : {&part.p, &part.m, &part.v}) *vector += from;
    part.g += from;
    if (part.target != nullptr) part.target += from;
    part.n = end - from;
    kernel.adam(part);
  });
}

Parameters& parameters_of(spar_net* net) { return static_cast<NativeNetwork&>(network_of(net)).parameters(); }

}  // namespace

double update(const spar_update& step) {
  check(step);
  if (Backend* backend = network_of(step.nets[0]).backend()) return update_in(*backend, step);
  const Kernels& kernel = kernels();
  double squares = 0.0;
  for (uint32_t i = 0; i < step.n_nets; ++i) {
    squares += square_sum(kernel, network_of(step.nets[i]).owner().crew(), parameters_of(step.nets[i]));
  }
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm))
    throw not_now("update: the gradient norm of network `" + network_of(step.nets[0]).name() + "`" +
                  (step.n_nets > 1 ? " and " + std::to_string(step.n_nets - 1) + " more" : "") +
                  " is not finite and no parameter was changed: lower the learning rate or clip the loss");
  const bool clip = step.max_grad_norm > 0.0 && norm > step.max_grad_norm;
  const double scale = clip ? step.max_grad_norm / (norm + 1e-6) : 1.0;

  for (uint32_t i = 0; i < step.n_nets; ++i) {
    Parameters& net = parameters_of(step.nets[i]);
    spar_net* follower = step.targets != nullptr ? step.targets[i] : nullptr;
    Parameters* target = follower != nullptr ? &parameters_of(follower) : nullptr;
    const bool copy = target != nullptr && step.tau == 1.0;
    const auto t = static_cast<double>(++net.steps);
    AdamPass pass{};
    pass.p = net.values.data();
    pass.g = net.gradients.data();
    pass.m = net.moment1.data();
    pass.v = net.moment2.data();
    pass.target = target != nullptr && !copy ? target->values.data() : nullptr;
    pass.n = net.values.size();
    pass.scale = static_cast<float>(scale);
    pass.beta1 = static_cast<float>(step.beta1);
    pass.rest1 = static_cast<float>(1.0 - step.beta1);
    pass.beta2 = static_cast<float>(step.beta2);
    pass.rest2 = static_cast<float>(1.0 - step.beta2);
    pass.step = static_cast<float>(step.lr / (1.0 - std::pow(step.beta1, t)));
    pass.root = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(step.beta2, t)));
    pass.eps = static_cast<float>(step.eps);
    pass.tau = static_cast<float>(step.tau);
    adam(kernel, network_of(step.nets[i]).owner().crew(), pass);
    net.no_gradients = true;
    net.no_moments = false;
    network_of(step.nets[i]).changed();
    if (copy) std::copy(net.values.begin(), net.values.end(), target->values.begin());
    if (follower != nullptr) network_of(follower).changed();
  }
  return norm;
}

void blend(Network& dst, const Network& src, double tau) {
  check_blend(dst, src, tau);
  if (Backend* backend = dst.backend()) {
    spar_error error{};
    error.struct_size = sizeof error;
    const auto& from = static_cast<const BackendNetwork&>(src);
    check_backend(*backend,
                  backend->table().blend(static_cast<BackendNetwork&>(dst).handle(), from.handle(), tau, &error),
                  error);
  } else {
    Floats& to = static_cast<NativeNetwork&>(dst).parameters().values;
    const Floats& from = static_cast<const NativeNetwork&>(src).parameters().values;
    if (tau == 1.0)
      std::copy(from.begin(), from.end(), to.begin());
    else
      kernels().blend(to.size(), to.data(), from.data(), static_cast<float>(tau));
  }
  dst.changed();
}

double routed_update(const spar_update& step) {
  check(step);
  UpdateRoute* route = network_of(step.nets[0]).owner().route();
  return route != nullptr ? route->update(step) : update(step);
}

void routed_blend(Network& dst, const Network& src, double tau) {
  check_blend(dst, src, tau);
  UpdateRoute* route = dst.owner().route();
  return route != nullptr ? route->blend(dst, src, tau) : blend(dst, src, tau);
}

}  // namespace spar::nn

// Adam (Kingma & Ba 2015) with clipping by one global norm, and the blend of target networks.
#include <cmath>

#include "network.hpp"
#include "spar/barrier.hpp"

namespace torch_backend {

double update(const std::vector<Network*>& nets, const std::vector<Network*>& targets, const spar_update& step) {
  const at::NoGradGuard off;
  double squares = 0;
  for (const Network* net : nets) squares += net->gradients.square().sum(at::kDouble).item<double>();
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm))
    throw spar::StatusError(
        SPAR_E_STATE, "update: the gradient norm of network `" + nets[0]->plan().name + "`" +
                          (nets.size() > 1 ? " and " + std::to_string(nets.size() - 1) + " more" : "") +
                          " is not finite and no parameter was changed: lower the learning rate or clip the loss");
  const double clip = step.max_grad_norm > 0 && norm > step.max_grad_norm ? step.max_grad_norm / (norm + 1e-6) : 1;

  for (size_t i = 0; i < nets.size(); ++i) {
    Network& net = *nets[i];
    const auto t = static_cast<double>(++net.steps);
    at::Tensor& g = net.gradients;
    if (clip < 1) g.mul_(clip);
    net.moment1.mul_(step.beta1).add_(g, 1 - step.beta1);
    net.moment2.mul_(step.beta2).addcmul_(g, g, 1 - step.beta2);
    const double rest1 = 1 - std::pow(step.beta1, t), rest2 = 1 - std::pow(step.beta2, t);
    const at::Tensor root = net.moment2.sqrt().mul_(1 / std::sqrt(rest2)).add_(step.eps);
    net.values.addcdiv_(net.moment1, root, -step.lr / rest1);
    g.zero_();
    if (targets[i]) blend(*targets[i], net, step.tau);
  }
  return norm;
}

void blend(Network& dst, const Network& src, double tau) {
  const at::NoGradGuard off;
  if (tau == 1)
    dst.values.copy_(src.values);
  else
    dst.values.add_(src.values - dst.values, tau);
}

}  // namespace torch_backend

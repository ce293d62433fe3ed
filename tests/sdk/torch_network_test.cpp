// The host's networks inside LibTorch's graph, against the same network made of LibTorch's own operations.
#include "spar/torch_network.hpp"

#include <boost/test/unit_test.hpp>

#include "core/nn/network_set.hpp"
#include "core/nn/service.hpp"
#include "core/plugin/context.hpp"

BOOST_AUTO_TEST_SUITE(torch_networks)

using spar::Context;
using spar::InputSpec;
using spar::Network;
using spar::NetworkSpec;
using spar::StatusError;
using spar::TorchNetwork;
using torch::Tensor;

namespace {

const spar_host kHost = {sizeof(spar_host), SPAR_ABI_VERSION, "test", "1",
                         [](const spar_host*, const char* id) -> const void* {
                           return std::string_view(id) == SPAR_SVC_NN ? &spar::nn::nn_service() : nullptr;
                         }};

struct Stage {
  spar::nn::NetworkSet networks;
  spar_ctx inside;
  Context ctx{&kHost, &inside};
  NetworkSpec spec;

  explicit Stage(std::vector<InputSpec> inputs, uint32_t members = 1) {
    inside.name = "algorithm/test";
    inside.root_seed = 3;
    inside.networks = &networks;
    spec.inputs = std::move(inputs);
    spec.hidden = {8};
    spec.out = 2;
    spec.ensemble = members;
    spec.slots = 2;
    spec.max_rows = 16;
  }
  std::vector<float> numbers(uint32_t what) const {
    const spar::nn::Network& net = *networks.find("net");
    std::vector<float> out(net.bytes(what) / sizeof(float));
    net.read(what, out.data(), out.size() * sizeof(float));
    return out;
  }
  /// The network's parameters as leaves of LibTorch, in canonical order.
  std::vector<Tensor> leaves(int64_t in) const {
    const std::vector<float> values = numbers(SPAR_NET_VALUES);
    std::vector<Tensor> out;
    size_t at = 0;
    for (uint32_t member = 0; member < spec.ensemble; ++member)
      for (const std::vector<int64_t>& shape : {std::vector<int64_t>{8, in}, {8}, {2, 8}, {2}}) {
        const auto n = static_cast<size_t>(torch::zeros(shape).numel());
        out.push_back(torch::tensor(at::ArrayRef<float>(values.data() + at, n)).reshape(shape).requires_grad_(true));
        at += n;
      }
    return out;
  }
};

Tensor by_hand(const std::vector<Tensor>& p, size_t member, const Tensor& x) {
  const Tensor* m = &p[4 * member];
  return torch::relu(x.matmul(m[0].t()) + m[1]).matmul(m[2].t()) + m[3];
}

bool close(const Tensor& a, const Tensor& b) { return torch::allclose(a, b, 1e-5, 1e-6); }

Tensor flat_gradients(const std::vector<Tensor>& leaves) {
  std::vector<Tensor> parts;
  for (const Tensor& leaf : leaves) parts.push_back(leaf.grad().reshape({-1}));
  return torch::cat(parts);
}

Tensor flat(const std::vector<float>& numbers) { return torch::tensor(at::ArrayRef<float>(numbers)); }

auto status(spar_status code) {
  return [code](const StatusError& error) { return error.code == code; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(gradients_of_parameters_and_inputs_are_those_of_libtorch) {
  Stage stage({3, 1});
  const Network net(stage.ctx, "net", stage.spec);
  const TorchNetwork q(net, stage.spec);
  const std::vector<Tensor> leaves = stage.leaves(4);
  const Tensor obs = torch::randn({5, 3});
  Tensor action = torch::randn({5, 1}).requires_grad_(true), again = action.detach().clone().requires_grad_(true);

  const Tensor y = q.forward(1, {obs, torch::tanh(action)}),
               expected = by_hand(leaves, 0, torch::cat({obs, torch::tanh(again)}, 1));
  BOOST_CHECK(y.sizes() == torch::IntArrayRef({5, 2}));
  BOOST_CHECK(close(y, expected));
  y.square().sum().backward();
  expected.square().sum().backward();
  BOOST_CHECK(close(action.grad(), again.grad()));
  BOOST_CHECK(close(flat(stage.numbers(SPAR_NET_GRADIENTS)), flat_gradients(leaves)));
}

BOOST_AUTO_TEST_CASE(members_are_one_dimension_of_the_result) {
  Stage stage({3}, 2);
  const Network net(stage.ctx, "net", stage.spec);
  const TorchNetwork q(net, stage.spec);
  const std::vector<Tensor> leaves = stage.leaves(3);
  const Tensor x = torch::randn({4, 3});
  const Tensor y = q.forward(1, {x});
  BOOST_CHECK(y.sizes() == torch::IntArrayRef({2, 4, 2}));
  for (int64_t member = 0; member < 2; ++member)
    BOOST_CHECK(close(y[member], by_hand(leaves, static_cast<size_t>(member), x)));
  y.amin(0).sum().backward();
  torch::min(by_hand(leaves, 0, x), by_hand(leaves, 1, x)).sum().backward();
  BOOST_CHECK(close(flat(stage.numbers(SPAR_NET_GRADIENTS)), flat_gradients(leaves)));

  const Tensor each = torch::randn({2, 4, 3}), apart = q.forward(0, {each});
  for (int64_t member = 0; member < 2; ++member)
    BOOST_CHECK(close(apart[member], by_hand(leaves, static_cast<size_t>(member), each[member])));
}

BOOST_AUTO_TEST_CASE(who_looks_through_a_network_leaves_its_gradients_alone) {
  Stage stage({3});
  const Network net(stage.ctx, "net", stage.spec);
  const TorchNetwork q(net, stage.spec);
  Tensor x = torch::randn({4, 3}).requires_grad_(true);
  q.through(1, {x}).sum().backward();
  BOOST_TEST(x.grad().abs().sum().item<float>() > 0);
  for (const float gradient : stage.numbers(SPAR_NET_GRADIENTS)) BOOST_TEST(gradient == 0);
}

BOOST_AUTO_TEST_CASE(two_slots_are_two_parts_of_one_graph) {
  Stage stage({3});
  const Network net(stage.ctx, "net", stage.spec);
  const TorchNetwork q(net, stage.spec);
  const std::vector<Tensor> leaves = stage.leaves(3);
  const Tensor a = torch::randn({4, 3}), b = torch::randn({6, 3});
  (q.forward(1, {a}).sum() + q.forward(2, {b}).square().sum()).backward();
  (by_hand(leaves, 0, a).sum() + by_hand(leaves, 0, b).square().sum()).backward();
  BOOST_CHECK(close(flat(stage.numbers(SPAR_NET_GRADIENTS)), flat_gradients(leaves)));
}

BOOST_AUTO_TEST_CASE(without_gradients_nothing_is_kept) {
  Stage stage({3});
  const Network net(stage.ctx, "net", stage.spec);
  const TorchNetwork q(net, stage.spec);
  const Tensor x = torch::randn({4, 3});
  BOOST_TEST(!q.forward(0, {x}).requires_grad());
  BOOST_TEST(q.forward(1, {x}).requires_grad());
  const torch::NoGradGuard guard;
  BOOST_TEST(!q.forward(1, {x}).requires_grad());
}

BOOST_AUTO_TEST_CASE(a_slot_that_is_used_again_refuses_the_backward_of_before) {
  Stage stage({3});
  const Network net(stage.ctx, "net", stage.spec);
  const TorchNetwork q(net, stage.spec);
  const Tensor x = torch::randn({4, 3});
  const Tensor old = q.forward(1, {x}).sum(), now = q.forward(1, {x}).sum();
  BOOST_CHECK_EXCEPTION(old.backward(), StatusError, status(SPAR_E_STATE));
  now.backward({}, true);
  BOOST_CHECK_EXCEPTION(now.backward(), StatusError, status(SPAR_E_STATE));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_computed_is_refused) {
  Stage stage({3});
  const Network net(stage.ctx, "net", stage.spec);
  const TorchNetwork q(net, stage.spec);
  BOOST_CHECK_EXCEPTION(q.forward(3, {torch::randn({4, 3})}), StatusError, status(SPAR_E_INVALID));
  BOOST_CHECK_EXCEPTION(q.forward(1, {}), StatusError, status(SPAR_E_INVALID));
  BOOST_CHECK_EXCEPTION(q.forward(1, {torch::randn({4, 2})}), StatusError, status(SPAR_E_INVALID));
  BOOST_CHECK_EXCEPTION(q.forward(1, {torch::randn({17, 3})}), StatusError, status(SPAR_E_INVALID));
  NetworkSpec free;
  free.inputs = {};
  BOOST_CHECK_EXCEPTION(TorchNetwork(net, free), StatusError, status(SPAR_E_UNSUPPORTED));
}

BOOST_AUTO_TEST_SUITE_END()

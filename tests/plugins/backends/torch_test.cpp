// The backend `torch` computes the same function as the host's own kernels: values, gradients, steps, checkpoints.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>

#include "core/base/bytes.hpp"
#include "core/plugin/loader.hpp"
#include "torch_support.hpp"

using namespace spar;
using namespace spar::nn;
using namespace spar::nn::test;

namespace {

constexpr double kTolerance = 1e-5;
using Bytes = std::vector<std::byte>;

std::string maps() {
  std::ifstream in("/proc/self/maps");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A network of each side, made from one stream.
struct Pair {
  Instance native;
  TorchInstance torch;
  NetPlan plan;
  spar_net *a, *b;

  explicit Pair(const NetPlan& p) : plan(p), a(native.create("q", plan)), b(torch.create("q", on_torch(plan))) {}

  bool noisy() { return network_of(a).noise_count() > 0; }
  void resample() {
    if (!noisy()) return;
    native.resample(a);
    torch.resample(b);
  }
  void check(uint32_t what) { BOOST_TEST(distance(torch.read(b, what), native.read(a, what)) < kTolerance, what); }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases = grid();
  cases.push_back({{{}, 3, R"({"value":[0.5,-1,2]})"}});
  cases.push_back({{{}, 2, "", 2}});
  cases.push_back({{{5}, 4, R"({"hidden":[12],"init":"orthogonal","gain":1.4,"last_gain":0.01})"}});
  cases.push_back({{{5}, 4, R"({"hidden":[12],"init":"uniform","gain":0.1,"last_gain":0.003})"}});
  return cases;
}

Bytes saved(const Instance& instance) {
  ByteWriter writer;
  instance.networks.save(writer);
  return writer.take();
}

void load(Instance& instance, const Bytes& bytes) {
  ByteReader reader(bytes, "networks");
  instance.networks.load(reader);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_torch)

BOOST_AUTO_TEST_CASE(libtorch_is_in_the_process_from_the_first_network_on_that_asks_for_it) {
  Instance native;
  native.create("q", {{4}, 2, R"({"hidden":[8]})"});
  const std::string before = maps();
  BOOST_TEST(before.find("libtorch") == std::string::npos);
  TorchInstance torch;
  BOOST_TEST(maps().find("libtorch") == std::string::npos);
  torch.create("q", on_torch({{4}, 2, R"({"hidden":[8]})"}));
  BOOST_TEST(maps().find("libtorch_cpu") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(another_plugin_shares_the_libtorch_and_one_of_another_version_is_refused) {
  TorchInstance torch;
  torch.create("q", on_torch({{4}, 2, ""}));
  const auto fixture = [](const char* name) {
    return plugin::inspect(std::string(SPAR_BUILD_DIR "/tests/bad_plugins/") + name + ".spar.so", "test", std::nullopt);
  };
  const plugin::LoadedPlugin second(fixture("links_torch"));
  BOOST_TEST(second.components().size() == 1u);
  try {
    const plugin::LoadedPlugin third(fixture("needs_torch_9"));
    BOOST_TEST(false, "a second LibTorch was loaded");
  } catch (const Error& error) {
    BOOST_TEST(error.code() == "E0126");
    BOOST_TEST(static_cast<int>(error.exit()) == 3);
    BOOST_TEST(std::string(error.what()).find("needs LibTorch `libtorch_cpu.so.9`, and `libtorch_cpu.so") !=
               std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(both_start_equal_and_give_equal_outputs_and_gradients) {
  for (const Case& c : all_cases())
    for (const int64_t rows : {1, 7}) {
      BOOST_TEST_CONTEXT(c.plan.json << " ensemble " << c.plan.ensemble << " rows " << rows) {
        Pair pair(c.plan);
        BOOST_TEST(network_of(pair.a).shape() == network_of(pair.b).shape());
        BOOST_TEST(pair.torch.read(pair.b) == pair.native.read(pair.a));
        pair.resample();
        if (pair.noisy())
          BOOST_TEST(pair.torch.read(pair.b, SPAR_NET_NOISE) == pair.native.read(pair.a, SPAR_NET_NOISE));
        for (const uint32_t flags : {0u, static_cast<uint32_t>(SPAR_NET_QUIET)}) {  // gradients add
          Batch batch(c.plan, rows, c.member_inputs, static_cast<uint32_t>(rows) + flags);
          const PassResult expected = pass(pair.native, pair.a, batch, flags),
                           found = pass(pair.torch, pair.b, batch, flags);
          BOOST_TEST(distance(found.y, expected.y) < kTolerance);
          for (size_t i = 0; i < expected.dx.size(); ++i)
            BOOST_TEST(distance(found.dx[i], expected.dx[i]) < kTolerance);
          pair.check(SPAR_NET_GRADIENTS);
        }
      }
    }
}

BOOST_AUTO_TEST_CASE(a_hundred_adam_steps_with_clipping_and_targets_stay_together) {
  uint32_t number = 0;
  for (const Case& c : all_cases()) {
    const int64_t rows = std::vector<int64_t>{7, 32, 1}[number++ % 3];
    BOOST_TEST_CONTEXT(c.plan.json << " ensemble " << c.plan.ensemble << " rows " << rows) {
      Pair pair(c.plan);
      spar_net* targets[] = {pair.native.create("t", c.plan), pair.torch.create("t", on_torch(c.plan))};
      spar_net* nets[] = {pair.a, pair.b};
      for (uint32_t i = 0; i < 100; ++i) {
        Batch batch(c.plan, rows, c.member_inputs, 1000 + i);
        pair.resample();
        pass(pair.native, pair.a, batch);
        pass(pair.torch, pair.b, batch);
        double norms[2];
        for (int side = 0; side < 2; ++side) {
          spar_update update = adam(&nets[side], 1);
          update.targets = &targets[side];
          update.tau = 0.05;
          update.max_grad_norm = number % 2 == 0 ? 0.5 : 0.0;
          norms[side] = step(side == 0 ? pair.native : static_cast<Instance&>(pair.torch), update);
        }
        if (i == 0) BOOST_TEST(std::abs(norms[0] - norms[1]) <= 1e-5 * norms[0]);
      }
      for (const uint32_t what : {SPAR_NET_VALUES, SPAR_NET_MOMENT1, SPAR_NET_MOMENT2}) pair.check(what);
      BOOST_TEST(pair.torch.steps(pair.b) == 100u);
      BOOST_TEST(distance(pair.torch.read(targets[1]), pair.native.read(targets[0])) < kTolerance);
    }
  }
}

BOOST_AUTO_TEST_CASE(checkpoints_written_with_one_continue_with_the_other) {
  const NetPlan plan{{5}, 6, R"({"hidden":[24],"heads":[{"out":2},{"out":6}],"dueling":true,"atoms":2,"noisy":0.5})"};
  Pair pair(plan);
  spar_net* nets[] = {pair.a, pair.b};
  const auto train = [&](uint32_t from) {
    for (uint32_t i = from; i < from + 20; ++i) {
      Batch batch(plan, 9, false, i);
      pair.resample();
      pass(pair.native, pair.a, batch);
      pass(pair.torch, pair.b, batch);
      step(pair.native, adam(&nets[0], 1));
      step(pair.torch, adam(&nets[1], 1));
    }
    Batch pending(plan, 3, false, from + 99);  // gradients that wait for their update
    pass(pair.native, pair.a, pending);
    pass(pair.torch, pair.b, pending);
  };
  train(0);
  const Bytes from_native = saved(pair.native), from_torch = saved(pair.torch);

  load(pair.torch, from_native);
  BOOST_TEST(pair.torch.networks.sha256() == pair.native.networks.sha256());
  BOOST_TEST((saved(pair.torch) == from_native));
  train(100);  // noise too goes on alike
  for (const uint32_t what : {SPAR_NET_VALUES, SPAR_NET_MOMENT1, SPAR_NET_MOMENT2, SPAR_NET_NOISE}) pair.check(what);

  load(pair.native, from_torch);
  load(pair.torch, from_torch);
  BOOST_TEST((saved(pair.native) == from_torch));
  train(100);
  for (const uint32_t what : {SPAR_NET_VALUES, SPAR_NET_MOMENT1, SPAR_NET_MOMENT2, SPAR_NET_NOISE}) pair.check(what);

  pair.torch.networks.copy_values_from(pair.native.networks);
  BOOST_TEST(pair.torch.networks.sha256() == pair.native.networks.sha256());
}

BOOST_AUTO_TEST_CASE(bytes_are_scaled_by_1_over_255) {
  NetPlan plan{{6}, 3, R"({"hidden":[8]})"};
  plan.bytes = true;
  Pair pair(plan);
  std::vector<uint8_t> x = {0, 1, 127, 128, 254, 255, 9, 8, 7, 6, 5, 4};
  std::vector<float> y[2] = {std::vector<float>(6), std::vector<float>(6)};
  const Tensor tx(x.data(), {2, 6}, true);
  const spar_tensor* inputs[] = {&tx.t};
  Tensor ty(y[0].data(), {2, 3}), tz(y[1].data(), {2, 3});
  pair.native.require(pair.native.nn.forward(pair.a, 1, 0, inputs, &ty.t, &pair.native.error));
  pair.torch.require(pair.torch.nn.forward(pair.b, 1, 0, inputs, &tz.t, &pair.torch.error));
  BOOST_TEST(distance(y[1], y[0]) < kTolerance);
  pair.native.backward(pair.a, 1, y[0]);
  pair.torch.backward(pair.b, 1, y[0]);
  pair.check(SPAR_NET_GRADIENTS);
}

BOOST_AUTO_TEST_CASE(one_norm_covers_several_networks_of_the_backend) {
  Pair pair({{5}, 2, R"({"hidden":[8]})"});
  const NetPlan free{{}, 2, R"({"value":[1,2]})"};
  spar_net* nets[2][2] = {{pair.a, pair.native.create("std", free)},
                          {pair.b, pair.torch.create("std", on_torch(free))}};
  Batch batch(pair.plan, 7, false, 1), numbers(free, 7, false, 2);
  double norms[2];
  for (int side = 0; side < 2; ++side) {
    Instance& instance = side == 0 ? pair.native : static_cast<Instance&>(pair.torch);
    pass(instance, nets[side][0], batch);
    pass(instance, nets[side][1], numbers);
    spar_update update = adam(nets[side], 2);
    update.max_grad_norm = 0.1;
    norms[side] = step(instance, update);
    BOOST_TEST(instance.read(nets[side][1], SPAR_NET_GRADIENTS) == std::vector<float>(2, 0.0f));
  }
  BOOST_TEST(std::abs(norms[0] - norms[1]) < 1e-5 * norms[0]);
  pair.check(SPAR_NET_VALUES);
  BOOST_TEST(distance(pair.torch.read(nets[1][1]), pair.native.read(nets[0][1])) < kTolerance);
}

BOOST_AUTO_TEST_CASE(blend_moves_the_target_and_makes_its_activations_stale) {
  TorchInstance torch;
  const NetPlan plan = on_torch({{4}, 2, R"({"hidden":[8]})"});
  spar_net *q = torch.create("q", plan), *t = torch.create("t", plan);
  const std::vector<float> from = torch.read(q), before = torch.read(t);
  torch.forward(t, 1, random_floats(4, 1), 4);
  torch.require(torch.nn.blend(t, q, 0.25, &torch.error));
  std::vector<float> expected;
  for (size_t i = 0; i < from.size(); ++i) expected.push_back(before[i] + 0.25f * (from[i] - before[i]));
  BOOST_TEST(distance(torch.read(t), expected) < 1e-6);
  BOOST_TEST(torch.try_backward(t, 1, {1, 1}) == SPAR_E_STATE);
  torch.require(torch.nn.blend(t, q, 1.0, &torch.error));
  BOOST_TEST(torch.read(t) == from);
}

BOOST_AUTO_TEST_CASE(networks_of_the_host_and_of_the_backend_do_not_mix_in_one_call) {
  TorchInstance torch;
  const NetPlan plan{{4}, 2, R"({"hidden":[8]})"};
  spar_net* nets[] = {torch.create("a", plan), torch.create("b", on_torch(plan))};
  const spar_update both = adam(nets, 2);
  BOOST_TEST(torch.nn.update(&torch.ctx, &both, nullptr, &torch.error) == SPAR_E_UNSUPPORTED);
  BOOST_TEST(torch.message() ==
             "update: network `a` lives on the host and network `b` on backend `torch`: create both with the same "
             "backend and device");
  BOOST_TEST(torch.nn.blend(nets[0], nets[1], 0.5, &torch.error) == SPAR_E_UNSUPPORTED);
  spar_update followed = adam(nets, 1);
  followed.targets = nets + 1;
  followed.tau = 0.5;
  BOOST_TEST(torch.nn.update(&torch.ctx, &followed, nullptr, &torch.error) == SPAR_E_UNSUPPORTED);
}

BOOST_AUTO_TEST_CASE(gradient_that_is_not_finite_changes_nothing) {
  TorchInstance torch;
  spar_net* q = torch.create("q", on_torch({{4}, 2, R"({"hidden":[8]})"}));
  const std::vector<float> before = torch.read(q);
  torch.forward(q, 1, random_floats(4, 1), 4);
  torch.backward(q, 1, {NAN, 1});
  const spar_update update = adam(&q, 1);
  BOOST_TEST(torch.nn.update(&torch.ctx, &update, nullptr, &torch.error) == SPAR_E_STATE);
  BOOST_TEST(torch.message().find("gradient norm of network `q` is not finite") != std::string::npos);
  BOOST_TEST(torch.read(q) == before);
  BOOST_TEST(torch.steps(q) == 0u);
}

BOOST_AUTO_TEST_CASE(a_device_or_backend_that_is_not_there_is_one_sentence) {
  TorchInstance torch;
  spar_net* net = nullptr;
  BOOST_TEST(torch.try_create("q", {{4}, 2, R"({"backend":"jax"})"}, &net) == SPAR_E_UNSUPPORTED);
  BOOST_TEST(torch.message().find("network `q` asks for backend `jax`: no backend `jax` is known") == 0u,
             torch.message());
  if (torch.try_create("q", {{4}, 2, R"({"device":"cuda"})"}, &net) == SPAR_OK) return;  // there is a GPU
  BOOST_TEST(torch.message().find("network `q` asks for backend `torch`: backend `org.spar.torch`: device = \"cuda\" "
                                  "asks for a GPU and LibTorch ") == 0u,
             torch.message());
  BOOST_TEST(torch.message().ends_with("use device = \"cpu\" or \"auto\""), torch.message());
  BOOST_TEST(torch.message().find('\n') == std::string::npos);
  BOOST_TEST(net == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

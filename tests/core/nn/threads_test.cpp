// Threads share out products and change no bit.
#include <boost/test/unit_test.hpp>

#include "net_support.hpp"

using namespace spar::nn;
using namespace spar::nn::test;

namespace {

struct Numbers {
  std::vector<float> y, forgotten, dx, dx_member, gradients, values;
  bool operator==(const Numbers&) const = default;
};

/// Three steps of Adam by random gradients: everything that forward, backward and update write.
Numbers numbers_of(const NetPlan& plan, int64_t rows, spar::Crew* crew) {
  Instance instance(3, "algorithm/agent_0", {}, crew);
  spar_net *net = instance.create("q", plan), *target = instance.create("q_target", plan);
  const auto members = static_cast<int64_t>(plan.ensemble);
  const auto n = static_cast<size_t>(rows), m = static_cast<size_t>(members);
  std::vector<float> a = random_floats(n * static_cast<size_t>(plan.inputs[0]), 1),
                     b = random_floats(m * n * static_cast<size_t>(plan.inputs[1]), 2);
  Numbers out;
  out.y.resize(m * n * static_cast<size_t>(plan.out));
  out.forgotten.resize(out.y.size());
  out.dx.resize(a.size());
  out.dx_member.resize(b.size());
  Tensor ta(a.data(), {rows, plan.inputs[0]}), tb(b.data(), {members, rows, plan.inputs[1]}),
      ty(out.y.data(), {members, rows, plan.out}), tf(out.forgotten.data(), {members, rows, plan.out}),
      tda(out.dx.data(), {rows, plan.inputs[0]}), tdb(out.dx_member.data(), {members, rows, plan.inputs[1]});
  const spar_tensor* x[] = {&ta.t, &tb.t};
  spar_tensor* dx[] = {&tda.t, &tdb.t};
  for (uint32_t turn = 0; turn < 3; ++turn) {
    instance.require(instance.nn.forward(net, 0, 0, x, &tf.t, &instance.error));
    instance.require(instance.nn.forward(net, 1, 0, x, &ty.t, &instance.error));
    std::vector<float> dy = random_floats(out.y.size(), 7 + turn);
    const Tensor tdy(dy.data(), {members, rows, plan.out});
    instance.require(instance.nn.backward(net, 1, &tdy.t, dx, SPAR_NET_PARAMS | SPAR_NET_INPUT, &instance.error));
    out.gradients = instance.read(net, SPAR_NET_GRADIENTS);
    spar_update step = adam(&net, 1);
    step.targets = &target;
    step.tau = 0.1;
    instance.require(instance.nn.update(&instance.ctx, &step, nullptr, &instance.error));
  }
  out.values = instance.read(net);
  const std::vector<float> followed = instance.read(target);
  out.values.insert(out.values.end(), followed.begin(), followed.end());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(network_threads)

BOOST_AUTO_TEST_CASE(number_of_threads_changes_no_bit) {
  struct Case {
    const char* what;
    NetPlan plan;
  };
  const Case cases[] = {
      {"one member", {{5, 3}, 2, R"({"hidden":[256,160]})", 1, 1, 256}},
      {"twins", {{5, 3}, 1, R"({"hidden":[128,128]})", 2, 1, 256}},
      {"three members", {{5, 3}, 7, R"({"hidden":[96,96]})", 3, 1, 256}},
      {"tanh", {{5, 3}, 3, R"({"hidden":[130,130],"activation":"tanh","output":"tanh"})", 1, 1, 256}},
      {"heads", {{5, 3}, 9, R"({"hidden":[128],"heads":[{"out":2,"hidden":[96]},{"out":7}]})", 1, 1, 256}},
      {"dueling twins",
       {{5, 3},
        6,
        R"({"hidden":[128],"heads":[{"out":2,"hidden":[128]},{"out":6}],"dueling":true,"atoms":2})",
        2,
        1,
        256}},
      {"joined heads of noisy twins",
       {{5, 3},
        102,
        R"({"hidden":[128],"heads":[{"out":51},{"out":102}],"dueling":true,"atoms":51,"noisy":0.5})",
        2,
        1,
        256}},
      {"joined heads",
       {{5, 3}, 102, R"({"hidden":[128],"heads":[{"out":51},{"out":102}],"dueling":true,"atoms":51})", 2, 1, 256}},
      {"noisy", {{5, 3}, 4, R"({"hidden":[128,128],"noisy":0.5})", 1, 1, 256}},
      {"no hidden layer", {{900, 300}, 70, "{}", 1, 1, 256}},
  };
  for (const Case& one : cases)
    for (const int64_t rows : {1, 61, 256}) {
      const Numbers alone = numbers_of(one.plan, rows, nullptr);
      BOOST_TEST(alone.gradients.size() > 300u);
      for (const uint32_t threads : {2u, 3u, 5u}) {
        spar::Crew crew(threads);
        BOOST_TEST((numbers_of(one.plan, rows, &crew) == alone),
                   one.what << ", " << rows << " rows, " << threads << " threads gave other numbers");
      }
    }
}

BOOST_AUTO_TEST_SUITE_END()

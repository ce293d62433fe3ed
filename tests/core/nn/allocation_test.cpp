// Counts every allocation of this program: forward, backward, update, blend and read make none.
#include <boost/test/unit_test.hpp>

#include "net_support.hpp"
#include "support/counting_new.hpp"

using spar::test::allocations;
using namespace spar::nn;
using namespace spar::nn::test;

namespace {

void expect_none_after_create(const char* json, int64_t out) {
  Instance instance;
  const NetPlan plan{{3, 2}, out, json, 2};
  spar_net *net = instance.create("q", plan), *target = instance.create("q_target", plan);
  std::vector<float> a = random_floats(64 * 3, 1), b = random_floats(2 * 64 * 2, 2),
                     y(2 * 64 * static_cast<size_t>(out)), dy = random_floats(y.size(), 3), da(a.size()), db(b.size());
  std::vector<float> values(instance.nn.bytes(net, SPAR_NET_VALUES) / 4);
  const uint64_t before_loop = allocations;
  BOOST_TEST(before_loop > 0u);
  for (const int64_t rows : {1, 64, 7}) {
    Tensor ta(a.data(), {rows, 3}), tb(b.data(), {2, rows, 2}), ty(y.data(), {2, rows, out}),
        tdy(dy.data(), {2, rows, out}), tda(da.data(), {rows, 3}), tdb(db.data(), {2, rows, 2});
    const spar_tensor* x[] = {&ta.t, &tb.t};
    spar_tensor* dx[] = {&tda.t, &tdb.t};
    spar_update step = adam(&net, 1);
    step.targets = &target;
    step.tau = 0.01;
    step.max_grad_norm = 0.1;
    double norm = 0.0;
    const auto& nn = instance.nn;
    spar_status worst = SPAR_OK;
    const uint64_t before = allocations;
    worst = std::min(worst, nn.forward(net, 0, 0, x, &ty.t, &instance.error));
    worst = std::min(worst, nn.forward(net, 1, 0, x, &ty.t, &instance.error));
    worst = std::min(worst, nn.backward(net, 1, &tdy.t, dx, SPAR_NET_PARAMS | SPAR_NET_INPUT, &instance.error));
    worst = std::min(worst, nn.update(&instance.ctx, &step, &norm, &instance.error));
    worst = std::min(worst, nn.blend(target, net, 0.5, &instance.error));
    worst = std::min(worst, nn.resample(net, &instance.error));
    worst = std::min(worst, nn.forward(net, 1, 0, x, &ty.t, &instance.error));
    worst = std::min(worst, nn.read(net, SPAR_NET_VALUES, values.data(), values.size() * 4, &instance.error));
    const uint64_t after = allocations;
    BOOST_TEST(worst == SPAR_OK);
    BOOST_TEST(after - before == 0u);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(network_allocations)

BOOST_AUTO_TEST_CASE(there_are_none_after_create) {
  expect_none_after_create(
      R"({"hidden":[40],"heads":[{"out":2,"hidden":[9]},{"out":6}],"dueling":true,"atoms":2,"noisy":0.5})", 6);
}

BOOST_AUTO_TEST_CASE(there_are_none_with_joined_heads) {
  expect_none_after_create(R"({"hidden":[40],"heads":[{"out":17},{"out":34}],"dueling":true,"atoms":17,"noisy":0.5})",
                           34);
}

BOOST_AUTO_TEST_SUITE_END()

// What it costs to cross the plugin contract: a function of the service spar.nn/1, called through its table and
// directly.
#include "core/bench/bench.hpp"
#include "core/bench/stopwatch.hpp"
#include "core/nn/network_set.hpp"
#include "core/nn/service.hpp"
#include "core/plugin/context.hpp"

namespace spar::bench {

void measure_border(const Settings& settings, const Sink& sink) {
  constexpr int kCalls = 100'000;
  const int times = settings.brief ? 5 : 20;
  nn::NetworkSet networks;
  spar_ctx ctx;
  ctx.name = "bench/border";
  ctx.networks = &networks;
  spar_net_spec spec{};
  spec.struct_size = sizeof spec;
  spec.slots = 1;
  spec.out = 1;
  spec.max_rows = 1;
  spec.json = "{\"value\":[0]}";
  spar_net* net = nullptr;
  spar_error error{};
  error.struct_size = sizeof error;
  const spar_svc_nn* table = &nn::nn_service();
  if (table->create(&ctx, {"value", 5}, &spec, &net, &error) < 0)
    throw Error("E0000", Exit::failed, std::string("the benchmark's network cannot be made: ") + error.message);
  uint64_t sum = 0;
  const auto ns = [&](auto&& call) {
    return best_seconds(
               times,
               [&] {
                 for (int i = 0; i < kCalls; ++i) {
                   asm volatile("" : "+r"(table), "+r"(net));  // neither the table nor the answer is known in advance
                   sum += call();
                 }
               }) /
           kCalls * 1e9;
  };
  const double direct = ns([&] { return nn::network_of(net).bytes(SPAR_NET_VALUES); });
  const double through = ns([&] { return table->bytes(net, SPAR_NET_VALUES); });
  asm volatile("" : : "r"(sum));
  sink({.group = "border",
        .name = "a call through the C table",
        .value = through,
        .unit = "ns",
        .limit = direct,
        .limit_name = "the same call without the table"});
}

}  // namespace spar::bench

// Replay memories against what the memory of the machine makes possible: a bare gather of the same records.
#include <cmath>
#include <cstring>
#include <vector>

#include "core/bench/bench.hpp"
#include "core/bench/stopwatch.hpp"
#include "core/bench/transitions.hpp"

namespace spar::bench {
namespace {

void measure_transitions(const Settings& settings, const Sink& sink) {
  constexpr uint64_t kCapacity = 1'000'000;
  const int times = settings.brief ? 40 : 200;
  constexpr int kCalls = 20;
  const auto us = [&](auto&& call) {
    return best_seconds(times,
                        [&] {
                          for (int i = 0; i < kCalls; ++i) call();
                        }) /
           kCalls * 1e6;
  };
  double bare_us = 0, uniform_us = 0;
  {
    BareGather bare(kCapacity, kRows);
    Buffer uniform(spec_of(SPAR_BUF_REPLAY, kCapacity, kFour), Philox(1, "bench/replay"));
    fill(uniform, kCapacity, 16);
    bare_us = us([&] { bare.run(); });
    uniform_us = us([&] { sample(uniform, kRows); });
    sink({.group = "replay",
          .name = "uniform, 256 of 1 M",
          .value = uniform_us,
          .unit = "us",
          .limit = bare_us,
          .limit_name = "bare prefetching gather",
          .budget = 1.15});
    const double payload = 16 + 8 + 16 + 9;
    const double padded = static_cast<double>(replay::round_up(static_cast<size_t>(payload), replay::kCacheLine));
    sink({.group = "replay",
          .name = "memory of a transition",
          .value = static_cast<double>(uniform.bytes()) / static_cast<double>(kCapacity),
          .unit = "bytes",
          .limit = padded,
          .limit_name = "payload in cache lines",
          .budget = 1.10});
  }
  Buffer prioritised(spec_of(SPAR_BUF_PRIORITIZED, kCapacity, kFour), Philox(1, "bench/replay"));
  fill(prioritised, kCapacity, 16);
  std::vector<float> p(kRows);
  Philox random(3, "bench/priorities");
  for (int i = 0; i < 4000; ++i) {  // masses as they are after a while: not all the same
    for (float& x : p) x = static_cast<float>(std::abs(random.normal()));
    sample_and_update(prioritised, kRows, p);
  }
  // Not held against our own uniform sample: whoever made that faster would seem to make this slower.
  const double prioritised_us = us([&] { sample_and_update(prioritised, kRows, p); });
  const auto put = [&](const char* name, double limit, const char* limit_name, double budget) {
    sink({.group = "replay",
          .name = name,
          .value = prioritised_us,
          .unit = "us",
          .limit = limit,
          .limit_name = limit_name,
          .budget = budget});
  };
  put("prioritised sample and update, 256 of 1 M", bare_us, "bare prefetching gather", 3.0);
  put("the same, beside the uniform sample", uniform_us, "uniform sample", NAN);
}

void measure_pixels(const Settings& settings, const Sink& sink) {
  constexpr uint64_t kCapacity = 20'000, kBatch = 64;
  constexpr size_t kFrameBytes = size_t{84} * 84;
  const int times = settings.brief ? 20 : 100;
  Buffer frames(spec_of(SPAR_BUF_REPLAY, kCapacity, kFrame), Philox(1, "bench/replay"));
  fill(frames, kCapacity, kFrameBytes);
  replay::AlignedBytes source(kCapacity * kFrameBytes);  // the same memory as the replay's, pages and all
  std::memset(source.data(), 1, source.size());
  std::vector<std::byte> target(2 * kBatch * kFrameBytes);
  size_t place = 0;
  const double copied_us =
      best_seconds(times,
                   [&] {  // the same number of bytes in pieces of two frames
                     for (size_t i = 0; i < kBatch; ++i) {
                       std::memcpy(&target[i * 2 * kFrameBytes], source.data() + place, 2 * kFrameBytes);
                       place = (place + size_t{7919} * 64 * kFrameBytes) % (source.size() - 2 * kFrameBytes);
                     }
                   }) *
      1e6;
  const double us = best_seconds(times, [&] { sample(frames, kBatch); }) * 1e6;
  sink({.group = "replay",
        .name = "pixels, 64 pairs of frames 84 x 84",
        .value = us,
        .unit = "us",
        .limit = copied_us,
        .limit_name = "memcpy of the same bytes",
        .budget = 1.25});
}

}  // namespace

void measure_replay(const Settings& settings, const Sink& sink) {
  measure_transitions(settings, sink);
  measure_pixels(settings, sink);
}

}  // namespace spar::bench

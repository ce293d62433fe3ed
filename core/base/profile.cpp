#include "core/base/profile.hpp"

#include <chrono>
#include <cstdio>

namespace spar {

const char* name_of(Phase phase) {
  constexpr const char* kNames[kPhases] = {"act",    "step",    "append",   "sample",
                                           "update", "publish", "evaluate", "checkpoint"};
  return kNames[static_cast<size_t>(phase)];
}

Profile::Profile() : start_(now()) { events_.reserve(kMostEvents); }

uint64_t Profile::now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

void Profile::add(Phase phase, uint64_t begin, uint64_t end, uint64_t weight) {
  const std::scoped_lock lock(mutex_);
  nanoseconds_[static_cast<size_t>(phase)] += (end - begin) * weight;
  if (events_.size() < kMostEvents) events_.push_back({begin, end - begin, phase});
}

std::array<Profile::Share, kPhases> Profile::shares() const {
  std::array<Share, kPhases> out{};
  const double all = seconds();
  for (size_t i = 0; i < kPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    uint64_t taken = nanoseconds_[i];
    if (phase == Phase::update) taken -= nanoseconds_[static_cast<size_t>(Phase::sample)];
    out[i] = {phase, static_cast<double>(taken) * 1e-9, static_cast<double>(taken) * 1e-9 / all};
  }
  return out;
}

std::string Profile::trace() const {
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  char line[160];
  for (size_t i = 0; i < events_.size(); ++i) {
    const Event& event = events_[i];
    std::snprintf(line, sizeof line, "{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":1,\"tid\":%d}%s\n",
                  name_of(event.phase), static_cast<double>(event.begin - start_) * 1e-3,
                  static_cast<double>(event.nanoseconds) * 1e-3, event.phase <= Phase::append ? 2 : 1,
                  i + 1 < events_.size() ? "," : "");
    out += line;
  }
  return out + "]}\n";
}

}  // namespace spar

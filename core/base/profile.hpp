// Where the time of a run goes: by phase, and as a trace for chrome://tracing and ui.perfetto.dev.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace spar {

enum class Phase : uint8_t {
  act,         ///< the algorithm chooses actions
  step,        ///< the environment steps and is reset
  append,      ///< transitions go into memory
  sample,      ///< a batch is drawn and put together; inside of an update
  update,      ///< the algorithm learns, without sampling
  publish,     ///< parameters go into the store
  evaluate,    ///< greedy episodes
  checkpoint,  ///< the state is copied for the writer
};
inline constexpr size_t kPhases = 8;
const char* name_of(Phase phase);

/// For the threads of one run. Steps of the environment are shorter than what looking at the clock may cost, so only
/// one in kStride of them is timed and counts for all; everything else always is. Recording never allocates.
class Profile {
 public:
  static constexpr uint64_t kStride = 16;

  Profile();

  /// Is the next step of the environment to be timed? Asked once per step.
  bool next_step() { return steps_++ % kStride == 0; }

  /// Times what happens while it lives; a null profile times nothing. Phases end in the reverse order of their
  /// beginning.
  class Span {
   public:
    Span(Profile* profile, Phase phase, uint64_t weight = 1)
        : profile_(profile), phase_(phase), weight_(weight), begin_(profile ? now() : 0) {}
    ~Span() {
      if (profile_) profile_->add(phase_, begin_, now(), weight_);
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    Profile* profile_;
    Phase phase_;
    uint64_t weight_, begin_;
  };

  /// `begin` and `end` as of now(); it counts `weight` times.
  void add(Phase phase, uint64_t begin, uint64_t end, uint64_t weight);
  /// Nanoseconds of a clock that never goes back.
  static uint64_t now();

  struct Share {
    Phase phase;
    double seconds;  ///< estimated, if only some were timed
    double share;    ///< of the time since the profile was made
  };
  /// Every phase in the order of the enum; sampling is not part of the update.
  std::array<Share, kPhases> shares() const;
  double seconds() const { return static_cast<double>(now() - start_) * 1e-9; }

  /// The trace as JSON of the Trace Event Format: what was timed, at most the first kMostEvents; acting, stepping and
  /// appending in a row of their own.
  std::string trace() const;
  static constexpr size_t kMostEvents = 200'000;

 private:
  struct Event {
    uint64_t begin, nanoseconds;
    Phase phase;
  };

  uint64_t start_, steps_ = 0;
  std::mutex mutex_;  ///< acting may go on while the learner learns
  std::array<uint64_t, kPhases> nanoseconds_{};
  std::vector<Event> events_;
};

}  // namespace spar

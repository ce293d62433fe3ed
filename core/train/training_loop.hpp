// The serial training loop.
#pragma once

#include <string>

#include "core/checkpoint/writer.hpp"
#include "core/train/observer.hpp"
#include "core/train/recorder.hpp"
#include "core/train/training.hpp"

namespace spar::train {

enum class Ending {
  completed,  ///< a stop condition of the experiment held
  stopped,    ///< the user asked for an end; saved
  preempted,  ///< the system asked for an end; saved
  abandoned   ///< the user asked twice; not saved again
};

struct LoopResult {
  Ending ending = Ending::completed;
  std::string reason;  ///< the condition, or "interrupted", "preempted"
};

/// Trains until a stop condition holds or the observer interrupts. `manifest` goes into every checkpoint. Throws E0302
/// when a metric is not finite, and whatever a plugin reports; what was saved before stays.
LoopResult run_loop(Training& training, Recorder& recorder, checkpoint::Writer& writer, const std::string& manifest,
                    Observer& observer);

/// One greedy evaluation of the current policies with fresh seeds; numbers it, records it.
EvaluationResult evaluate_now(Training& training, Recorder& recorder, Observer& observer);

}  // namespace spar::train

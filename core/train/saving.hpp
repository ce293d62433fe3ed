// A loop that saves: its checkpoint writer, and the news of what was saved, whatever the loop's end.
#pragma once

#include <optional>
#include <utility>

#include "core/checkpoint/writer.hpp"
#include "core/train/observer.hpp"

namespace spar::train {

/// Keeps whether the newest state was saved and passes everything on.
class Watching : public Observer {
 public:
  explicit Watching(Observer& next) : next_(next) {}

  void stepped() override { next_.stepped(); }
  void progressed(const Progress& p) override { next_.progressed(p); }
  void logged(uint64_t step, const std::vector<Metrics::Value>& values) override { next_.logged(step, values); }
  void evaluated(const EvaluationResult& result) override { next_.evaluated(result); }
  void saved(const checkpoint::Outcome& outcome) override {
    unsaved = outcome.error;
    next_.saved(outcome);
  }
  void warned(const std::string& text) override { next_.warned(text); }
  Interruption interruption() override { return next_.interruption(); }

  std::optional<Error> unsaved;  ///< why the newest state is not on the disk

 private:
  Observer& next_;
};

/// loop(writer, observer) with a writer of checkpoints in `directory`. Afterwards, also if the loop throws, everything
/// handed over was written and `observer` knows. Answers why the newest state is not on the disk, if it is not: such a
/// run can be resumed, but has lost what came last.
template <class Loop>
std::optional<Error> run_saving(checkpoint::Directory directory, Observer& observer, Loop&& loop) {
  Watching watching(observer);
  checkpoint::Writer writer(std::move(directory));
  const auto deliver = [&] {
    writer.flush();
    for (const auto& outcome : writer.poll()) watching.saved(outcome);
  };
  try {
    loop(writer, watching);
  } catch (...) {
    deliver();
    throw;
  }
  deliver();
  return watching.unsaved;
}

}  // namespace spar::train

#include "core/train/continuing.hpp"

#include <boost/json.hpp>

#include "core/base/text.hpp"

namespace spar::train {
namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string out;
  for (const auto& sentence : sentences) out += (out.empty() ? "" : "; ") + sentence;
  return out;
}

}  // namespace

checkpoint::Directory checkpoints(const config::Experiment& experiment, const run::RunDirectory& directory) {
  static checkpoint::PosixFileSystem files;
  return {files, directory.seed(experiment.seed) / "checkpoints", experiment.checkpoint.keep_last};
}

checkpoint::Loaded newest_checkpoint(const config::Experiment& experiment, const run::RunDirectory& directory,
                                     Observer& observer) {
  checkpoint::Loaded loaded = checkpoints(experiment, directory).newest_valid();
  for (const auto& refused : loaded.refused) observer.warned("passed over " + refused.file + ": " + refused.reason);
  return loaded;
}

checkpoint::Checkpoint checkpoint_named(const checkpoint::Directory& saved, const std::string& which) {
  if (which == "last") return saved.newest_valid().checkpoint;
  const auto file = saved.path() / (which == "best" ? "best.ckpt" : saved.name(std::stoull(which)));
  std::error_code problem;
  if (std::filesystem::exists(file, problem) || problem) {
    checkpoint::PosixFileSystem files;
    return which == "best" ? saved.best() : checkpoint::read_checkpoint(files, file);
  }
  std::vector<std::string> steps;
  for (const uint64_t step : saved.steps()) steps.push_back(std::to_string(step));
  throw Error("E0503", Exit::failed,
              "there is no " + (which == "best" ? "best checkpoint" : "checkpoint of step " + which) + " in `" +
                  saved.path().string() + "`" +
                  (which == "best" ? ": no evaluation has been made yet, or none is kept" : ""))
      .help(steps.empty() ? "there is no other one either: wait for the first, or train a new run"
                          : "there is one of step " + listing(steps, "and one of") + ": --checkpoint last");
}

void require_exact(const std::vector<std::string>& differences, const ResumeRequest& request,
                   const run::RunDirectory& directory) {
  if (differences.empty() || request.inexact) return;
  throw Error("E0507", Exit::usage, "this run cannot be continued bit for bit: " + joined(differences))
      .help("continue all the same with: spar resume --inexact " + directory.path().string() + request.typed);
}

void note_continued(const std::vector<std::string>& differences, uint64_t step, const run::RunDirectory& directory,
                    Observer& observer) {
  if (differences.empty()) return;
  observer.warned("continued, but not bit for bit: " + joined(differences));
  const boost::json::object manifest = directory.manifest();
  const boost::json::value* before = manifest.if_contains("continued");
  boost::json::array entries = before && before->is_array() ? before->get_array() : boost::json::array();
  entries.push_back(boost::json::object{{"env_steps", step}, {"why", boost::json::value_from(differences)}});
  directory.update_manifest({{"continued", entries}});
}

}  // namespace spar::train

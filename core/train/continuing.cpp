#include "core/train/continuing.hpp"

#include <boost/json.hpp>

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

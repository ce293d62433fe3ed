// A run is a directory, safe to move and to copy:
//
//   experiment.toml resolved.toml manifest.json log.jsonl lock
//   seed-1/ metrics.jsonl eval.jsonl tb/ checkpoints/
//
// manifest.json always has "name", "created" (UTC, "2026-01-31T23:59:59.123Z") and "status" (running, then that of the
// summary); at the end it has "summary".
#pragma once

#include <boost/json/object.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/durable_file.hpp"
#include "core/run/lock.hpp"
#include "core/run/summary.hpp"

namespace spar::run {

class RunDirectory {
 public:
  /// Makes `parent`/NAME-xxxx with four random hexadecimal digits, never one that exists, locks it and writes its
  /// manifest. Throws E0603 (a name that is no file name), E0604 or E0504 (cannot be written; nothing stays behind).
  static RunDirectory create(const std::filesystem::path& parent, std::string_view name);

  /// As create(), but what is written to it stays in memory until settle(), the manifest too: it is no run yet.
  static RunDirectory begin(const std::filesystem::path& parent, std::string_view name);
  /// Writes what has been kept since begin(), the manifest last, and makes it durable together with the directory and
  /// those of seeds made meanwhile; from then on everything is written at once. Throws E0504.
  void settle() const;

  /// An existing run, for reading: not locked. Throws E0601 if it is not the directory of a run.
  static RunDirectory open(const std::filesystem::path& path);

  /// Makes this process the writer; nothing to do if it is. Throws E0605 naming the process that is.
  void lock();
  bool locked() const { return lock_.has_value(); }

  const std::filesystem::path& path() const { return path_; }
  std::string id() const { return path_.filename().string(); }  ///< "cartpole-dqn-7f3a"

  /// Makes a directory inside of a seed's; durable after settle().
  void make_inside(const std::filesystem::path& directory) const;

  /// PATH/seed-N; made if this process is the writer. Throws E0504.
  std::filesystem::path seed(uint64_t seed) const;

  /// Replaces a file at once and durably ("experiment.toml", "report.html"). Throws E0504.
  void write_text(std::string_view file, std::string_view text) const;
  /// None if there is no such file. Throws E0604 if it cannot be read.
  std::optional<std::string> read_text(std::string_view file) const;

  /// Throws E0606 if it is damaged, E0604 if it cannot be read.
  boost::json::object manifest() const;
  /// Sets these keys, in this order, and keeps all others. Throws E0504 or as manifest().
  void update_manifest(const boost::json::object& changes) const;

  /// Sets "status" and "summary".
  void finish(const Summary& summary) const;
  /// None if the run has not ended. Throws E0606.
  std::optional<Summary> summary() const;

 private:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::optional<Lock> lock_;
  mutable std::optional<std::vector<checkpoint::NamedText>> kept_;  ///< none: settled
  mutable std::vector<std::filesystem::path> made_inside_;          ///< meanwhile
};

/// Whether `path` is the directory of a run: it holds a manifest.json.
bool is_run(const std::filesystem::path& path);

}  // namespace spar::run

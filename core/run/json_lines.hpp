// Metrics and logs as JSON lines: one object per line, numbered from 1: {"seq":1,..}.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/run/append_file.hpp"

namespace spar::run {

/// What is written depends on the objects alone, so a file is reproduced bit for bit if its objects are: put no
/// wall-clock time into metrics. Writing never throws: a failing metrics disk does not end a run.
class JsonLines {
 public:
  /// Opens or makes the file and cuts what a killed writer left behind the last whole line. Throws E0604 (cannot be
  /// opened) or E0607 (holds lines, but none of this kind: it is left alone).
  explicit JsonLines(const std::filesystem::path& file);

  /// Appends the object, with its number in front, as one line. False at the first line of each outage, so that the
  /// caller warns once; the lines of an outage are counted by lost() and their numbers stay unused.
  bool write(const boost::json::object& line);

  /// For resuming: drops all lines numbered above `seq`; the bytes before stay untouched and the next line gets
  /// seq + 1. False if the disk refuses.
  bool cut_to(uint64_t seq);

  /// Waits until the lines are on the disk; false if that fails.
  bool sync() { return file_.sync(); }

  uint64_t seq() const { return seq_; }                    ///< number of the last line; 0 = none yet
  uint64_t lost() const { return lost_; }                  ///< lines that the disk did not take
  const std::string& trouble() const { return trouble_; }  ///< why the last lost line was lost
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  struct Line {
    uint64_t begin = 0;
    std::optional<uint64_t> seq;  ///< none: not a line of this kind
  };
  Line line_before(uint64_t end) const;

  AppendFile file_;
  uint64_t seq_ = 0;
  uint64_t lost_ = 0;
  bool outage_ = false;
  std::string trouble_;
};

}  // namespace spar::run

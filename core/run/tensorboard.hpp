// Event files that TensorBoard reads: TFRecord frames around protocol-buffer messages, encoded by hand.
//
//   frame      length (8 bytes, little-endian), masked CRC-32C of these, message, masked CRC-32C of the message
//   Event      1 wall_time: double, 2 step: int64, 3 file_version: string, 5 summary: Summary, 7 session_log:
//   SessionLog Summary    1 value (repeated): Value; Value: 1 tag: string, 2 simple_value: float SessionLog 1 status:
//   enum, START = 1
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/append_file.hpp"

namespace spar::run {

struct Scalar {
  std::string_view tag;  ///< "eval/return"
  double value = 0;      ///< stored as float
};

/// The messages, framed. `wall_time`: seconds since 1970.
std::vector<std::byte> frame(std::span<const std::byte> message);
std::vector<std::byte> version_event(double wall_time);
std::vector<std::byte> scalar_event(double wall_time, int64_t step, std::span<const Scalar> scalars);
std::vector<std::byte> start_event(double wall_time, int64_t step);

/// One file per start of the process: "events.out.tfevents.SECONDS.HOST.PID.N".
class EventFile {
 public:
  /// Makes the directory and a new file in it. Throws E0604.
  EventFile(const std::filesystem::path& directory, double wall_time);

  /// Never throws for a failing disk: false at the first event of each outage, see lost().
  bool write(double wall_time, int64_t step, std::span<const Scalar> scalars);
  /// For resuming: TensorBoard drops points of earlier files at `step` and later.
  bool resumed_at(double wall_time, int64_t step);

  uint64_t lost() const { return lost_; }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  bool append(const std::vector<std::byte>& event);

  AppendFile file_;
  uint64_t lost_ = 0;
  bool outage_ = false;
};

}  // namespace spar::run

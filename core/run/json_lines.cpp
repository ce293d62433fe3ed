#include "core/run/json_lines.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "core/base/error.hpp"
#include "core/run/json_text.hpp"

namespace spar::run {
namespace {

constexpr std::string_view kBegin = "{\"seq\":";

/// Offset behind the last newline that ends at or before `end`; 0 if there is none.
uint64_t after_last_newline(const AppendFile& file, uint64_t end) {
  std::array<char, 4096> block;
  while (end > 0) {
    const uint64_t begin = end - std::min<uint64_t>(end, block.size());
    const size_t got = file.read(begin, std::span(block).first(end - begin));
    for (size_t i = got; i-- > 0;)
      if (block[i] == '\n') return begin + i + 1;
    end = begin;
  }
  return 0;
}

}  // namespace

/// The line that ends, with its newline, at `end` > 0.
JsonLines::Line JsonLines::line_before(uint64_t end) const {
  Line line;
  line.begin = after_last_newline(file_, end - 1);
  std::array<char, 32> head;
  const size_t length =
      file_.read(line.begin, std::span(head).first(std::min<uint64_t>(head.size(), end - line.begin)));
  std::string_view text(head.data(), length);
  std::array<char, 2> tail{};
  if (end - line.begin < 2 || file_.read(end - 2, tail) != 2 || tail[0] != '}' || !text.starts_with(kBegin))
    return line;
  text.remove_prefix(kBegin.size());
  uint64_t seq = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), seq);
  if (problem == std::errc() && stop < text.data() + text.size() && (*stop == ',' || *stop == '}')) line.seq = seq;
  return line;
}

JsonLines::JsonLines(const std::filesystem::path& file) : file_(file) {
  uint64_t end = after_last_newline(file_, file_.size());
  const bool has_lines = end > 0;
  // Lines that a power cut turned into something else are skipped as well.
  while (end > 0) {
    const Line line = line_before(end);
    if (line.seq) {
      seq_ = *line.seq;
      break;
    }
    end = line.begin;
  }
  if (has_lines && end == 0)
    throw Error("E0607", Exit::failed, "`" + file.string() + "` holds no line that begins with {\"seq\":")
        .help("the file was written by something else: move it away");
  if (end < file_.size()) file_.cut(end);
}

bool JsonLines::write(const boost::json::object& line) {
  std::string text = std::string(kBegin) + std::to_string(++seq_);
  if (!line.empty())
    text += ',' + json_text(line).substr(1);
  else
    text += '}';
  text += '\n';
  if (file_.append(std::as_bytes(std::span(text)))) {
    outage_ = false;
    return true;
  }
  trouble_ = "cannot write to `" + path().string() + "`: " + std::strerror(errno);
  ++lost_;
  return std::exchange(outage_, true);
}

bool JsonLines::cut_to(uint64_t seq) {
  uint64_t end = file_.size();
  while (end > 0) {
    const Line line = line_before(end);
    if (line.seq && *line.seq <= seq) break;
    end = line.begin;
  }
  if (end < file_.size() && !file_.cut(end)) {
    trouble_ = "cannot shorten `" + path().string() + "`: " + std::strerror(errno);
    return false;
  }
  seq_ = seq;
  return true;
}

}  // namespace spar::run

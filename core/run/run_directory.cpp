#include "core/run/run_directory.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/checkpoint/durable_file.hpp"
#include "core/run/json_text.hpp"

namespace spar::run {
namespace {

namespace fs = std::filesystem;
constexpr const char* kManifest = "manifest.json";
constexpr size_t kMaxName = 200;
constexpr int kTries = 1000;
constexpr uintmax_t kMaxText = uintmax_t{64} << 20;

void check_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
  if (!name.empty() && name.size() <= kMaxName && name[0] != '.' && name[0] != '-' &&
      name.find_first_not_of(kAllowed) == std::string_view::npos)
    return;
  throw Error("E0603", Exit::usage, "`" + printable(name) + "` cannot be the name of a run")
      .help("use 1 to 200 letters, digits, `.`, `_`, `+` and `-`, beginning with a letter, a digit or `_`");
}

std::string random_digits() {
  std::string digits(4, '0');
  unsigned bits = std::random_device{}();
  for (char& digit : digits) {
    digit = "0123456789abcdef"[bits & 15];
    bits >>= 4;
  }
  return digits;
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto rest = now - std::chrono::system_clock::from_time_t(seconds);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(rest).count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[48];
  const size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%03dZ", static_cast<int>(milliseconds));
  return text;
}

}  // namespace

bool is_run(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path / kManifest, ignored);
}

RunDirectory RunDirectory::create(const fs::path& parent, std::string_view name) {
  RunDirectory run = begin(parent, name);
  try {
    run.settle();
    return run;
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(run.path(), ignored);
    throw;
  }
}

RunDirectory RunDirectory::begin(const fs::path& parent, std::string_view name) {
  check_name(name);
  checkpoint::PosixFileSystem files;
  if (!parent.empty()) checkpoint::make_directories(files, parent);
  int result = -EEXIST;
  fs::path path;
  for (int i = 0; i < kTries && result == -EEXIST; ++i) {
    path = parent / (std::string(name) + "-" + random_digits());
    result = files.make_directory(path);
  }
  if (result < 0)
    throw Error("E0604", Exit::failed,
                "cannot make a directory for the run `" + std::string(name) + "` in `" + parent.string() +
                    "`: " + std::strerror(-result))
        .help(result == -ENOTDIR
                  ? "`" + parent.string() + "` is a file: move it away, or work in another directory (-C)"
                  : "make that directory writable, or choose another name");
  try {
    RunDirectory run(path);
    run.lock();
    run.kept_.emplace();
    run.write_text(
        kManifest,
        json_text(boost::json::object{{"name", name}, {"created", utc_now()}, {"status", "running"}}) + "\n");
    return run;
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
    throw;
  }
}

void RunDirectory::settle() const {
  if (!kept_) return;
  std::stable_partition(kept_->begin(), kept_->end(), [](const auto& each) { return each.name != kManifest; });
  checkpoint::PosixFileSystem files;
  checkpoint::write_durably(files, path_, *kept_, "file");
  for (const fs::path& each : made_inside_) checkpoint::sync_parent(files, each);
  files.sync_directory(path_.has_parent_path() ? path_.parent_path() : fs::path("."));
  kept_.reset();
}

RunDirectory RunDirectory::open(const fs::path& path) {
  if (!is_run(path))
    throw Error("E0601", Exit::usage, "`" + path.string() + "` is not the directory of a run: it has no manifest.json")
        .help("`spar runs` lists the runs");
  // "runs/a-7f3a/" would otherwise have an empty file name.
  return RunDirectory(path.has_filename() ? path : path.parent_path());
}

void RunDirectory::lock() {
  if (!lock_) lock_.emplace(path_ / "lock");
}

fs::path RunDirectory::seed(uint64_t seed) const {
  fs::path directory = path_ / ("seed-" + std::to_string(seed));
  if (lock_) {
    checkpoint::PosixFileSystem files;
    // Before settle() the name need not be durable yet.
    if (!kept_ || files.make_directory(directory) < 0) checkpoint::make_directories(files, directory);
  }
  return directory;
}

void RunDirectory::make_inside(const fs::path& directory) const {
  checkpoint::PosixFileSystem files;
  if (kept_ && files.make_directory(directory) >= 0)
    made_inside_.push_back(directory);
  else
    checkpoint::make_directories(files, directory);
}

void RunDirectory::write_text(std::string_view file, std::string_view text) const {
  if (kept_) {
    const auto known = std::ranges::find(*kept_, file, &checkpoint::NamedText::name);
    if (known != kept_->end())
      known->text = text;
    else
      kept_->push_back({std::string(file), std::string(text)});
    return;
  }
  checkpoint::PosixFileSystem files;
  checkpoint::write_durably(files, path_ / file, text, "file");
}

std::optional<std::string> RunDirectory::read_text(std::string_view file) const {
  if (kept_) {
    const auto known = std::ranges::find(*kept_, file, &checkpoint::NamedText::name);
    if (known != kept_->end()) return known->text;
  }
  const fs::path full = path_ / file;
  std::error_code problem;
  if (!fs::exists(full, problem) && !problem) return {};
  std::string reason = problem ? problem.message() : "";
  if (reason.empty() && !fs::is_regular_file(full, problem)) reason = "it is not a regular file";
  if (reason.empty() && fs::file_size(full, problem) > kMaxText) reason = "it has more than 64 MiB";
  if (reason.empty()) {
    std::ifstream stream(full, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (stream.is_open() && !stream.bad()) return text;
    reason = std::strerror(errno);
  }
  throw Error("E0604", Exit::failed, "cannot read `" + full.string() + "`: " + reason)
      .help("check that the run is complete and that you may read it");
}

boost::json::object RunDirectory::manifest() const {
  const std::string file = (path_ / kManifest).string();
  const boost::json::value value = parse_json(read_text(kManifest).value_or(""), file);
  if (!value.is_object())
    throw Error("E0606", Exit::failed, "`" + file + "` must hold one JSON object")
        .help("restore the file from a copy, or delete the run");
  return value.get_object();
}

void RunDirectory::update_manifest(const boost::json::object& changes) const {
  boost::json::object all = manifest();
  for (const auto& [key, value] : changes) all[key] = value;
  write_text(kManifest, json_text(all) + "\n");
}

void RunDirectory::finish(const Summary& summary) const {
  update_manifest({{"status", summary.status}, {"summary", to_json(summary)}});
}

std::optional<Summary> RunDirectory::summary() const {
  const boost::json::object all = manifest();
  const boost::json::value* summary = all.if_contains("summary");
  if (!summary || summary->is_null()) return {};
  const std::string file = (path_ / kManifest).string();
  if (!summary->is_object())
    throw Error("E0606", Exit::failed, "`" + file + "`: `summary` must be an object")
        .help("restore the file from a copy, or delete the run");
  return summary_from_json(summary->get_object(), file);
}

}  // namespace spar::run

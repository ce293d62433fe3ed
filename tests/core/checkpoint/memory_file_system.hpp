// A file system in memory that knows what is on its "disk" and what only in its cache, and can lose power.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/checkpoint/file_system.hpp"
#include "core/rng/philox.hpp"

namespace spar::checkpoint {

class MemoryFileSystem final : public FileSystem {
 public:
  int create(const Path& file) override {
    if (!directories_.contains(file.parent_path())) return -ENOENT;
    if (names_.contains(file)) return -EEXIST;
    names_[file] = std::make_shared<Node>();
    pending_.push_back({file, names_[file], {}});
    return add({names_[file], 0});
  }
  int open(const Path& file) override {
    const auto found = names_.find(file);
    return found == names_.end() ? -ENOENT : add({found->second, 0});
  }
  int64_t write(int descriptor, std::span<const std::byte> bytes) override {
    Node& node = *open_.at(descriptor).node;
    if (used_ + bytes.size() > capacity) bytes = bytes.first(capacity - used_);
    if (bytes.empty()) return -ENOSPC;
    used_ += bytes.size();
    node.cached.insert(node.cached.end(), bytes.begin(), bytes.end());
    return static_cast<int64_t>(bytes.size());
  }
  int64_t read(int descriptor, std::span<std::byte> bytes) override {
    Open& open = open_.at(descriptor);
    const auto rest = std::span(open.node->cached).subspan(open.at);
    const size_t got = std::min(rest.size(), bytes.size());
    std::copy_n(rest.begin(), got, bytes.begin());
    open.at += got;
    return static_cast<int64_t>(got);
  }
  int64_t size(int descriptor) override { return static_cast<int64_t>(open_.at(descriptor).node->cached.size()); }
  int fsync(int descriptor) override {
    Node& node = *open_.at(descriptor).node;
    node.durable = node.cached;
    return 0;
  }
  int close(int descriptor) override {
    open_.erase(descriptor);
    return 0;
  }
  int rename(const Path& from, const Path& to) override {
    const auto found = names_.find(from);
    if (found == names_.end()) return -ENOENT;
    const auto node = found->second;
    names_.erase(found);
    if (names_.contains(to)) release(*names_[to]);
    names_[to] = node;
    pending_.push_back({to, node, from});
    return 0;
  }
  int unlink(const Path& file) override {
    if (!names_.contains(file)) return -ENOENT;
    release(*names_[file]);
    names_.erase(file);
    pending_.push_back({file, nullptr, {}});
    return 0;
  }
  int sync_directory(const Path& directory) override {
    for (const Change& change : pending_)
      if (change.name.parent_path() == directory) apply(change);
    std::erase_if(pending_, [&](const Change& change) { return change.name.parent_path() == directory; });
    return 0;
  }
  int make_directory(const Path& directory) override {
    if (directory.has_parent_path() && !directories_.contains(directory.parent_path())) return -ENOENT;
    return directories_.insert(directory).second ? 0 : -EEXIST;
  }
  int list(const Path& directory, std::vector<std::string>& names) override {
    names.clear();
    if (!directories_.contains(directory)) return -ENOENT;
    for (const auto& [name, node] : names_)
      if (name.parent_path() == directory) names.push_back(name.filename().string());
    return 0;
  }
  int64_t free_space(const Path&) override { return static_cast<int64_t>(capacity - used_); }

  /// Power is lost and comes back: of the changes of names that were not synced an arbitrary subset has reached the
  /// disk, of unsynced contents an arbitrary prefix, perhaps with zeros behind it.
  void lose_power(Philox& random) {
    for (const Change& change : pending_)
      if (random.below(2) == 0) apply(change);
    pending_.clear();
    open_.clear();
    names_ = durable_names_;
    for (auto& [name, node] : names_) {
      if (node->durable == node->cached) continue;
      const size_t kept = random.below(node->cached.size() + 1);
      const size_t full = node->cached.size();
      node->cached.resize(kept);
      if (random.below(2) == 0) node->cached.resize(full);
      node->durable = node->cached;
    }
  }
  size_t open_files() const { return open_.size(); }
  std::vector<std::byte>& content(const Path& file) { return names_.at(file)->cached; }

  size_t capacity = size_t{1} << 30;

 private:
  struct Node {
    std::vector<std::byte> cached, durable;
  };
  struct Open {
    std::shared_ptr<Node> node;
    size_t at;
  };
  struct Change {
    Path name;
    std::shared_ptr<Node> node;  ///< null: the name goes
    Path from;                   ///< of a rename
  };

  int add(Open open) {
    open_[next_] = std::move(open);
    return next_++;
  }
  void release(const Node& node) { used_ -= node.cached.size(); }
  void apply(const Change& change) {
    if (!change.from.empty()) durable_names_.erase(change.from);
    if (change.node)
      durable_names_[change.name] = change.node;
    else
      durable_names_.erase(change.name);
  }

  std::set<Path> directories_;
  std::map<Path, std::shared_ptr<Node>> names_, durable_names_;
  std::vector<Change> pending_;
  std::map<int, Open> open_;
  int next_ = 3;
  size_t used_ = 0;
};

}  // namespace spar::checkpoint

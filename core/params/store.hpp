// The parameter store: versioned, immutable snapshots of named tensors. Readers never see a half-written one and never
// wait for a writer's copy.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/bytes.hpp"

namespace spar::params {

struct Tensor {
  std::string name;
  uint8_t code = 0, bits = 0;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;  ///< compact, row-major
};

struct Snapshot {
  uint64_t version = 0;
  std::vector<Tensor> tensors;
};

class Store {
 public:
  /// [any] Returns the new version; versions of a key count from 1. Only the newest snapshot of a key is kept by the
  /// store, older ones live as long as somebody holds them.
  uint64_t publish(std::string_view key, std::vector<Tensor> tensors);
  /// [any] The same, filled in place: fill(tensors) gets those of an older snapshot of the key that nobody holds any
  /// more, or an empty list. Nothing is allocated once there are two to take turns.
  template <class Fill>
  uint64_t publish_into(std::string_view key, Fill&& fill) {
    std::shared_ptr<Snapshot> snapshot = take_spare(key);
    fill(snapshot->tensors);
    return put(key, std::move(snapshot), true);
  }
  /// [any] The newest snapshot, or null if none is newer than `newer_than`.
  std::shared_ptr<const Snapshot> fetch(std::string_view key, uint64_t newer_than = 0) const;
  /// [any] Version of the newest snapshot; 0 = none.
  uint64_t version(std::string_view key) const;

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  struct Entry {
    std::shared_ptr<Snapshot> newest;
    std::shared_ptr<Snapshot> spare;  ///< the one before, whose memory can be used again when its readers are gone
  };
  /// As quick with a hundred policies as with one.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Entries = std::unordered_map<std::string, Entry, Hash, std::equal_to<>>;

  std::shared_ptr<Snapshot> take_spare(std::string_view key);
  uint64_t put(std::string_view key, std::shared_ptr<Snapshot> snapshot, bool keep_spare);

  mutable std::mutex mutex_;
  Entries entries_;
};

}  // namespace spar::params

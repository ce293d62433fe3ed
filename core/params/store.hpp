// The parameter store: versioned, immutable snapshots of named tensors. Readers never see a half-written one and never
// wait for a writer's copy.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
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
  /// [any] The newest snapshot, or null if none is newer than `newer_than`.
  std::shared_ptr<const Snapshot> fetch(std::string_view key, uint64_t newer_than = 0) const;
  /// [any] Version of the newest snapshot; 0 = none.
  uint64_t version(std::string_view key) const;

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Snapshot>, std::less<>> newest_;
};

}  // namespace spar::params

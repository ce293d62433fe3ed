#include "core/params/store.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace spar::params {

uint64_t Store::publish(std::string_view key, std::vector<Tensor> tensors) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->tensors = std::move(tensors);
  return put(key, std::move(snapshot), false);
}

std::shared_ptr<Snapshot> Store::take_spare(std::string_view key) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(key);
  // Readers get the newest only, so nobody can begin to hold the spare; the last one to let it go is waited for.
  if (found == entries_.end() || !found->second.spare || found->second.spare.use_count() > 1)
    return std::make_shared<Snapshot>();
  std::atomic_thread_fence(std::memory_order_acquire);
  return std::exchange(found->second.spare, nullptr);
}

uint64_t Store::put(std::string_view key, std::shared_ptr<Snapshot> snapshot, bool keep_spare) {
  const std::scoped_lock lock(mutex_);
  auto found = entries_.find(key);
  if (found == entries_.end()) found = entries_.emplace(std::string(key), Entry{}).first;
  Entry& entry = found->second;
  snapshot->version = entry.newest ? entry.newest->version + 1 : 1;
  entry.spare = keep_spare ? std::move(entry.newest) : nullptr;
  entry.newest = std::move(snapshot);
  return entry.newest->version;
}

std::shared_ptr<const Snapshot> Store::fetch(std::string_view key, uint64_t newer_than) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(key);
  return found != entries_.end() && found->second.newest->version > newer_than ? found->second.newest : nullptr;
}

uint64_t Store::version(std::string_view key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? 0 : found->second.newest->version;
}

void Store::save(ByteWriter& writer) const {
  const std::scoped_lock lock(mutex_);
  std::vector<const Entries::value_type*> by_key;  // the same bytes, whatever order they lie in
  for (const auto& entry : entries_) by_key.push_back(&entry);
  std::ranges::sort(by_key, {}, [](const auto* entry) -> const std::string& { return entry->first; });
  writer.put<uint64_t>(by_key.size());
  for (const auto* one : by_key) {
    const auto& [key, entry] = *one;
    writer.text(key);
    writer.put(entry.newest->version);
    writer.put<uint64_t>(entry.newest->tensors.size());
    for (const Tensor& tensor : entry.newest->tensors) {
      writer.text(tensor.name);
      writer.put(tensor.code);
      writer.put(tensor.bits);
      writer.array<int64_t>(tensor.shape);
      writer.array<std::byte>(tensor.data);
    }
  }
}

void Store::load(ByteReader& reader) {
  Entries loaded;
  for (auto keys = reader.get<uint64_t>(); keys > 0; --keys) {
    const std::string key = reader.text();
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->version = reader.get<uint64_t>();
    for (auto n = reader.get<uint64_t>(); n > 0; --n) {
      Tensor tensor;
      tensor.name = reader.text();
      tensor.code = reader.get<uint8_t>();
      tensor.bits = reader.get<uint8_t>();
      tensor.shape = reader.vector<int64_t>();
      tensor.data = reader.vector<std::byte>();
      snapshot->tensors.push_back(std::move(tensor));
    }
    loaded[key].newest = std::move(snapshot);
  }
  const std::scoped_lock lock(mutex_);
  entries_ = std::move(loaded);
}

}  // namespace spar::params

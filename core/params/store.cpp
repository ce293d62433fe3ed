#include "core/params/store.hpp"

namespace spar::params {

uint64_t Store::publish(std::string_view key, std::vector<Tensor> tensors) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->tensors = std::move(tensors);
  const std::scoped_lock lock(mutex_);
  auto& newest = newest_[std::string(key)];
  snapshot->version = newest ? newest->version + 1 : 1;
  newest = std::move(snapshot);
  return newest->version;
}

std::shared_ptr<const Snapshot> Store::fetch(std::string_view key, uint64_t newer_than) const {
  const std::scoped_lock lock(mutex_);
  const auto found = newest_.find(key);
  return found != newest_.end() && found->second->version > newer_than ? found->second : nullptr;
}

uint64_t Store::version(std::string_view key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = newest_.find(key);
  return found == newest_.end() ? 0 : found->second->version;
}

void Store::save(ByteWriter& writer) const {
  const std::scoped_lock lock(mutex_);
  writer.put<uint64_t>(newest_.size());
  for (const auto& [key, snapshot] : newest_) {
    writer.text(key);
    writer.put(snapshot->version);
    writer.put<uint64_t>(snapshot->tensors.size());
    for (const Tensor& tensor : snapshot->tensors) {
      writer.text(tensor.name);
      writer.put(tensor.code);
      writer.put(tensor.bits);
      writer.array<int64_t>(tensor.shape);
      writer.array<std::byte>(tensor.data);
    }
  }
}

void Store::load(ByteReader& reader) {
  std::map<std::string, std::shared_ptr<const Snapshot>, std::less<>> loaded;
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
    loaded[key] = std::move(snapshot);
  }
  const std::scoped_lock lock(mutex_);
  newest_ = std::move(loaded);
}

}  // namespace spar::params

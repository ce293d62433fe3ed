// spar_stream over the host's bytes, for save() and load() of plugins.
#pragma once

#include <string>
#include <vector>

#include "spar/abi.h"

namespace spar::rollout {

/// Collects what a plugin writes.
class OutStream {
 public:
  OutStream() : stream_{sizeof(spar_stream), 0, this, nullptr, write} {}
  const spar_stream* abi() const { return &stream_; }
  std::string text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  std::vector<std::byte> bytes;

 private:
  static int64_t write(void* self, const void* src, uint64_t n) {
    auto& out = static_cast<OutStream*>(self)->bytes;
    const auto* first = static_cast<const std::byte*>(src);
    out.insert(out.end(), first, first + n);
    return static_cast<int64_t>(n);
  }
  spar_stream stream_;
};

/// Hands saved bytes to a plugin.
class InStream {
 public:
  explicit InStream(std::vector<std::byte> data)
      : bytes_(std::move(data)), stream_{sizeof(spar_stream), 0, this, read, nullptr} {}
  const spar_stream* abi() const { return &stream_; }
  size_t left() const { return bytes_.size() - at_; }

 private:
  static int64_t read(void* self, void* dst, uint64_t n) {
    auto& in = *static_cast<InStream*>(self);
    const uint64_t take = n < in.left() ? n : in.left();
    auto* out = static_cast<std::byte*>(dst);
    for (uint64_t i = 0; i < take; ++i) out[i] = in.bytes_[in.at_ + i];
    in.at_ += take;
    return static_cast<int64_t>(take);
  }
  std::vector<std::byte> bytes_;
  size_t at_ = 0;
  spar_stream stream_;
};

}  // namespace spar::rollout

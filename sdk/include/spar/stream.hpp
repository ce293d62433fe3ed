// Saving and loading a component's own state through the host's stream.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "spar/barrier.hpp"

namespace spar {

class StreamWriter {
 public:
  explicit StreamWriter(const spar_stream& stream) : stream_(stream) {}

  void raw(const void* data, uint64_t size) {
    const auto* bytes = static_cast<const char*>(data);
    while (size > 0) {
      const int64_t n = stream_.write(stream_.ctx, bytes, size);
      if (n <= 0)
        throw StatusError(n < 0 ? static_cast<spar_status>(n) : SPAR_E_IO, "the host's stream refused a write");
      bytes += n;
      size -= static_cast<uint64_t>(n);
    }
  }
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    raw(&value, sizeof value);
  }
  template <class T>
  void array(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put<uint64_t>(values.size());
    raw(values.data(), values.size() * sizeof(T));
  }

 private:
  const spar_stream& stream_;
};

class StreamReader {
 public:
  explicit StreamReader(const spar_stream& stream) : stream_(stream) {}

  void raw(void* data, uint64_t size) {
    auto* bytes = static_cast<char*>(data);
    while (size > 0) {
      const int64_t n = stream_.read(stream_.ctx, bytes, size);
      if (n < 0) throw StatusError(static_cast<spar_status>(n), "the host's stream refused a read");
      if (n == 0) throw StatusError(SPAR_E_IO, "the saved state ends " + std::to_string(size) + " bytes too early");
      bytes += n;
      size -= static_cast<uint64_t>(n);
    }
  }
  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    raw(&value, sizeof value);
    return value;
  }
  /// Reads an array whose length must be `values.size()`: a saved length is never trusted with an allocation.
  template <class T>
  void array(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto n = get<uint64_t>();
    if (n != values.size()) {
      throw StatusError(SPAR_E_INVALID, "the saved state holds " + std::to_string(n) + " values where " +
                                            std::to_string(values.size()) + " are expected");
    }
    raw(values.data(), n * sizeof(T));
  }

 private:
  const spar_stream& stream_;
};

}  // namespace spar

#include "core/checkpoint/counters.hpp"

#include <cereal/cereal.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/base/bytes.hpp"

namespace spar::checkpoint {
namespace {

constexpr uint32_t kFormat = 1;

/// cereal into a vector.
class Output : public cereal::OutputArchive<Output, cereal::AllowEmptyClassElision> {
 public:
  Output() : OutputArchive(this) {}
  void saveBinary(const void* data, size_t size) {
    const size_t at = bytes.size();
    bytes.resize(at + size);
    if (size > 0) std::memcpy(bytes.data() + at, data, size);
  }
  std::vector<std::byte> bytes;
};

/// cereal over a ByteReader. cereal trusts the lengths it reads and reserves that much; here a container is refused
/// before that if it claims more elements than bytes remain.
class Input : public cereal::InputArchive<Input, cereal::AllowEmptyClassElision> {
 public:
  Input(std::span<const std::byte> data, std::string_view what) : InputArchive(this), bytes(data, what), what_(what) {}
  void loadBinary(void* data, size_t size) { bytes.raw(data, size); }
  [[noreturn]] void refuse(const std::string& problem) const {
    throw Error("E0501", Exit::failed, "checkpoint section `" + std::string(what_) + "` " + problem);
  }
  ByteReader bytes;

 private:
  std::string_view what_;
};

template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(Output& archive, const T& value) { archive.saveBinary(&value, sizeof value); }

template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(Input& archive, T& value) { archive.loadBinary(&value, sizeof value); }

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(Output& archive, const cereal::BinaryData<T>& data) {
  archive.saveBinary(data.data, static_cast<size_t>(data.size));
}

template <class T>
void CEREAL_LOAD_FUNCTION_NAME(Input& archive, cereal::BinaryData<T>& data) {
  archive.loadBinary(data.data, static_cast<size_t>(data.size));
}

template <class Archive, class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(Output& archive, const cereal::SizeTag<T>& tag) {
  archive(static_cast<uint64_t>(tag.size));
}

template <class T>
void CEREAL_LOAD_FUNCTION_NAME(Input& archive, cereal::SizeTag<T>& tag) {
  uint64_t size = 0;
  archive(size);
  if (size > archive.bytes.left())
    archive.refuse("claims " + std::to_string(size) + " items, more than the bytes that remain");
  tag.size = size;
}

template <class Archive, class State>
void all(Archive& archive, State& state) {
  archive(state.env_steps, state.updates, state.episodes, state.metrics_seq, state.eval_seq, state.seconds,
          state.best_step, state.recent_returns, state.due);
}

}  // namespace

std::vector<std::byte> pack(const Counters& counters) {
  Output archive;
  archive(kFormat);
  all(archive, counters);
  archive(static_cast<uint8_t>(counters.best_return.has_value()), counters.best_return.value_or(0));
  std::vector<std::byte>& bytes = archive.bytes;
  if (bytes.size() > kMaxCountersBytes)
    throw Error("E0506", Exit::failed,
                "counters have " + std::to_string(bytes.size()) + " bytes, at most " +
                    std::to_string(kMaxCountersBytes) + " are allowed: keep fewer recent returns");
  return std::move(bytes);
}

Counters unpack_counters(std::span<const std::byte> bytes, std::string_view what) {
  Input archive(bytes, what);
  if (bytes.size() > kMaxCountersBytes)
    archive.refuse("has " + std::to_string(bytes.size()) + " bytes, at most " + std::to_string(kMaxCountersBytes) +
                   " are allowed");
  uint32_t format = 0;
  archive(format);
  if (format != kFormat)
    archive.refuse("has format " + std::to_string(format) + ", this program reads format " + std::to_string(kFormat));
  Counters counters;
  all(archive, counters);
  uint8_t has_best = 0;
  double best = 0;
  archive(has_best, best);
  if (has_best > 1) archive.refuse("has a flag that is neither 0 nor 1");
  if (has_best) counters.best_return = best;
  archive.bytes.end();
  return counters;
}

}  // namespace spar::checkpoint

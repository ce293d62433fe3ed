// A small memory and a short way to fill it.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/replay/buffer.hpp"

namespace spar::test {

/// Observations are [x, -x], so that a row taken apart wrongly shows.
inline replay::BufferSpec small_spec(uint32_t kind, uint64_t capacity, uint64_t lanes = 1, uint32_t n_step = 1,
                                     double gamma = 0.9) {
  replay::BufferSpec spec;
  spec.kind = kind;
  spec.capacity = capacity;
  spec.lanes = lanes;
  spec.n_step = n_step;
  spec.gamma = gamma;
  spec.alpha = 1;
  spec.eps = 0.01;
  spec.observed = {{"obs", SPAR_DTYPE_FLOAT, 32, {2}}};
  spec.acted = {{"action", SPAR_DTYPE_INT, 64, {}}};
  return spec;
}

struct Step {
  float obs = 0, next = 0, reward = 0;
  bool terminated = false, truncated = false;
  uint64_t lane = 0;
  int64_t action = 0;
};

/// One append of all steps.
inline void append(replay::Buffer& buffer, const std::vector<Step>& steps) {
  std::vector<float> obs, next, reward;
  std::vector<int64_t> action;
  std::vector<uint8_t> terminated, truncated;
  std::vector<uint64_t> lane;
  for (const Step& step : steps) {
    obs.insert(obs.end(), {step.obs, -step.obs});
    next.insert(next.end(), {step.next, -step.next});
    action.push_back(step.action);
    reward.push_back(step.reward);
    terminated.push_back(step.terminated);
    truncated.push_back(step.truncated);
    lane.push_back(step.lane);
  }
  const void* observed_columns[] = {obs.data()};
  const void* acted_columns[] = {action.data()};
  const void* next_columns[] = {next.data()};
  buffer.append({steps.size(), lane.data(), observed_columns, acted_columns, next_columns, reward.data(),
                 terminated.data(), truncated.data()});
}

/// Steps 0, 1, .. of one endless episode: obs t, next t+1, action t, reward t.
inline void append_counting(replay::Buffer& buffer, int from, int to) {
  for (int t = from; t < to; ++t)
    append(buffer, {{static_cast<float>(t), static_cast<float>(t + 1), static_cast<float>(t), false, false, 0, t}});
}

/// A sampled batch, released at the end of its life.
class Sample {
 public:
  Sample(replay::Buffer& buffer, uint64_t n, double beta = 0) : buffer_(buffer) {
    batch_.struct_size = sizeof batch_;
    buffer.sample(n, beta, &batch_);
  }
  ~Sample() { buffer_.release(&batch_); }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  const spar_batch& batch() const { return batch_; }
  uint64_t rows() const { return batch_.rows; }
  uint64_t index(size_t row) const { return batch_.index[row]; }
  double weight(size_t row) const { return static_cast<double>(batch_.weight[row]); }

  const spar_tensor& tensor(std::string_view name) const {
    for (uint32_t i = 0; i < batch_.n_columns; ++i)
      if (std::string_view(batch_.columns[i].name.ptr, batch_.columns[i].name.len) == name) return batch_.columns[i].t;
    throw std::runtime_error("no column " + std::string(name));
  }
  /// All elements of a column, row-major.
  template <class T>
  std::vector<T> column(std::string_view name) const {
    const spar_tensor& t = tensor(name);
    BOOST_REQUIRE(t.bits == 8 * sizeof(T));
    size_t size = 1;
    for (int32_t i = 0; i < t.ndim; ++i) size *= static_cast<size_t>(t.shape[i]);
    std::vector<T> values(size);
    std::memcpy(values.data(), t.data, size * sizeof(T));
    return values;
  }

 private:
  replay::Buffer& buffer_;
  spar_batch batch_{};
};

/// For BOOST_CHECK_EXCEPTION: the error has this code and its sentence these words.
inline auto error_with(std::string code, std::string words) {
  return [code, words](const Error& error) {
    const bool fits = error.code() == code && std::string_view(error.what()).find(words) != std::string_view::npos;
    if (!fits) BOOST_TEST_MESSAGE("found " << error.code() << ": " << error.what());
    return fits;
  };
}

inline std::vector<std::byte> saved(const replay::Buffer& buffer) {
  ByteWriter out;
  buffer.save(out);
  return out.take();
}

}  // namespace spar::test

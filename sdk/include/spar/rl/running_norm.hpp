// Running mean and variance per dimension, for normalising observations and returns.
#pragma once

#include <cmath>
#include <vector>

#include "spar/rl/view.hpp"

namespace spar::rl {

/// Joins batches by the parallel update of Chan, Golub and LeVeque (1979). Starts as mean 0 and variance 1 with a
/// weight of `count` items, so that the first batches are not divided by zero.
class RunningNorm {
 public:
  explicit RunningNorm(size_t dimensions, double count = 1e-4)
      : mean_(dimensions, 0.0), variance_(dimensions, 1.0), count_(count) {}

  /// batch: [B, dimensions]. Throws std::invalid_argument if the rows do not come out even; an empty batch does
  /// nothing.
  template <class Batch>
  void update(const Batch& batch) {
    const size_t n = mean_.size(), rows = n == 0 ? 0 : batch.size() / n;
    require_size(rows * n, batch.size(), "batch");
    if (rows == 0) return;
    const double added = static_cast<double>(rows), total = count_ + added;
    for (size_t j = 0; j < n; ++j) {
      double sum = 0, spread = 0;
      for (size_t i = 0; i < rows; ++i) sum += static_cast<double>(batch.data()[i * n + j]);
      const double mean = sum / added, shift = mean - mean_[j];
      for (size_t i = 0; i < rows; ++i) {
        const double deviation = static_cast<double>(batch.data()[i * n + j]) - mean;
        spread += deviation * deviation;
      }
      mean_[j] += shift * added / total;
      variance_[j] = (variance_[j] * count_ + spread + shift * shift * count_ * added / total) / total;
    }
    count_ = total;
  }

  /// (x - mean) / sqrt(variance + eps) of dimension j.
  double normalise(double x, size_t j, double eps = 1e-8) const {
    return (x - mean_[j]) / std::sqrt(variance_[j] + eps);
  }

  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& variance() const { return variance_; }  ///< of the population: divided by the count
  double count() const { return count_; }

  /// For checkpoints: takes back what mean(), variance() and count() gave. Throws std::invalid_argument if the
  /// dimensions differ.
  void restore(const std::vector<double>& mean, const std::vector<double>& variance, double count) {
    require_size(mean_.size(), mean.size(), "mean");
    require_size(mean_.size(), variance.size(), "variance");
    mean_ = mean;
    variance_ = variance;
    count_ = count;
  }

 private:
  std::vector<double> mean_, variance_;
  double count_;
};

}  // namespace spar::rl

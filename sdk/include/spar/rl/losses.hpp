// Regression losses over [B] predictions and [B] targets, mean over the batch, with their gradients. Arrays of other
// lengths throw std::invalid_argument: nothing is broadcast. Sums are taken in double.
#pragma once

#include "spar/rl/view.hpp"

namespace spar::rl {

/// l(e) = e^2 of the error e = prediction - target.
struct SquaredError {
  double value(double error) const { return error * error; }
  double slope(double error) const { return 2 * error; }
};

/// l(e) = e^2 / 2 for |e| <= delta, else delta (|e| - delta / 2) (Huber 1964). Its gradient is the error clipped to
/// +-delta; with delta 1 the "error clipping" of Mnih et al. 2015.
struct HuberError {
  double delta = 1;
  double value(double error) const {
    const double size = error < 0 ? -error : error;
    return size <= delta ? 0.5 * error * error : delta * (size - 0.5 * delta);
  }
  double slope(double error) const { return error < -delta ? -delta : error > delta ? delta : error; }
};

/// L = 1/B sum_i l(prediction_i - target_i); 0 for an empty batch.
template <class Loss, class Prediction, class Target>
double mean_loss(const Loss& loss, const Prediction& prediction, const Target& target) {
  const size_t rows = prediction.size();
  require_size(rows, target.size(), "target");
  double sum = 0;
  for (size_t i = 0; i < rows; ++i)
    sum += loss.value(static_cast<double>(prediction.data()[i]) - static_cast<double>(target.data()[i]));
  return rows == 0 ? 0 : sum / static_cast<double>(rows);
}

/// L = 1/B sum_i w_i l(prediction_i - target_i), w the importance weights of the sample (Schaul et al. 2016).
template <class Loss, class Prediction, class Target, class Weight>
double mean_loss(const Loss& loss, const Prediction& prediction, const Target& target, const Weight& weight) {
  const size_t rows = prediction.size();
  require_size(rows, target.size(), "target");
  require_size(rows, weight.size(), "weight");
  double sum = 0;
  for (size_t i = 0; i < rows; ++i)
    sum += static_cast<double>(weight.data()[i]) *
           loss.value(static_cast<double>(prediction.data()[i]) - static_cast<double>(target.data()[i]));
  return rows == 0 ? 0 : sum / static_cast<double>(rows);
}

/// gradient_i = dL / d prediction_i = l'(e_i) / B.
template <class Loss, class Prediction, class Target, class Gradient>
void mean_loss_gradient(const Loss& loss, const Prediction& prediction, const Target& target, Gradient&& gradient) {
  const size_t rows = prediction.size();
  require_size(rows, target.size(), "target");
  require_size(rows, gradient.size(), "gradient");
  for (size_t i = 0; i < rows; ++i) {
    const double error = static_cast<double>(prediction.data()[i]) - static_cast<double>(target.data()[i]);
    gradient.data()[i] = static_cast<ElementOf<Gradient>>(loss.slope(error) / static_cast<double>(rows));
  }
}

/// gradient_i = w_i l'(e_i) / B.
template <class Loss, class Prediction, class Target, class Weight, class Gradient>
void mean_loss_gradient(const Loss& loss, const Prediction& prediction, const Target& target, const Weight& weight,
                        Gradient&& gradient) {
  require_size(prediction.size(), weight.size(), "weight");
  mean_loss_gradient(loss, prediction, target, gradient);
  for (size_t i = 0; i < weight.size(); ++i) gradient.data()[i] *= static_cast<ElementOf<Gradient>>(weight.data()[i]);
}

}  // namespace spar::rl

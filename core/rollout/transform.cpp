#include "core/rollout/transform.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"

namespace spar::rollout {
namespace {

constexpr double kNormalisedLimit = 10.0;

void save_norm(const rl::RunningNorm& norm, ByteWriter& writer) {
  writer.array<double>(norm.mean());
  writer.array<double>(norm.variance());
  writer.put(norm.count());
}

void load_norm(rl::RunningNorm& norm, ByteReader& reader) {
  std::vector<double> mean(norm.mean().size()), variance(norm.mean().size());
  reader.array<double>(mean);
  reader.array<double>(variance);
  norm.restore(mean, variance, reader.get<double>());
}

}  // namespace

TransformSpec TransformSpec::parse(std::string_view text, std::string_view option) {
  if (text.empty()) return {};
  if (text == "normalise") return {Kind::normalise, 0};
  for (const auto& [word, kind] :
       {std::pair{std::string_view("scale("), Kind::scale}, {std::string_view("clip("), Kind::clip}}) {
    if (!text.starts_with(word) || !text.ends_with(')')) continue;
    const std::string_view number = text.substr(word.size(), text.size() - word.size() - 1);
    double amount = 0;
    const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), amount);
    const bool usable = kind == Kind::scale ? amount != 0 : amount > 0;
    if (status == std::errc() && end == number.data() + number.size() && std::isfinite(amount) && usable)
      return {kind, amount};
  }
  throw Error("E0707", Exit::usage,
              std::string(option) + " is \"" + std::string(text) +
                  "\", expected scale(x) with x not 0, clip(x) with x > 0, normalise, or nothing");
}

ObservationTransform::ObservationTransform(const TransformSpec& spec, const std::vector<Leaf>& leaves) : spec_(spec) {
  for (const Leaf& leaf : leaves) {
    size_t width = 1;
    for (const int64_t extent : leaf.shape) width *= static_cast<size_t>(extent);
    const bool numbers = leaf.code == SPAR_DTYPE_FLOAT && leaf.bits == 32;
    widths_.push_back(numbers ? width : 0);
    norms_.emplace_back(spec.kind == TransformSpec::Kind::normalise ? widths_.back() : 0);
  }
}

void ObservationTransform::observe(size_t leaf, const float* data, uint64_t rows) {
  if (spec_.kind != TransformSpec::Kind::normalise) return;
  norms_[leaf].update(std::span(data, rows * widths_[leaf]));
}

void ObservationTransform::apply(size_t leaf, float* data, uint64_t rows) const {
  const size_t width = widths_[leaf], n = rows * width;
  switch (spec_.kind) {
    case TransformSpec::Kind::none:
      break;
    case TransformSpec::Kind::scale:
      for (size_t i = 0; i < n; ++i) data[i] = static_cast<float>(data[i] * spec_.amount);
      break;
    case TransformSpec::Kind::clip:
      for (size_t i = 0; i < n; ++i)
        data[i] = static_cast<float>(std::clamp<double>(data[i], -spec_.amount, spec_.amount));
      break;
    case TransformSpec::Kind::normalise:
      for (size_t i = 0; i < n; ++i) {
        data[i] = static_cast<float>(
            std::clamp(norms_[leaf].normalise(data[i], i % width), -kNormalisedLimit, kNormalisedLimit));
      }
      break;
  }
}

void ObservationTransform::save(ByteWriter& writer) const {
  for (const auto& norm : norms_) save_norm(norm, writer);
}

void ObservationTransform::load(ByteReader& reader) {
  for (auto& norm : norms_) load_norm(norm, reader);
}

RewardTransform::RewardTransform(const TransformSpec& spec, double gamma, uint64_t lanes)
    : spec_(spec), gamma_(gamma), returns_(lanes, 0.0), seen_(lanes, 0.0) {}

void RewardTransform::scale_or_clip(float* rewards, uint64_t n) const {
  if (spec_.kind == TransformSpec::Kind::scale) {
    for (size_t i = 0; i < n; ++i) rewards[i] = static_cast<float>(rewards[i] * spec_.amount);
  } else if (spec_.kind == TransformSpec::Kind::clip) {
    for (size_t i = 0; i < n; ++i)
      rewards[i] = static_cast<float>(std::clamp<double>(rewards[i], -spec_.amount, spec_.amount));
  }
}

void RewardTransform::on_step(float* rewards, const uint8_t* ended, const uint64_t* lane, uint64_t rows) {
  scale_or_clip(rewards, rows);
  if (spec_.kind != TransformSpec::Kind::normalise) return;
  for (size_t i = 0; i < rows; ++i) seen_[i] = gamma_ * returns_[lane[i]] + rewards[i];
  norm_.update(std::span(seen_).first(rows));
  for (size_t i = 0; i < rows; ++i) returns_[lane[i]] = ended[i] ? 0.0 : seen_[i];
}

void RewardTransform::on_given(float* rewards, uint64_t rows) const {
  scale_or_clip(rewards, rows);
  on_sample(rewards, rows);
}

void RewardTransform::cut() { std::fill(returns_.begin(), returns_.end(), 0.0); }

void RewardTransform::on_sample(float* rewards, uint64_t rows) const {
  if (spec_.kind != TransformSpec::Kind::normalise) return;
  const double scale = 1.0 / std::sqrt(norm_.variance()[0] + 1e-8);
  for (uint64_t i = 0; i < rows; ++i) rewards[i] = static_cast<float>(rewards[i] * scale);
}

void RewardTransform::save(ByteWriter& writer) const {
  writer.array<double>(returns_);
  save_norm(norm_, writer);
}

void RewardTransform::load(ByteReader& reader) {
  reader.array<double>(returns_);
  load_norm(norm_, reader);
}

}  // namespace spar::rollout

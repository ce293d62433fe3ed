// The host's services for one component instance, looked up once and never NULL: a service that the host lacks throws
// SPAR_E_UNSUPPORTED with its name when it is first used.
#pragma once

#include <string>
#include <string_view>

#include "spar/batch.hpp"

namespace spar {

/// A batch on loan from the host's table; goes back when it leaves scope.
class Sample {
 public:
  Sample(const spar_svc_buffer& service, spar_ctx* ctx, uint64_t n, double beta) : service_(service), ctx_(ctx) {
    batch_.struct_size = sizeof batch_;
    spar_query query{sizeof(spar_query), 0, n, beta};
    spar_error error = fresh_error();
    check(service_.sample(ctx_, &query, &batch_, &error), error);
  }
  ~Sample() { service_.release(ctx_, &batch_); }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  const spar_batch& batch() const { return batch_; }
  uint64_t rows() const { return batch_.rows; }
  template <class T>
  Matrix<T> column(std::string_view name) const {
    return spar::column<T>(batch_, name);
  }
  template <class T>
  Matrix<T> optional_column(std::string_view name) const {
    return spar::optional_column<T>(batch_, name);
  }
  /// Importance weight of row i; 1 if the table is uniform.
  float weight(uint64_t i) const { return batch_.weight ? batch_.weight[i] : 1.0F; }

  /// Reports abs(error) of each row, in the order of the rows; does nothing useful on a uniform table.
  void set_priorities(const float* errors) const {
    spar_error error = fresh_error();
    check(service_.set_priority(ctx_, batch_.index, errors, batch_.rows, &error), error);
  }

 private:
  const spar_svc_buffer& service_;
  spar_ctx* ctx_;
  spar_batch batch_{};
};

class Context;

/// One metric of the run; recording costs a few nanoseconds.
class Metric {
 public:
  Metric() = default;
  void record(uint64_t step, double value) const {
    if (service_ && id_) service_->record(ctx_, id_, step, value);
  }

 private:
  friend class Context;
  const spar_svc_metrics* service_ = nullptr;
  spar_ctx* ctx_ = nullptr;
  uint32_t id_ = 0;
};

class Context {
 public:
  Context(const spar_host* host, spar_ctx* ctx)
      : ctx_(ctx),
        log_(find<spar_svc_log>(host, SPAR_SVC_LOG)),
        rng_(find<spar_svc_rng>(host, SPAR_SVC_RNG)),
        metrics_(find<spar_svc_metrics>(host, SPAR_SVC_METRICS)),
        buffer_(find<spar_svc_buffer>(host, SPAR_SVC_BUFFER)),
        params_(find<spar_svc_params>(host, SPAR_SVC_PARAMS)),
        exec_(find<spar_svc_exec>(host, SPAR_SVC_EXEC)),
        nn_(find<spar_svc_nn>(host, SPAR_SVC_NN)) {}

  spar_ctx* handle() const { return ctx_; }

  void log(uint32_t level, std::string_view message) const {
    if (log_) log_->write(ctx_, level, str(message));
  }

  uint64_t bits() const {
    uint64_t value = 0;
    rng().bits(ctx_, &value, 1);
    return value;
  }
  double uniform() const {
    double value = 0;
    rng().uniform(ctx_, &value, 1);
    return value;
  }
  /// n draws at once; the same numbers as n calls of uniform().
  void uniforms(double* to, uint64_t n) const { rng().uniform(ctx_, to, n); }
  double normal() const {
    double value = 0;
    rng().normal(ctx_, &value, 1);
    return value;
  }
  /// n draws at once; the same numbers as n calls of normal().
  void normals(double* to, uint64_t n) const { rng().normal(ctx_, to, n); }
  /// 0 .. n-1; the bias of the multiplication is below n / 2^53.
  uint64_t below(uint64_t n) const { return static_cast<uint64_t>(uniform() * static_cast<double>(n)); }
  uint64_t seed_for(std::string_view purpose) const { return rng().seed_for(ctx_, str(purpose)); }

  Metric metric(std::string_view name, uint32_t kind = SPAR_METRIC_MEAN, std::string_view unit = "") const {
    Metric metric;
    metric.service_ = metrics_;
    metric.ctx_ = ctx_;
    metric.id_ = metrics_ ? metrics_->define(ctx_, str(name), kind, str(unit)) : 0;
    return metric;
  }

  uint64_t buffer_size() const { return need(buffer_, SPAR_SVC_BUFFER).size(ctx_); }
  Sample sample(uint64_t n, double beta = 0) const { return Sample(need(buffer_, SPAR_SVC_BUFFER), ctx_, n, beta); }

  /// 0..1 of the step budget; NaN if the run has none.
  double progress() const { return need(exec_, SPAR_SVC_EXEC).progress(ctx_); }
  bool cancelled() const { return exec_ && exec_->cancelled(ctx_) != 0; }
  uint32_t threads() const { return exec_ ? exec_->threads(ctx_) : 1; }

  const spar_svc_nn& nn() const { return need(nn_, SPAR_SVC_NN); }
  const spar_svc_params& params() const { return need(params_, SPAR_SVC_PARAMS); }

 private:
  template <class Service>
  static const Service* find(const spar_host* host, const char* id) {
    return host && host->get_service ? static_cast<const Service*>(host->get_service(host, id)) : nullptr;
  }
  template <class Service>
  static const Service& need(const Service* service, const char* id) {
    if (!service) throw StatusError(SPAR_E_UNSUPPORTED, std::string("this host does not offer the service ") + id);
    return *service;
  }
  const spar_svc_rng& rng() const { return need(rng_, SPAR_SVC_RNG); }

  spar_ctx* ctx_;
  const spar_svc_log* log_;
  const spar_svc_rng* rng_;
  const spar_svc_metrics* metrics_;
  const spar_svc_buffer* buffer_;
  const spar_svc_params* params_;
  const spar_svc_exec* exec_;
  const spar_svc_nn* nn_;
};

}  // namespace spar

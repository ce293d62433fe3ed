// Another implementation of spar.nn/1 (spar/abi/backend.h), opened for the networks of one component instance.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "spar/abi/nn.h"

namespace spar::nn {

class Backend {
 public:
  /// `close` is called once, by the destructor: after the last network.
  Backend(std::string id, const spar_svc_nn& table, spar_ctx* ctx, std::function<void()> close)
      : id_(std::move(id)), table_(table), ctx_(ctx), close_(std::move(close)) {}
  ~Backend() { close_(); }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  const std::string& id() const { return id_; }  ///< as networks ask for it: "torch"
  const spar_svc_nn& table() const { return table_; }
  spar_ctx* ctx() const { return ctx_; }

 private:
  std::string id_;
  const spar_svc_nn& table_;
  spar_ctx* ctx_;
  std::function<void()> close_;
};

/// Opens a backend by id on a device ("auto", "cpu", "cuda"). Throws Error that says why it cannot.
using BackendOpener = std::function<std::unique_ptr<Backend>(const std::string& id, const std::string& device)>;

}  // namespace spar::nn

// All networks of one component instance, ordered by name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/crew.hpp"
#include "core/nn/backend.hpp"
#include "core/nn/network.hpp"

namespace spar::nn {

class UpdateRoute;

class NetworkSet {
 public:
  using Map = std::map<std::string, std::unique_ptr<Network>, std::less<>>;

  /// `open`: for networks that ask for a backend; without it none is offered. `crew`: what shares out large products of
  /// the host's own kernels, outlives the set; nullptr: this thread does all. It changes no number.
  explicit NetworkSet(BackendOpener open = {}, Crew* crew = nullptr) : open_(std::move(open)), crew_(crew) {}
  NetworkSet(const NetworkSet&) = delete;  // networks know their set
  NetworkSet& operator=(const NetworkSet&) = delete;

  /// Initial values: the stream `scope`/net/`name` of `seed`, so they depend on no order of creation; noise: the stream
  /// `scope`/noise/`name`. Throws Error E0901 or E0902 for the specification, E0903 if the name is taken, E0904 if its
  /// backend fails.
  Network& create(uint64_t seed, std::string_view scope, std::string_view name, const spar_net_spec& spec);
  void destroy(Network& network);

  Network* find(std::string_view name);
  const Network* find(std::string_view name) const;
  const Map& networks() const { return networks_; }  ///< (name, network) in the order of names
  std::vector<const Network*> in_order() const;      ///< in the order in which they were created
  size_t size() const { return networks_.size(); }
  std::vector<std::string> backends() const;  ///< ids of those that are open, sorted
  size_t parameter_count() const;
  Crew* crew() const { return crew_; }

  /// Where plugins' updates and blends of these networks go; nullptr: to the networks themselves. It outlives the set
  /// or is taken away.
  UpdateRoute* route() const { return route_; }
  void send_updates_to(UpdateRoute* route) { route_ = route; }

  /// The values of every network here become those of the network of that name in `other`. Throws Error E0901 if one is
  /// missing there or has another shape; then nothing has changed.
  void copy_values_from(const NetworkSet& other);

  /// Values, moments, steps and pending gradients in canonical order, noise and where it comes from; independent of the
  /// tier of kernels.
  void save(ByteWriter& out) const;
  /// What save() writes; gradients that are pending come on top.
  size_t saved_bytes() const;
  /// Throws Error E0501 (damaged) or E0502 (other networks or shapes); then nothing has changed.
  void load(ByteReader& in);

  /// The first network, by name, with a value that is not finite; nullptr if all are finite.
  const Network* not_finite() const;

  /// SHA-256 of all values as little-endian floats: networks by name, each in canonical order.
  std::string sha256() const;

 private:
  Backend& backend(const Spec& spec);

  BackendOpener open_;
  Crew* crew_;
  UpdateRoute* route_ = nullptr;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Backend>> backends_;  ///< by id and device
  Map networks_;
  std::vector<std::string> created_;  ///< names, oldest first
};

}  // namespace spar::nn

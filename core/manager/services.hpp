// What interfaces share: stores of parameters and lists of tables, found by references such as "local:pool".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/params/store.hpp"

namespace spar {

/// One table of transitions as it was last reported.
struct TableInfo {
  uint64_t generation = 0;
  uint64_t rows = 0;      ///< that can be sampled
  uint64_t capacity = 0;  ///< 0: nothing is stored
};

/// The tables of a dataset server, by name. [any]
class TableList {
 public:
  void report(const std::string& table, const TableInfo& info);
  std::optional<TableInfo> find(const std::string& table) const;
  std::vector<std::string> names() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, TableInfo> tables_;
};

/// Services of this process by name. Managers that are given the same object can find each other's. [any]
class Services {
 public:
  /// The service of this name, made if there is none.
  std::shared_ptr<params::Store> offer_parameters(const std::string& name);
  std::shared_ptr<TableList> offer_tables(const std::string& name);

  /// "local:NAME". Throws Error E1205: there is no such service, or the scheme is not served.
  std::shared_ptr<params::Store> parameters(const std::string& reference) const;
  std::shared_ptr<TableList> tables(const std::string& reference) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<params::Store>> parameters_;
  std::map<std::string, std::shared_ptr<TableList>> tables_;
};

/// E1205: what a reference leads to could not be reached.
class ConnectError : public Error {
 public:
  ConnectError(const std::string& reference, uint32_t tries, const Error& last_cause);
  const std::string& reference() const { return reference_; }
  const std::string& cause() const { return cause_; }  ///< of the last try

 private:
  std::string reference_, cause_;
};

}  // namespace spar

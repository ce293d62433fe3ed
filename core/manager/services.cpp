#include "core/manager/services.hpp"

#include "core/base/text.hpp"

namespace spar {
namespace {

constexpr std::string_view kLocal = "local:";

template <class Service>
std::shared_ptr<Service> offer(std::map<std::string, std::shared_ptr<Service>>& services, const std::string& name) {
  auto& service = services[name];
  if (!service) service = std::make_shared<Service>();
  return service;
}

template <class Service>
std::shared_ptr<Service> find(const std::map<std::string, std::shared_ptr<Service>>& services,
                              const std::string& reference, const std::string& what) {
  if (!reference.starts_with(kLocal))
    throw Error("E1205", Exit::usage,
                "`" + printable(reference) + "` has no scheme that is served; expected local:NAME");
  const auto found = services.find(reference.substr(kLocal.size()));
  if (found != services.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, service] : services) names.push_back(std::string(kLocal) + name);
  throw Error("E1205", Exit::failed,
              "there is no " + what + " `" + printable(reference) + "`; there " +
                  (names.empty() ? "is none" : (names.size() == 1 ? "is " : "are ") + listing(names)));
}

}  // namespace

void TableList::report(const std::string& table, const TableInfo& info) {
  const std::lock_guard lock(mutex_);
  tables_[table] = info;
}

std::optional<TableInfo> TableList::find(const std::string& table) const {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(table);
  return found == tables_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> TableList::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [name, info] : tables_) out.push_back(name);
  return out;
}

std::shared_ptr<params::Store> Services::offer_parameters(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return offer(parameters_, name);
}

std::shared_ptr<TableList> Services::offer_tables(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return offer(tables_, name);
}

std::shared_ptr<params::Store> Services::parameters(const std::string& reference) const {
  const std::lock_guard lock(mutex_);
  return find(parameters_, reference, "parameter server");
}

std::shared_ptr<TableList> Services::tables(const std::string& reference) const {
  const std::lock_guard lock(mutex_);
  return find(tables_, reference, "dataset server");
}

ConnectError::ConnectError(const std::string& reference, uint32_t tries, const Error& last_cause)
    : Error("E1205", last_cause.exit(),
            "`" + printable(reference) + "` could not be reached in " + std::to_string(tries) +
                (tries == 1 ? " try: " : " tries: ") + last_cause.what()),
      reference_(reference),
      cause_(last_cause.what()) {}

}  // namespace spar

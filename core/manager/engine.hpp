// The inside of a training manager: one training with its thread, and what is known of each interface. For the files of
// this folder.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/game/exploitability.hpp"
#include "core/manager/agent_interface.hpp"
#include "core/run/run_directory.hpp"
#include "core/train/session.hpp"
#include "core/train/training.hpp"

namespace spar::detail {

/// What a policy was at some moment. Never changed after it was made.
struct Parameters {
  std::vector<std::byte> policy;        ///< as Learner::save_policy() wrote them
  std::vector<params::Tensor> tensors;  ///< what push() publishes
};
using Frozen = std::shared_ptr<const Parameters>;

class Engine : private train::Observer {
 public:
  Engine(Plugins& plugins, TrainingManagerConfig config);
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Of the manager.
  void run(const std::map<std::string, DataRequest>& requests);
  std::map<std::string, InterfaceState> results();
  void terminate();
  game::Exploitability distance(const std::map<std::string, std::map<std::string, double>>& mixtures);
  size_t group_named(const std::string& runtime_id) const;
  const std::vector<size_t>& order() const { return order_; }  ///< of groups, by their first agents
  const config::Experiment& experiment() const { return experiment_; }
  uint64_t generation() const;
  std::filesystem::path run_directory() const;
  run::Summary summary() const;
  std::vector<std::string> warnings() const;

  // Of an interface, by the number of its group.
  const TrainingManagerConfig& config() const { return config_; }
  const std::string& name_of(size_t group) const { return members_[group].runtime_id; }
  std::vector<std::string> agents_of(size_t group) const;
  uint32_t join_of(size_t group) const { return members_[group].join; }
  std::string key_of(size_t group) const;
  std::string device_of(size_t group) const { return members_[group].device; }
  void add_policies(const std::map<size_t, uint32_t>& numbers, Init init);
  StrategySpec spec_of(size_t group) const;
  InterfaceState state_of(size_t group) const;
  std::string sha256_of(size_t group);
  void connect(size_t group, uint32_t max_tries, const std::string& tables, const std::string& parameters);
  uint64_t push(size_t group);
  uint64_t pull(size_t group);
  std::map<std::string, uint64_t> push_all(size_t group);
  void reset(size_t group);
  InterfaceState train(size_t group, const DataRequest& request, const config::StopConfig& stop, bool reset_state);

 private:
  struct Policy {
    std::string id;
    Frozen frozen;         ///< null: the one in training, whose parameters are the
                           ///< learner's
    uint64_t version = 0;  ///< newest in the connected parameter server that it
                           ///< was pushed to or pulled from
  };
  struct Member {
    std::string runtime_id;
    std::vector<uint32_t> agents;
    uint32_t join = 0;
    std::string device;
    std::vector<Policy> policies;
    bool as_made = true;  ///< no policy of this generation has the learner yet
    InterfaceState state;
    uint64_t updates = 0;  ///< by train() since reset()
    std::string tables_ref, parameters_ref;
    std::shared_ptr<TableList> tables;
    std::shared_ptr<params::Store> parameters;
  };
  struct Request {
    const std::function<void()>& call;
    std::exception_ptr problem = nullptr;
    bool done = false;
  };

  // The observer of the training thread.
  train::Interruption interruption() override;
  void progressed(const train::Progress&) override;
  void evaluated(const train::EvaluationResult& result) override;
  void warned(const std::string& text) override;

  void make_training();
  void work();
  /// Answers what other threads wait for. On the training thread, between two steps.
  void serve();
  void serve_locked();
  void between_steps(const std::function<void()>& call);
  void check_free(const std::string& call) const;
  void check_request(const Member& member, const DataRequest& request) const;
  void report_tables();
  void publish_counts();
  void end(const std::optional<Error>& error, InterfaceStatus status, const std::string& reason,
           const std::vector<size_t>& groups);
  Frozen parameters_of(const rollout::Learner& learner) const;
  Frozen fresh(size_t group, const std::string& policy) const;
  void load(size_t group, const Parameters& from);
  void next_generation();
  void add_to(size_t group, uint32_t n, Init init);
  uint64_t publish(Member& member, Policy& policy, size_t group);
  game::Plan plan_of(size_t group, size_t player, const StrategySpec& mixture);
  void say(const std::string& line) const;

  Plugins& plugins_;
  const TrainingManagerConfig config_;
  config::Experiment experiment_;
  const uint64_t seed_;  ///< of generation 0
  std::unique_ptr<train::Training> training_;
  const std::shared_ptr<TableList> own_tables_ = std::make_shared<TableList>();
  const std::shared_ptr<params::Store> own_parameters_ = std::make_shared<params::Store>();
  std::vector<Member> members_;  ///< by group
  std::vector<size_t> order_;

  mutable std::mutex mutex_;  ///< of all below, and of members_
  std::condition_variable changed_;
  bool training_now_ = false, trained_ = false, ran_ = false, terminated_ = false;
  std::vector<Request*> requests_;
  std::atomic<bool> asked_{false}, stop_{false};
  std::atomic<uint64_t> env_steps_{0};
  std::unique_ptr<std::atomic<uint64_t>[]> learn_steps_;  ///< by group
  uint64_t generation_ = 0;
  std::optional<run::RunDirectory> directory_;
  std::unique_ptr<train::Session> session_;
  std::optional<run::Summary> summary_;
  std::optional<Error> error_;
  mutable std::mutex warning_;  ///< of warnings_, which come while mutex_ is
                                ///< held and while it is not
  std::vector<std::string> warnings_;
  std::mutex joining_;
  std::thread thread_;
};

}  // namespace spar::detail

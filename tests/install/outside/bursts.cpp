// A strategy that learns in bursts: nothing for `pause` transitions, then all the updates that the algorithm's cadence
// would have made by then.
#include "spar/plugin.hpp"
#include "spar/strategy.hpp"

struct Bursts : spar::Strategy {
  static constexpr const char *id = "org.example.bursts", *version = "1.0.0", *title = "Bursts";
  struct Config {
    int64_t pause = 100;
  };
  static const spar::Schema<Config>& schema() {
    static const auto instance = spar::Schema<Config>().integer("pause", &Config::pause, spar::at_least(1),
                                                                "transitions between two bursts of updates");
    return instance;
  }
  Bursts(const spar::Context&, const Config& config, const spar_world& world)
      : pause_(static_cast<uint64_t>(config.pause)), agents_(world.n_agents), groups_(world.n_agents) {
    done_.resize(world.n_agents);
    for (uint32_t i = 0; i < world.n_agents; ++i) {
      agents_[i] = i;
      groups_[i].struct_size = sizeof(spar_group);
      groups_[i].n_agents = groups_[i].actors = groups_[i].learners = 1;
      groups_[i].name = world.agents[i]->id;
      groups_[i].agents = &agents_[i];
      pointers_.push_back(&groups_[i]);
    }
  }
  void plan(spar_plan& out) const {
    out.n_groups = static_cast<uint32_t>(pointers_.size());
    out.groups = pointers_.data();
  }
  void next(const spar_progress& progress, spar_directive& out) {
    const spar_needs& needs = *progress.needs;
    uint64_t& done = done_[progress.group];
    const uint64_t bursts = progress.env_steps / pause_;
    out.what = SPAR_DO_COLLECT;
    out.amount = (bursts + 1) * pause_ - progress.env_steps;
    if (bursts == done) return;
    done = bursts;
    if (progress.env_steps < needs.warmup || progress.buffer_rows < needs.rows_per_learn) return;
    out.what = SPAR_DO_LEARN;
    out.amount = needs.updates * (pause_ / needs.learn_every + 1);
  }
  void save(spar::StreamWriter& out) const { out.array(done_); }
  void load(spar::StreamReader& in) { in.array(done_); }

  uint64_t pause_;
  std::vector<uint32_t> agents_;
  std::vector<spar_group> groups_;
  std::vector<const spar_group*> pointers_;
  std::vector<uint64_t> done_;  // bursts, by group
};

SPAR_PLUGIN("org.example.bursts", "1.0.0", Bursts)

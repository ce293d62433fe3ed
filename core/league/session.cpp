#include "core/league/session.hpp"

#include <algorithm>

#include "core/checkpoint/state.hpp"
#include "core/league/files.hpp"
#include "core/league/league.hpp"
#include "core/train/continuing.hpp"
#include "core/train/iterating.hpp"
#include "core/train/training.hpp"

namespace spar::league {
namespace {

constexpr const char* kSection = "league";

class Running : public train::Iterated {
 public:
  Running(const train::Host& host, const config::Experiment& experiment)
      : experiment_(experiment), league_(experiment, train::loader_in(host.registry), *host.table.host()) {}

  uint64_t iterations() const override { return league_.iterations(); }
  bool iterate(const std::function<bool()>& cancelled) override { return league_.iterate(cancelled); }
  bool is_logged(uint64_t /*iteration*/) const override { return true; }
  std::optional<double> exploitability() const override {
    return league_.distance() ? std::optional(league_.distance()->exploitability) : std::nullopt;
  }

  std::vector<std::pair<std::string, double>> measure() override {
    std::vector<std::pair<std::string, double>> out;
    for (const auto& player : league_.active()) {
      const size_t newest = league_.newest(player->number());
      out.emplace_back("elo/" + player->name(), league_.elo()[newest]);
      out.emplace_back("win_rate/" + player->name(), league_.results().mean(newest));
    }
    out.emplace_back("players", static_cast<double>(league_.past().size()));
    if (const auto& distance = league_.distance()) {
      out.emplace_back("nash_conv", distance->nash_conv);
      out.emplace_back("exploitability", distance->exploitability);
    }
    out.emplace_back("env_steps", static_cast<double>(league_.env_steps()));
    out.insert(out.end(), league_.phases().begin(), league_.phases().end());
    return out;
  }

  /// Learners, an older state of them to go back to, and all past players, who play match-ups together.
  train::Estimate needs() const override {
    const Arena& arena = league_.arena();
    const uint64_t active = league_.active().size();
    const uint64_t iterations = std::min<uint64_t>(experiment_.stop.iterations().value_or(1'000), 1'000);
    const uint64_t past = (iterations + 1) * active;
    uint64_t one = 0;
    for (const auto& tensor : playing_parameters(arena, league_.active()[0]->learner())) one += tensor.data.size();
    const uint64_t saved = active * arena.saved_bytes() + past * one + 8 * past * past;
    return {active * arena.learner_bytes() + 2 * saved + 4 * past * one,
            saved * (experiment_.checkpoint.keep_last + experiment_.checkpoint.keep_best)};
  }

  std::vector<std::string> backends() const override { return league_.arena().backends(); }
  void summarise(run::Summary& summary) const override {
    summary.env_steps = league_.env_steps();
    summary.elo = league_.elo()[league_.newest(0)];
    if (!league_.distance()) return;
    summary.nash_conv = league_.distance()->nash_conv;
    summary.exploitability = league_.distance()->exploitability;
  }
  std::string parameters_sha256() const override { return league_.parameters_sha256(); }
  std::vector<std::pair<std::string, boost::json::object>> files() const override {
    return {{"league.json", league_json(league_)}};
  }

  const char* section() const override { return kSection; }
  void save(ByteWriter& writer) const override { league_.save(writer); }
  void load(ByteReader& reader) override { league_.load(reader); }

 private:
  const config::Experiment& experiment_;
  League league_;
};

train::MakeIterated making(const train::Host& host, const config::Experiment& experiment) {
  return [&host, &experiment] { return std::make_unique<Running>(host, experiment); };
}

}  // namespace

train::Estimate rehearse(const train::Host& host, const config::Experiment& experiment) {
  return Running(host, experiment).needs();
}

train::SessionResult start(const train::Host& host, const config::Experiment& experiment,
                           const run::RunDirectory& directory, const std::vector<std::string>& arguments,
                           train::Observer& observer) {
  return train::begin_iterating(making(host, experiment), host, experiment, directory, arguments, observer);
}

train::SessionResult resume(const train::Host& host, const config::Experiment& experiment,
                            const run::RunDirectory& directory, const train::ResumeRequest& request,
                            train::Observer& observer) {
  if (request.recorded)
    throw Error("E0508", Exit::usage, "the settings of a league cannot be changed on its way")
        .help("start a new run with them: spar train");
  return train::continue_iterating(making(host, experiment), host, experiment, directory, request, observer);
}

MainAgent main_agent_of_run(const train::Host& host, const config::Experiment& experiment,
                            const run::RunDirectory& directory, const std::string& which) {
  const checkpoint::Checkpoint saved = train::checkpoint_named(train::checkpoints(experiment, directory), which);
  MainAgent out;
  out.arena = std::make_unique<Arena>(experiment, train::loader_in(host.registry), *host.table.host());
  out.policy = std::make_unique<FrozenPolicy>(*out.arena, "match", experiment.seed, train::kEvaluationCopies);
  checkpoint::read_beginning(saved, kSection, [&](ByteReader& reader) {
    const League::Newest newest = League::load_newest(reader);
    out.iteration = newest.iterations;
    out.name = newest.name;
    out.policy->take(*newest.parameters);
  });
  return out;
}

}  // namespace spar::league

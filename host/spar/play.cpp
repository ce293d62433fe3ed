#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <random>

#include "core/base/text.hpp"
#include "core/match/policy.hpp"
#include "core/rollout/actions.hpp"
#include "core/run/run_list.hpp"
#include "host/spar/cross_play.hpp"
#include "host/spar/line_input.hpp"
#include "host/spar/output.hpp"
#include "host/spar/run_log.hpp"
#include "host/spar/runs.hpp"
#include "host/spar/signals.hpp"
#include "host/spar/verbs.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

/// What is played, and against whom.
struct Setting {
  config::ComponentConfig env;
  std::string against = kRandom;
  std::unique_ptr<match::Policy> policy;
};

/// Is `word` the whole name of an environment? A run whose name only begins with it is not meant then.
bool names_environment(const std::string& word, Engine& engine) {
  try {
    const std::string& id = engine.registry().find(SPAR_KIND_ENV, word).component->id;
    return word == id || word == config::short_id(id);
  } catch (const Error&) {
    return false;  // whoever asks for it learns why
  }
}

Setting against_random(const std::string& word, Engine& engine) {
  Setting out;
  const auto component = std::make_shared<const config::Component>(engine.registry().schema(SPAR_KIND_ENV, word));
  out.env.id = component->id;
  out.env.options = config::default_options(component);
  out.policy = match::uniform_policy();
  return out;
}

Setting against_run(const std::filesystem::path& path, const std::string& checkpoint, const Arguments& arguments,
                    Engine& engine) {
  const auto directory = run::RunDirectory::open(path);
  config::Experiment experiment = experiment_of(directory, engine);
  choose_device(experiment, arguments.device);
  Setting out;
  out.env = experiment.env;
  out.policy = match::policy_of_run(engine.host(), experiment, directory, checkpoint);
  out.against = directory.id() + ", step " + grouped(out.policy->step());
  return out;
}

Setting setting_of(const std::string& checkpoint, const Arguments& arguments, Engine& engine) {
  if (arguments.positional.size() != 1) {
    throw Error("E0403", Exit::usage,
                "`spar play` wants a run or an environment, found " + std::to_string(arguments.positional.size()))
        .help("e.g. spar play tic_tac_toe, or spar play @last");
  }
  const std::string& word = arguments.positional[0];
  if (names_environment(word, engine)) return against_random(word, engine);
  std::filesystem::path path;
  try {
    path = run::resolve(word, "runs");
  } catch (const Error& unknown_run) {
    if (unknown_run.code() != "E0601" || word.starts_with('@') || word.find('/') != std::string::npos) throw;
    try {
      return against_random(word, engine);
    } catch (const Error& unknown_environment) {
      if (unknown_environment.code() != "E0110") throw;
      throw Error("E0601", Exit::usage, "there is neither a run nor an environment `" + printable(word) + "`")
          .help("`spar runs` lists the runs, `spar plugin list` the environments; e.g. spar play tic_tac_toe");
    }
  }
  return against_run(path, checkpoint, arguments, engine);
}

/// The agent that `--seat` means, by number or by name.
size_t seat_of(const Arguments& arguments, const rollout::Environment& environment) {
  const auto& agents = environment.agents();
  const std::string text = arguments.get("seat", "0");
  std::vector<std::string> names;
  for (size_t i = 0; i < agents.size(); ++i) {
    if (text == agents[i].id || text == std::to_string(i)) return i;
    names.push_back(std::to_string(i) + " (" + agents[i].id + ")");
  }
  throw Error(
      "E0403", Exit::usage,
      "`--seat` must be " + listing(names, "or") + " in " + environment.name() + ", found `" + printable(text) + "`")
      .help("e.g. --seat " + std::to_string(agents.size() - 1));
}

std::string signed_brief(double value) { return value > 0 ? "+" + brief(value) : brief(value == 0 ? 0.0 : value); }

/// A person at one seat, policies at the others.
class Session {
 public:
  Session(rollout::Environment& environment, match::Policy& policy, size_t seat, uint64_t seed,
          const Arguments& arguments, const Terminal& terminal)
      : environment_(environment),
        seat_(seat),
        seed_(seed),
        json_(arguments.json),
        terminal_(terminal),
        sums_(environment.agents().size(), 0.0) {
    for (size_t agent = 0; agent < environment.agents().size(); ++agent) {
      const auto& port = environment.agents()[agent];
      players_.push_back(agent == seat ? nullptr : policy.sit(environment, agent, Philox(seed, "play/" + port.id)));
      actions_.push_back(std::make_unique<rollout::Batch>(1));
      rollout::add_action_column(*actions_.back(), port.action);
    }
  }

  /// Games until the person has had enough; the exit code.
  int run() {
    do {
      if (!play_game()) break;
    } while (wants_more());
    if (stopped_ == Stopped::by_signal) say("\n");
    switch (stopped_ == Stopped::by_signal ? interruption() : train::Interruption::none) {
      case train::Interruption::none:
        return static_cast<int>(Exit::ok);
      case train::Interruption::preempt:
        return static_cast<int>(Exit::preempted);
      default:
        return static_cast<int>(Exit::interrupted);
    }
  }

  void say(const std::string& text) const { json_ ? print_error(text) : print(text); }

 private:
  enum class Stopped { no, by_person, by_signal };

  const rollout::AgentPort& port(size_t agent) const { return environment_.agents()[agent]; }
  std::string bold(const std::string& text) const {
    return paint(json_ ? terminal_.color_err : terminal_.color_out, "1", text);
  }
  std::string who(size_t agent) const { return agent == seat_ ? "you" : port(agent).id; }
  std::string move_text(size_t agent, int64_t action) const {
    const std::string name = environment_.action_name(0, agent, action);
    return std::to_string(action) + (name.empty() ? "" : " " + name);
  }

  /// False if there is no answer: the person is gone.
  bool ask(const std::string& prompt, std::string& answer) {
    say(bold(prompt) + " ");
    const auto got = input_.read(answer);
    if (got == LineInput::Got::line) {
      if (!input_.is_terminal()) say(printable(answer) + "\n");  // a script's answers are part of what is read later
      const auto first = answer.find_first_not_of(" \t"), last = answer.find_last_not_of(" \t");
      answer = first == std::string::npos ? "" : answer.substr(first, last - first + 1);
      if (answer != "q" && answer != "quit") return true;
    } else if (got == LineInput::Got::end) {
      say("\n");
    }
    stopped_ = got == LineInput::Got::interrupted ? Stopped::by_signal : Stopped::by_person;
    return false;
  }

  std::vector<int64_t> legal_moves() const {
    std::vector<int64_t> out;
    const uint8_t* mask = port(seat_).masks();
    for (int64_t action = 0; action < port(seat_).action.n; ++action)
      if (!mask || mask[action]) out.push_back(action);
    return out;
  }

  bool ask_move() {
    const std::vector<int64_t> legal = legal_moves();
    std::string shown;
    std::vector<std::string> numbers;
    for (const int64_t action : legal) {
      shown += (shown.empty() ? "moves: " : ", ") + move_text(seat_, action);
      numbers.push_back(std::to_string(action));
    }
    say("\n" + environment_.text(0, seat_) + shown + "\n");
    std::string answer;
    for (;;) {
      if (!ask("your move:", answer)) return false;
      int64_t action = -1;
      const auto [end, problem] = std::from_chars(answer.data(), answer.data() + answer.size(), action);
      if (problem == std::errc() && end == answer.data() + answer.size() && std::ranges::count(legal, action) == 1) {
        choose(seat_, action);
        return true;
      }
      say("`" + cut_to(printable(answer), 40) + "` is not a legal move: expected " + listing(numbers, "or") +
          ", or q to end\n");
    }
  }

  void choose(size_t agent, int64_t action) {
    actions_[agent]->data<int64_t>(0)[0] = action;
    if (agent != seat_) news_ += port(agent).id + " plays " + move_text(agent, action) + "\n";
    moves_.push_back(boost::json::array{port(agent).id, action});
  }

  /// Everybody who is to move says what; false if the person is gone.
  bool choose_actions() {
    const std::vector<uint64_t> only = {0};
    for (size_t agent = 0; agent < players_.size(); ++agent) {
      if (!port(agent).acts(0)) continue;
      if (agent == seat_) {
        if (!ask_move()) return false;
      } else {
        players_[agent]->act(only, *actions_[agent]);
        if (port(agent).action.kind == SPAR_SPACE_DISCRETE) choose(agent, actions_[agent]->data<int64_t>(0)[0]);
      }
      rollout::send_actions(*actions_[agent], 1, only.data(), environment_.agents()[agent],
                            players_[agent] ? players_[agent]->label() : "the person", port(agent).masks());
    }
    return true;
  }

  /// To its end; false if the person is gone before.
  bool play_game() {
    const uint64_t seed = seed_ + games_;
    environment_.reset(nullptr, &seed);
    for (const auto& player : players_)
      if (player) player->begin(0);
    std::vector<double> returns(players_.size(), 0.0);
    moves_.clear();
    for (uint64_t length = 1;; ++length) {
      news_.clear();
      if (!choose_actions()) return false;
      environment_.step();
      say(news_);
      for (size_t agent = 0; agent < returns.size(); ++agent)
        returns[agent] += port(agent).out->data<float>(port(agent).reward)[0];
      if (port(0).over(0) || (environment_.time_limit() > 0 && length >= environment_.time_limit())) break;
    }
    ++games_;
    for (size_t agent = 0; agent < returns.size(); ++agent) sums_[agent] += returns[agent];
    say("\n" + environment_.text(0, seat_) + bold(verdict(returns)) + ": " + scores(returns) + "\n");
    if (games_ > 1) say("after " + grouped(games_) + " games: " + scores(sums_) + "\n");
    if (json_) print_json(game_json(seed, returns));
    return true;
  }

  /// Winning and losing have a meaning between two whose returns add to 0.
  std::string verdict(const std::vector<double>& returns) const {
    if (returns.size() != 2 || std::abs(returns[0] + returns[1]) > 1e-6) return "the game is over";
    return returns[seat_] > 0 ? "you win" : returns[seat_] < 0 ? "you lose" : "a draw";
  }
  std::string scores(const std::vector<double>& returns) const {
    std::string out = "you " + signed_brief(returns[seat_]);
    for (size_t agent = 0; agent < returns.size(); ++agent)
      if (agent != seat_) out += ", " + who(agent) + " " + signed_brief(returns[agent]);
    return out;
  }

  bool wants_more() {
    std::string answer;
    for (;;) {
      if (!ask("again? (y/n)", answer)) return false;
      if (answer == "y" || answer == "yes") return true;
      if (answer == "n" || answer == "no") return false;
      say("`" + cut_to(printable(answer), 40) + "` is no answer: expected y or n\n");
    }
  }

  boost::json::object game_json(uint64_t seed, const std::vector<double>& returns) const {
    boost::json::object by_agent;
    for (size_t agent = 0; agent < returns.size(); ++agent) by_agent[port(agent).id] = returns[agent];
    return {{"event", "game"}, {"seed", seed}, {"seat", port(seat_).id}, {"moves", moves_}, {"returns", by_agent}};
  }

  rollout::Environment& environment_;
  size_t seat_;
  uint64_t seed_;
  bool json_;
  Terminal terminal_;
  LineInput input_;
  std::vector<std::unique_ptr<rollout::Opponent>> players_;  ///< by agent; null: the person
  std::vector<std::unique_ptr<rollout::Batch>> actions_;     ///< by agent, one row
  std::vector<double> sums_;                                 ///< by agent: returns of all games
  uint64_t games_ = 0;
  std::string news_;          ///< what others chose in this step
  boost::json::array moves_;  ///< of this game: who, what
  Stopped stopped_ = Stopped::no;
};

}  // namespace

int run_play(const Arguments& arguments, const Terminal& terminal) {
  const std::string checkpoint = checkpoint_wished(arguments, "last");
  plugin_log_to_terminal(arguments.verbose);
  Engine engine(arguments);
  const Setting setting = setting_of(checkpoint, arguments, engine);
  // Cards are dealt anew each time, unless a person wants to see the same again.
  const uint64_t seed = arguments.seed.value_or(std::random_device()());
  const config::ConfigView view(setting.env.options);
  rollout::Environment environment(*engine.table().host(), engine.registry().load(SPAR_KIND_ENV, setting.env.id),
                                   *view.get(), 1, seed, "environment/play");
  if (!environment.has_text()) {
    throw Error("E0413", Exit::usage, environment.name() + " cannot be drawn: it does not offer " SPAR_EXT_ENV_TEXT)
        .help("games that can: spar plugin info org.spar.games");
  }
  const size_t seat = seat_of(arguments, environment);
  const auto& port = environment.agents()[seat];
  if (port.action.kind != SPAR_SPACE_DISCRETE) {
    throw Error("E0413", Exit::usage,
                environment.name() + ", agent `" + port.id + "`: its actions are " + port.action.name() +
                    ", expected Discrete, which can be typed as a number")
        .help("games that can be played: spar plugin info org.spar.games");
  }
  heed_signals();
  Session session(environment, *setting.policy, seat, seed, arguments, terminal);
  const bool alone = environment.agents().size() == 1;
  session.say(config::short_id(setting.env.id) + ": you are " + port.id +
              (alone ? "" : ", against " + setting.against) + "; q ends\n");
  return session.run();
}

}  // namespace spar::host

#include "host/spar/verbs.hpp"

#include <algorithm>
#include <array>

namespace spar::host {
namespace {

constexpr Option kProfile = {"profile", "",
                             "time the phases: a trace in RUN/profile.json, and their shares at the end"};
constexpr std::array kTrain = {
    kProfile,
    Option{"seeds", "N", "train N seeds, each in a process and a run of its own, and compare what they reach"},
    Option{"jobs", "K", "with --seeds: so many at a time (default: what the processors hold)"}};
constexpr std::array kResume = {
    Option{"inexact", "", "continue although settings, plugins, processor path or program have changed"}, kProfile};
constexpr std::array kEval = {
    Option{"checkpoint", "WHICH", "best, last or a step (default best; of several policies last)"},
    Option{"episodes", "N", "episodes to play (default 20; of several policies 100 for each match-up)"}};
constexpr std::array kPlay = {Option{"seat", "K", "the agent that you play, by number or name (default 0)"},
                              Option{"checkpoint", "WHICH", "best, last or a step (default last)"}};
constexpr std::array kCheck = {Option{"twice", "", "train 2,000 steps twice and compare the parameters bit for bit"}};
constexpr std::array kExplain = {Option{"markdown", "", "the options of a component as a Markdown table"}};
constexpr std::array kPlugin = {Option{"all", "", "list refused and shadowed files too, with the reason"}};

constexpr std::array kBench = {Option{"short", "", "fewer repetitions and shorter trainings"},
                               Option{"check", "", "end with 4 if a figure is worse than it has to be, noise aside"}};

constexpr std::array kVerbs = {
    Verb{"train", "train [PRESET|FILE] [KEY=VALUE ..]", "train an agent; alone it lists the presets", kTrain,
         "  spar train cartpole-dqn\n"
         "  spar train cartpole-dqn algorithm.lr=1e-3 --seed 2\n"
         "  spar train my.toml 'stop={any=[{env_steps=12000}]}'\n"
         "  spar train pendulum-sac --seeds 10\n",
         run_train},
    Verb{"resume", "resume RUN [KEY=VALUE ..]", "continue a run that was stopped or killed", kResume,
         "  spar resume @last\n"
         "  spar resume cartpole-dqn-7f3a\n"
         "  spar resume --inexact @last algorithm.network_backend=torch\n",
         run_resume},
    Verb{"eval", "eval RUN [RUN2|random ..]", "play the policy of a checkpoint greedily, or several against each other",
         kEval,
         "  spar eval @last\n"
         "  spar eval runs/cartpole-dqn-7f3a --checkpoint last --episodes 100\n"
         "  spar eval kuhn-psro-exact-46ab kuhn-dqn-bcbe random\n",
         run_eval},
    Verb{"play", "play ENV|RUN", "play a game yourself, against a run or against uniform play", kPlay,
         "  spar play tic_tac_toe\n"
         "  spar play @last --seat 1\n"
         "  printf '4\\n0\\n' | spar play tic_tac_toe --seed 1\n",
         run_play},
    Verb{"check", "check PRESET|FILE [KEY=VALUE ..]", "find every problem that shows before the first step", kCheck,
         "  spar check my.toml\n"
         "  spar check cartpole-dqn --twice\n",
         run_check},
    Verb{"explain", "explain ID|ID.PARAMETER|CODE", "tell about a component, a parameter or an error code", kExplain,
         "  spar explain dqn\n"
         "  spar explain dqn.lr\n"
         "  spar explain E0203\n",
         run_explain},
    Verb{"plugin", "plugin list | plugin info ID", "show the plugins and what they offer", kPlugin,
         "  spar plugin list --all\n"
         "  spar plugin info dqn\n",
         run_plugin},
    Verb{"runs",
         "runs [ls] | runs show RUN",
         "show the runs in ./runs",
         {},
         "  spar runs\n"
         "  spar runs show @best --json\n",
         run_runs},
    Verb{"bench", "bench [GROUP ..]", "measure this machine, the engine and the algorithms against their limits",
         kBench,
         "  spar bench\n"
         "  spar bench update replay --json\n"
         "  spar bench --short --check\n",
         run_bench},
    Verb{"doctor",
         "doctor",
         "show what this machine offers and what is wrong with it",
         {},
         "  spar doctor\n",
         run_doctor},
    Verb{"help", "help [VERB]", "show this help, or that of a verb", {}, "  spar help train\n", run_help}};

constexpr std::array<std::string_view, 8> kLater = {"new",    "record", "export", "compare",
                                                    "report", "tune",   "serve",  "completion"};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

const Verb* find_verb(std::string_view name) {
  const auto found = std::ranges::find(kVerbs, name, &Verb::name);
  return found == kVerbs.end() ? nullptr : &*found;
}

std::span<const std::string_view> later_verbs() { return kLater; }

}  // namespace spar::host

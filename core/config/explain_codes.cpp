// The error codes. A new code gets its row here; a test finds codes
// of this folder that have none.
#include <algorithm>
#include <array>

#include "core/config/explain.hpp"

namespace spar::config {
namespace {

struct Explanation {
  std::string_view code, title, text;
};

// Sorted by code. E01xx plugins, E02xx configuration, E03xx training, E04xx command line, E05xx checkpoints, E06xx run
// directory, E07xx environments and plugins at run time, E08xx replay, E09xx networks, E10xx embedded agents,
// E11xx games, E12xx training managers.
constexpr std::array kCodes = {
    Explanation{"E0000", "something unexpected happened",
                "An error that spar does not know how to explain. It is a fault of spar: please report it with the\n"
                "command that you typed."},
    Explanation{
        "E0101", "a plugin is refused",
        "The file was examined without loading it and is not a plugin of this spar: it has no note, was built\n"
        "for another ABI major or another processor, or is not trusted. `spar plugin list` shows the reason for\n"
        "every file that was found."},
    Explanation{
        "E0110", "unknown component",
        "No usable plugin offers a component of this kind and name. `spar plugin list --all` shows all components,\n"
        "and why files were refused."},
    Explanation{"E0111", "an ambiguous name",
                "The beginning or the short id belongs to several components. Write more of it, or the full id."},
    Explanation{
        "E0112", "two plugins offer the same component",
        "Two different builds are found in the directories of plugins, and none of them is chosen silently. Remove\n"
        "one of the files."},
    Explanation{
        "E0120", "a plugin cannot be loaded",
        "The dynamic linker refused the file, or its entry does not keep to the contract. A missing library or\n"
        "symbol mostly means that the plugin was built on another system: build it on this one."},
    Explanation{
        "E0121", "a plugin contradicts itself",
        "What the plugin says when it is loaded differs from the note in its file, or its descriptor breaks the\n"
        "contract. Build it again with spar_add_plugin() of the SDK."},
    Explanation{"E0122", "a plugin cannot be initialised",
                "init() of the plugin reported an error, which the message repeats, or threw an exception. The remedy\n"
                "depends on the plugin: see its documentation."},
    Explanation{"E0123", "a plugin changed while it was used",
                "The file is not the one that was examined before it was loaded. Start again once nothing replaces\n"
                "plugins any more, e.g. when a build has ended."},
    Explanation{"E0124", "the worker program cannot be started",
                "Plugins are examined in a process of their own, `spar-worker`, which is installed beside `spar`.\n"
                "Install spar again if it is missing."},
    Explanation{"E0125", "a component cannot be loaded here",
                "The program that asks for it only describes plugins and offers them no host."},
    Explanation{
        "E0126", "two versions of LibTorch",
        "A process can hold one LibTorch only: a second one of another version would end it without a word. Build\n"
        "both plugins with the same LibTorch, or use them in different runs."},
    Explanation{
        "E0127", "LibTorch cannot be opened",
        "The plugin links LibTorch, which is loaded only when such a plugin is used. The dynamic linker looks for it\n"
        "in the system's directories and in LD_LIBRARY_PATH; on Debian it is the package libtorch1.13."},
    Explanation{
        "E0201", "not valid TOML",
        "The file or the assignment cannot be read as TOML (https://toml.io). Frequent causes: text without\n"
        "quotes, a missing comma or bracket, a key that is set twice. In an assignment key=value a word of\n"
        "letters, digits and ._-+/:@ needs no quotes; anything else does, and the shell wants quotes of its own\n"
        "around them: 'threshold.\"eval.return.mean\"=\">= 475\"'."},
    Explanation{"E0202", "unknown section",
                "A section of an experiment is one of [env], [algorithm], [strategy], [scenario], [stop], [eval],\n"
                "[checkpoint] and [threshold]. An unknown one would be ignored silently, so it is refused."},
    Explanation{
        "E0203", "unknown key",
        "The section or the component has no setting of this name. Settings of an algorithm, an environment or\n"
        "a strategy are listed by `spar explain ID`, e.g. `spar explain dqn`. After changing algorithm.id on\n"
        "the command line, the options of the former algorithm are unknown to the new one."},
    Explanation{"E0204", "wrong type",
                "The value has another type than the setting wants. Only one conversion is made: an integer where a\n"
                "float is wanted. In TOML 1e5 is a float: write 100_000 for a count. Text needs quotes in files."},
    Explanation{
        "E0205", "value out of range",
        "The type is right, the value is not allowed. Ranges are written as in mathematics: (0, 1] leaves out 0\n"
        "and contains 1. Infinite numbers and NaN are never allowed."},
    Explanation{
        "E0206", "something is missing",
        "A setting without a default was not given: the ids of [env] and [algorithm], a condition under [stop],\n"
        "or a required option of a component."},
    Explanation{"E0207", "unknown id or preset",
                "No component, scenario or preset of this name is known. `spar plugin list` shows all components and\n"
                "why files were refused; `spar train` alone lists the presets. The name of a file has to end in .toml\n"
                "or contain a slash."},
    Explanation{"E0208", "not offered yet",
                "The setting belongs to the format and this version of spar does not implement it. It is refused\n"
                "because a run that ignored it would not be the experiment that was asked for."},
    Explanation{"E0209", "the schema of a component is wrong",
                "A default of the component does not fit its own type and range, or the type is unknown. This is a\n"
                "fault of the plugin: report it to its author."},
    Explanation{"E0210", "the configuration cannot be read",
                "The file does not exist, is a directory, is larger than 4 MiB or may not be read."},
    Explanation{"E0211", "settings contradict each other",
                "Each setting is right by itself, and together they have no meaning: a condition with two measures,\n"
                "`for` without `eval_return`, a preset of another algorithm."},
    Explanation{
        "E0212", "text in a form that is not understood",
        "Durations are a number and s, min or h (\"30s\", \"2min\"). Comparisons are >=, >, <= or < and a number\n"
        "(\">= 475\")."},
    Explanation{"E0213", "text that is no pattern of agents",
                "`agents` of a [[group]] lists agents by their ids (\"agent_0\"), or several by what their ids begin "
                "with and a\n"
                "`*` at the end (\"adversary_*\"). A `*` alone is every agent."},
    Explanation{
        "E0302", "training diverged",
        "A metric became NaN or infinite. Nothing of it was saved: the last good checkpoint is the one that the\n"
        "message names. A smaller learning rate or max_grad_norm, or scaled rewards, usually help."},
    Explanation{
        "E0308", "a plan that is not offered yet",
        "The strategy plans several actors, or several learners of joined agents, or leaves agents out. This version\n"
        "of spar trains agents alone, with one learner or several gradient workers, joined (their rows, or their\n"
        "observations and actions) or with central critics, with one actor and one learner for each. Several gradient\n"
        "workers need an algorithm that learns from a replay memory and keeps what it learns in the host's networks."},
    Explanation{"E0309", "a strategy gave an unknown directive",
                "The directive belongs to a later ABI, or the strategy is faulty. Report it to its author."},
    Explanation{
        "E0310", "agents that cannot be joined",
        "A shared policy needs agents with equal spaces. A joint one needs Box observations of float32, one kind of\n"
        "actions, at most 65,536 combinations of them, and agents that always move together; a central critic needs\n"
        "the first and the last of these. The message names the agents. Choose the other mode of the strategy team, or "
        "the strategy independent."},
    Explanation{
        "E0311", "groups that do not fit the agents",
        "Every agent of the environment belongs to exactly one [[group]], and every pattern of `agents` matches at\n"
        "least one agent. The message names the agent or the pattern, and all agents of the environment."},
    Explanation{
        "E0312", "a strategy that knows no groups",
        "The strategy was written without the extension spar.strategy.groups/1, or its plan gives a group\n"
        "the algorithm of another. Leave [[group]] and `mapping` out, or use the strategy independent, team or\n"
        "async."},
    Explanation{
        "E0315", "gradient workers that do not go the same way",
        "In step (mode bsp of the strategy async) every worker asks for the same updates in the same order, and one\n"
        "of them did not: the updates of the algorithm depend on chance. With mode asp or ssp each update is made by\n"
        "itself."},
    Explanation{"E0401", "unknown verb",
                "The first word behind `spar` is what is to be done. `spar help` lists the verbs."},
    Explanation{
        "E0402", "unknown option",
        "The verb has no option of this name. Options are written in full; `spar VERB --help` lists them. Settings\n"
        "of an experiment are no options: they are written KEY=VALUE."},
    Explanation{"E0403", "a wrong word on the command line",
                "An option lacks its value or has one that is not understood, or there are too many or too few words.\n"
                "`spar VERB --help` shows examples."},
    Explanation{"E0404", "not offered yet",
                "The verb or the option belongs to the command line and this version of spar does not implement it."},
    Explanation{
        "E0405", "not enough memory",
        "The replay memory and the networks need more than the machine has left. Nothing was trained. A smaller\n"
        "buffer_size needs less; `spar check` prints the estimate."},
    Explanation{
        "E0406", "a threshold is not met",
        "The run is complete and good, and what it reached does not satisfy [threshold]. The exit code is 4, so that\n"
        "a script can tell this from a failure."},
    Explanation{"E0407", "a check was interrupted",
                "A signal ended `spar check --twice` before both trainings were complete. Nothing was left behind."},
    Explanation{
        "E0408", "training is not reproducible",
        "Two trainings with the same seed gave different parameters. An environment or an algorithm draws from\n"
        "something else than its own stream (time, addresses, a global generator), or reads uninitialised memory."},
    Explanation{
        "E0409", "speed was lost",
        "`spar bench --check` measured a figure whose ratio to its limit is more than 15 % above its budget, or above\n"
        "what is held where the budget is not met yet. Other programs on the machine can be the reason: measure\n"
        "again. share/doc/performance.md explains each figure."},
    Explanation{"E0410", "a run of a seed cannot be started",
                "`spar train --seeds` starts one process for each seed, and the system refused one. What was started\n"
                "before goes on by itself: see `spar runs`. Fewer at a time (--jobs) need less."},
    Explanation{"E0411", "the output is not complete",
                "Standard output could not take all that was printed, e.g. a file on a full disk. The verb itself\n"
                "succeeded: `spar runs show` repeats the summary of a run."},
    Explanation{
        "E0412", "policies that cannot meet",
        "Match-ups are played on one environment with at least two agents: that of the runs, which must be the\n"
        "same with the same options. `random` stands for uniform play and needs a run beside it."},
    Explanation{"E0413", "an environment that a person cannot play",
                "`spar play` draws positions by the extension spar.env.text/1 and takes actions by their numbers. The\n"
                "environments of the plugin org.spar.games offer both."},
    Explanation{"E0501", "a part of a checkpoint does not fit",
                "A section ends too early, is too long or has other lengths than the component that reads it expects:\n"
                "it was written by another version or with other options."},
    Explanation{
        "E0502", "a checkpoint is damaged",
        "A checksum or a length is wrong: the file was cut or changed on disk. The older checkpoints of the run\n"
        "may be intact."},
    Explanation{"E0503", "a checkpoint cannot be read",
                "The run has no complete checkpoint, or it may not be read. Nothing is started from scratch instead."},
    Explanation{"E0504", "a checkpoint cannot be written",
                "The disk is full, the directory is not writable or the device failed. What was saved before is\n"
                "untouched; after making room, resume the run."},
    Explanation{"E0505", "a checkpoint lacks a section",
                "A component asks for state that the checkpoint does not hold: the experiment was changed, or the\n"
                "component is newer than the run."},
    Explanation{"E0506", "a checkpoint cannot be encoded",
                "The state breaks a limit of the format, e.g. the same section twice or a name that is too long. This\n"
                "is a fault of the component that the message names."},
    Explanation{
        "E0507", "a run cannot be continued bit for bit",
        "A plugin, the program, the kernels of this processor or the experiment differ from those of the checkpoint,\n"
        "or the environment cannot save its state. `spar resume --inexact RUN` continues all the same."},
    Explanation{
        "E0508", "a setting cannot be changed in a run",
        "`spar resume --inexact RUN KEY=VALUE ..` may change options of the algorithm, its network backend among\n"
        "them, and when the run stops, evaluates and saves. Environment, algorithm, strategy and seed are what the\n"
        "run is: with others it would be another run."},
    Explanation{"E0601", "unknown run",
                "No run has this name, or the directory is none of a run. `spar runs` lists the runs in ./runs; "
                "elsewhere give\n"
                "the path of its directory."},
    Explanation{"E0602", "an ambiguous run",
                "Several runs begin like this. Write more of the name, or the four digits at its end."},
    Explanation{"E0603", "not the name of a run",
                "The name of an experiment becomes that of a directory: letters, digits, `.`, `_`, `+` and `-`."},
    Explanation{"E0604", "a file of a run cannot be used",
                "It cannot be opened, read or made. The message holds the reason of the system."},
    Explanation{
        "E0605", "a run is in use",
        "Another process writes to the run, or the file system does not know locks. Two writers would destroy it."},
    Explanation{"E0606", "a file of a run is damaged",
                "It does not hold what it should: it was cut or changed. Restore it from a copy."},
    Explanation{"E0607", "a file of a run belongs to something else",
                "It holds lines, and none that spar wrote. It is left alone: move it away."},
    Explanation{
        "E0701", "a plugin failed while running",
        "A function of an environment, an algorithm or a strategy reported an error, which the message repeats.\n"
        "The last checkpoint of the run is intact."},
    Explanation{"E0702", "a plugin refuses its configuration",
                "Each option fits its range and the component cannot work with all of them together, or with this\n"
                "environment. The message is the component's."},
    Explanation{"E0703", "an environment describes itself wrongly",
                "Agents, spaces or columns that create() announced break the plugin contract. This is a fault of the\n"
                "plugin: `spar plugin test` finds it without training."},
    Explanation{
        "E0704", "an environment gave a number that is not finite",
        "An observation or a reward is NaN or infinite. Learning from it would destroy the networks, so the run\n"
        "ends. The last checkpoint is intact."},
    Explanation{
        "E0705", "an environment needs what is not offered yet",
        "Its spaces or columns are allowed by the plugin contract, and this version of spar or the algorithm that was\n"
        "chosen cannot train on them."},
    Explanation{"E0706", "an algorithm chose an action that does not exist",
                "The action is outside the space of the environment or not finite. A network that has diverged is the\n"
                "usual cause: try a smaller learning rate or a smaller max_grad_norm."},
    Explanation{"E0707", "an unknown transform",
                "state_transform and reward_transform are scale(x), clip(x) or normalise."},
    Explanation{"E0708", "an algorithm needs what cannot be",
                "Its needs break the plugin contract. This is a fault of the plugin: report it to its author."},
    Explanation{
        "E0709", "a plugin file cannot be read",
        "The checksum of each plugin is noted with the run, so that a resumed run can tell whether it is the same."},
    Explanation{"E0710", "an environment allows no action at all",
                "Its action mask is all 0 although the episode goes on, so nobody could move. This is a fault of the\n"
                "environment: it must end the episode (terminated) where no action is left."},
    Explanation{
        "E0711", "too few copies of the environment",
        "Parallel actors (num_workers of d4pg) divide the copies of the environment among themselves, and each needs\n"
        "one of its own. env.count says how many copies there are."},
    Explanation{"E0801", "a replay memory cannot be made",
                "Its settings contradict each other, or it needs more memory than the machine has: lower buffer_size."},
    Explanation{
        "E0802", "a step cannot be stored",
        "The columns or lanes of a step differ from those that the memory was made for. This is a fault of the\n"
        "component that the message names."},
    Explanation{
        "E0803", "a batch cannot be sampled or given back",
        "The algorithm asks for a batch that the memory cannot give, or does not release what it has sampled. This is\n"
        "a fault of the algorithm: report it to its author."},
    Explanation{"E0804", "priorities cannot be set",
                "The memory draws uniformly, the index was never sampled, or an error is negative or not finite."},
    Explanation{"E0805", "a saved memory does not fit",
                "The checkpoint holds a replay memory of other settings, or it is damaged."},
    Explanation{"E0806", "nothing can be sampled yet",
                "The memory holds too few transitions. A strategy waits for warm_up transitions before it learns."},
    Explanation{
        "E0807", "a rate limiter cannot be made",
        "Samples per insert and the other settings of the limiter have to be finite and not contradict each other."},
    Explanation{
        "E0808", "rows of a team that do not belong together",
        "The memories of agents with central critics hold the same steps in the same places, and these do not. This\n"
        "is a fault of spar: report it."},
    Explanation{
        "E0901", "a network is asked for in a wrong way",
        "Its description, a shape or an argument does not fit. The message names the network, what was expected and "
        "what was found."},
    Explanation{
        "E0902", "a network that is not offered",
        "The description is right, but this version has no such layer, kind of network, device or processor path."},
    Explanation{
        "E0903", "a network cannot do that now",
        "For example: the norm of the gradient is not finite, or activations are older than the parameters. Nothing "
        "was changed."},
    Explanation{
        "E0904", "a network backend failed",
        "The library behind the networks (LibTorch, for example) reported an error of its own; the sentence above is\n"
        "its. Out of memory on the device is the usual reason: fewer rows or smaller networks need less."},
    Explanation{
        "E1001", "a call of an agent does not fit",
        "A column has another type or shape than the agent's spaces say, holds NaN or an infinite number, or an\n"
        "action lies outside its space. The message names call, column, what was expected and what was found."},
    Explanation{"E1002", "a batch does not fit",
                "A column is missing, unknown or there twice, or the algorithm learns from another number of rows.\n"
                "Nothing was learnt from it."},
    Explanation{
        "E1003", "an algorithm does not offer that",
        "For example the loss of a policy from an algorithm that has none, or learning before enough transitions\n"
        "are there."},
    Explanation{"E1004", "a state of another agent",
                "What was saved belongs to other spaces, options, settings or networks, or is no such state at all. "
                "The message\n"
                "names the first difference. Agent::from_state() makes an agent as it was saved."},
    Explanation{
        "E1101", "an environment without a game tree",
        "Exact solving walks all positions of a game, and this environment does not offer them. The environments\n"
        "of the plugin org.spar.games do, except for what is too large."},
    Explanation{"E1102", "a game tree that is too large",
                "Solving a game, with learned responses too, keeps its whole tree in memory. The scenario marl trains "
                "in larger\n"
                "games."},
    Explanation{
        "E1103", "a player that forgets",
        "Information sets of the environment do not tell what the player knew and did before, so plans for them\n"
        "do not exist. It is a fault of the environment: report it to its author."},
    Explanation{"E1104", "a meta-solver that cannot solve this game",
                "Linear programming finds equilibria of two players whose payoffs add to 0. Other games need another\n"
                "meta_solver."},
    Explanation{"E1105", "populations that are too large for a meta-solver",
                "The work of alpha_rank grows with the third power of the combinations of strategies."},
    Explanation{"E1106", "a library is missing",
                "A library that is only opened when it is needed is not installed. The message says how to get it."},
    Explanation{
        "E1107", "a linear program without a solution",
        "The library ended without an equilibrium that stands the check. Another meta_solver goes on from there."},
    Explanation{
        "E1108", "a training that learnt nothing",
        "The training of a best response, or a phase of a league, ended before its algorithm made an update: an\n"
        "untrained network would have joined the population."},
    Explanation{
        "E1109", "a league that cannot be played",
        "The players of a league meet in pairs, and each is one policy for both seats: the environment needs two\n"
        "agents of the same spaces, and the algorithm has to keep what it learns in networks of the host, so that\n"
        "past parameters can play on."},
    Explanation{
        "E1201", "a field of a training manager cannot be served",
        "The message names the field, what it says and what was expected. What is checked by the experiment (options,\n"
        "groups, stop conditions) has the codes E02xx."},
    Explanation{"E1202", "an unknown name in a training manager",
                "There is no runtime id, no policy or no algorithm of this name. The message or its help lists those\n"
                "that there are."},
    Explanation{
        "E1203", "a call at the wrong time",
        "Policies and experiments of a training manager change only while nothing is trained, results need a run, and\n"
        "policies that were trained need add_policies() before the next run(). After terminate() nothing begins\n"
        "any more."},
    Explanation{
        "E1204", "a mixture that is none",
        "The probabilities of a mixture over policies are at least 0, one for each policy, and their sum is 1."},
    Explanation{
        "E1205", "a service that cannot be reached",
        "References are \"local:NAME\": a parameter or dataset server that somebody offered in the Services which the\n"
        "training manager was given. The message names the last cause."},
    Explanation{
        "E1206", "a data request for something else",
        "An interface learns from the table of its own runtime id, in the generation of policies that is in training."},
    Explanation{"E1207", "not supported for these agents",
                "Exact distances from equilibrium need an environment with a game tree of moderate size and a policy\n"
                "for every player; agents that are played as one have no transitions of their own, and members of a\n"
                "team with central critics learn together."},
};

}  // namespace

std::optional<std::string> explain(std::string_view code) {
  const auto found = std::ranges::find(kCodes, code, &Explanation::code);
  if (found == kCodes.end()) return {};
  return std::string(code) + ": " + std::string(found->title) + "\n\n" + std::string(found->text) + "\n";
}

std::vector<std::string> error_codes() {
  std::vector<std::string> out;
  for (const auto& row : kCodes) out.emplace_back(row.code);
  return out;
}

}  // namespace spar::config

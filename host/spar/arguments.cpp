#include "host/spar/arguments.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>

#include "core/base/crew.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "host/spar/verbs.hpp"

namespace spar::host {
namespace {

namespace po = boost::program_options;

Error usage_error(const char* code, const std::string& sentence, const std::string& help) {
  return Error(code, Exit::usage, sentence).help(help);
}

po::options_description global_options() {
  po::options_description out;
  auto add = out.add_options();
  add("directory,C", po::value<std::string>()->value_name("DIR"), "work in DIR");
  add("quiet,q", "print results and errors only");
  add("verbose,v", "print diagnostics too");
  add("json", "write JSON lines to standard output");
  add("color", po::value<std::string>()->value_name("WHEN"), "auto, always or never");
  add("plugin-path", po::value<std::vector<std::string>>()->value_name("DIR"), "look for plugins in DIR first");
  add("seed", po::value<std::string>()->value_name("N"), "seed of the run, or of the first episode of eval");
  add("device", po::value<std::string>()->value_name("WHERE"), "where networks live: cpu, cuda or auto");
  add("threads", po::value<std::string>()->value_name("N"),
      "of the parallel actors (d4pg), default 1; changes no number");
  add("dry-run", "find problems and estimate, do not train");
  add("help,h", "show the help of the verb");
  add("version", "show the version");
  return out;
}

po::options_description verb_options(const Verb& verb) {
  po::options_description out;
  for (const Option& option : verb.options) {
    const std::string name(option.name), doc(option.doc);
    if (option.value.empty())
      out.add_options()(name.c_str(), doc.c_str());
    else
      out.add_options()(name.c_str(), po::value<std::string>()->value_name(std::string(option.value)), doc.c_str());
  }
  return out;
}

/// Global options whose value is the next word.
bool takes_next(const std::string& word) {
  static constexpr std::string_view kWords[] = {"-C",     "--directory", "--color",  "--plugin-path",
                                                "--seed", "--device",    "--threads"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

/// The place of the verb in `words`; their number if there is none.
size_t verb_place(const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (takes_next(words[i]))
      ++i;
    else if (!words[i].starts_with('-'))
      return i;
  }
  return words.size();
}

const Verb& verb_named(const std::string& name) {
  if (const Verb* verb = find_verb(name)) return *verb;
  std::vector<std::string> known, matching;
  for (const Verb& verb : verbs()) {
    known.emplace_back(verb.name);
    if (verb.name.starts_with(name)) matching.emplace_back(verb.name);
  }
  if (std::ranges::find(later_verbs(), name) != later_verbs().end())
    throw usage_error("E0404", "`spar " + name + "` is not offered yet", "offered: " + listing(known));
  if (matching.size() == 1) return *find_verb(matching[0]);
  const std::string near = nearest(name, known);
  const bool file = name.ends_with(".toml") || name.find('/') != std::string::npos;
  std::string help = "verbs: " + listing(known);
  if (file) help = "to train it, write: spar train " + printable(name);
  if (!near.empty()) help = "did you mean `" + near + "`? " + help;
  throw usage_error("E0401", "there is no verb `" + printable(name) + "`", help);
}

/// The error for an option that nobody knows, with the nearest one.
Error unknown_option(const std::string& name, const Verb& verb, const po::options_description& all) {
  std::vector<std::string> known;
  for (const auto& option : all.options()) known.push_back("--" + option->long_name());
  const std::string bare = name.substr(0, name.find('='));
  const std::string near = bare.starts_with("--") ? nearest(bare, known) : "";
  return usage_error(
      "E0402", "there is no option `" + printable(bare) + "` for `spar " + std::string(verb.name) + "`",
      (near.empty() ? "" : "did you mean `" + near + "`? ") + "see: spar " + std::string(verb.name) + " --help");
}

Color color_of(const std::string& text) {
  if (text == "always") return Color::always;
  if (text == "never") return Color::never;
  if (text == "auto") return Color::automatic;
  throw usage_error("E0403", "`--color` must be auto, always or never, found `" + printable(text) + "`",
                    "e.g. --color=never");
}

std::string device_of(const std::string& device) {
  if (device == "cpu" || device == "cuda" || device == "auto") return device;
  throw usage_error("E0403", "`--device` must be cpu, cuda or auto, found `" + printable(device) + "`",
                    "e.g. --device cpu");
}

uint32_t threads_of(const std::string& text) {
  const uint64_t threads = whole_number("--threads", text);
  if (threads < 1 || threads > Crew::kMostThreads)
    throw usage_error(
        "E0403",
        "`--threads` must be 1 to " + std::to_string(Crew::kMostThreads) + ", found " + std::to_string(threads),
        "e.g. --threads 1");
  return static_cast<uint32_t>(threads);
}

void read_globals(const po::variables_map& values, Arguments& out) {
  const auto text = [&](const char* name) { return values[name].as<std::string>(); };
  if (values.count("directory")) out.directory = text("directory");
  if (values.count("color")) out.color = color_of(text("color"));
  if (values.count("plugin-path")) out.plugin_paths = values["plugin-path"].as<std::vector<std::string>>();
  if (values.count("seed")) out.seed = whole_number("--seed", text("seed"));
  if (values.count("device")) out.device = device_of(text("device"));
  if (values.count("threads")) out.threads = threads_of(text("threads"));
  out.quiet = values.count("quiet") > 0;
  out.verbose = values.count("verbose") > 0;
  out.json = values.count("json") > 0;
  out.dry_run = values.count("dry-run") > 0;
  out.help = values.count("help") > 0;
  out.version = values.count("version") > 0;
}

/// Parses `words`, which hold no verb any more.
Arguments parse_for(const Verb& verb, const std::vector<std::string>& words) {
  po::options_description all, hidden;
  all.add(global_options()).add(verb_options(verb));
  hidden.add_options()("words", po::value<std::vector<std::string>>(), "");
  po::options_description everything;
  everything.add(all).add(hidden);
  po::positional_options_description positional;
  positional.add("words", -1);

  Arguments out;
  out.verb = &verb;
  po::variables_map values;
  try {
    namespace style = po::command_line_style;
    po::store(po::command_line_parser(words)
                  .options(everything)
                  .positional(positional)
                  .style((style::unix_style | style::allow_long) & ~style::allow_guessing)
                  .run(),
              values);
  } catch (const po::unknown_option& error) {
    throw unknown_option(error.get_option_name(), verb, all);
  } catch (const po::error& error) {
    throw usage_error("E0403", printable(error.what()), "see: spar " + std::string(verb.name) + " --help");
  }
  read_globals(values, out);
  for (const Option& option : verb.options) {
    const std::string name(option.name);
    if (values.count(name)) out.options[name] = option.value.empty() ? "" : values[name].as<std::string>();
  }
  if (values.count("words")) out.positional = values["words"].as<std::vector<std::string>>();
  return out;
}

void add_table(std::string& out, const std::vector<std::pair<std::string, std::string>>& rows) {
  size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.first.size());
  for (const auto& [left, right] : rows) out += "  " + left + std::string(width + 2 - left.size(), ' ') + right + "\n";
}

void add_options(std::string& out, const po::options_description& options) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& option : options.options()) {
    const std::string brief = option->canonical_display_name(po::command_line_style::allow_dash_for_short);
    std::string left = brief.starts_with("--") || brief.size() != 2 ? "    " : brief + ", ";
    left += "--" + option->long_name();
    if (option->semantic()->max_tokens() > 0) left += " " + option->semantic()->name();
    rows.emplace_back(left, option->description());
  }
  add_table(out, rows);
}

}  // namespace

uint64_t whole_number(const std::string& option, const std::string& text) {
  uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc() && end == text.data() + text.size()) return value;
  throw usage_error("E0403", "`" + option + "` must be a whole number from 0 on, found `" + printable(text) + "`",
                    "e.g. " + option + " 1");
}

Arguments parse_arguments(const std::vector<std::string>& words) {
  const size_t at = verb_place(words);
  std::vector<std::string> rest = words;
  const Verb* verb = find_verb("help");
  if (at < words.size()) {
    verb = &verb_named(words[at]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
  }
  Arguments out = parse_for(*verb, rest);
  out.all = words;
  return out;
}

Color color_wish(const std::vector<std::string>& words) {
  Color wish = Color::automatic;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string value;
    if (words[i] == "--color" && i + 1 < words.size()) value = words[i + 1];
    if (words[i].starts_with("--color=")) value = words[i].substr(8);
    if (value == "always") wish = Color::always;
    if (value == "never") wish = Color::never;
  }
  return wish;
}

bool json_wish(const std::vector<std::string>& words) { return std::ranges::find(words, "--json") != words.end(); }

std::string help_text(const Verb* verb) {
  std::string out;
  if (verb) {
    out = "spar " + std::string(verb->name) + ": " + std::string(verb->summary) + "\n\nUsage:\n  spar " +
          std::string(verb->usage) + "\n\nExamples:\n" + std::string(verb->examples);
    if (!verb->options.empty()) {
      out += "\nOptions:\n";
      add_options(out, verb_options(*verb));
    }
  } else {
    out = "spar: reinforcement learning in one native process\n\nUsage:\n  spar VERB [OPTIONS]\n\nVerbs:\n";
    std::vector<std::pair<std::string, std::string>> rows;
    for (const Verb& each : verbs()) rows.emplace_back(each.usage, each.summary);
    add_table(out, rows);
    out += "\nStart with:\n  spar train cartpole-dqn\n";
  }
  out += "\nOptions of every verb:\n";
  add_options(out, global_options());
  return out;
}

}  // namespace spar::host

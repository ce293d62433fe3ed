// The program under test in a directory of its own, and small experiments for it.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace spar::test {

/// Starts `spar` in a new directory, with plugins, presets and cache of the build tree and nothing of the user.
class Workplace {
 public:
  Command command(std::vector<std::string> words, std::vector<std::string> environment = {}) const {
    words.insert(words.begin(), SPAR_BUILD_DIR "/bin/spar");
    std::vector<std::string> all = {"HOME=" + directory.path().string(),
                                    "XDG_CACHE_HOME=" SPAR_BUILD_DIR "/tests/cache",
                                    "XDG_DATA_HOME=",
                                    "SPAR_PLUGIN_PATH=",
                                    "SPAR_PRESETS=",
                                    "NO_COLOR=",
                                    "CLICOLOR_FORCE=",
                                    "SPAR_CPU="};
    all.insert(all.end(), environment.begin(), environment.end());
    return {std::move(words), std::move(all), directory.path()};
  }
  ProcessResult spar(std::vector<std::string> words, std::vector<std::string> environment = {}) const {
    return run(command(std::move(words), std::move(environment)));
  }
  /// The only run in it.
  std::filesystem::path only_run() const {
    std::filesystem::path found;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path() / "runs")) {
      if (!found.empty()) throw std::runtime_error("there is more than one run");
      found = entry.path();
    }
    if (found.empty()) throw std::runtime_error("there is no run");
    return found;
  }

  TemporaryDirectory directory;
};

/// CartPole with a small DQN; `more` is added to [algorithm].
inline std::string small_experiment(const std::string& steps, const std::string& more = "") {
  return "name = \"small\"\n[env]\nid = \"CartPole-v1\"\n[algorithm]\nid = \"dqn\"\nhidden_layers = [16, 16]\n"
         "batch_size = 16\nwarm_up = 100\nupdate_freq = 4\nbuffer_size = 2_000\n" +
         more + "[stop]\nany = [ { env_steps = " + steps + " } ]\n[eval]\nevery = 500\nepisodes = 4\n";
}

/// Each line of `text` as JSON; throws if one is not.
inline std::vector<boost::json::object> json_lines(const std::string& text) {
  std::vector<boost::json::object> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(boost::json::parse(text.substr(at, end - at)).as_object());
    at = end + 1;
  }
  return out;
}

}  // namespace spar::test

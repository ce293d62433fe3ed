#include "core/config/league.hpp"

#include <algorithm>
#include <vector>

#include "core/base/text.hpp"
#include "core/config/convert.hpp"

namespace spar::config {
namespace {

constexpr int64_t kMostPlayers = 100;       // of one kind
constexpr int64_t kMostEpisodes = 100'000;  // of two players

uint32_t read_count(Section& section, const std::string& key, int64_t least, int64_t most, uint32_t fallback) {
  const auto count = section.integer(key, least);
  if (!count) return fallback;
  if (*count <= most) return static_cast<uint32_t>(*count);
  section.out_of_range(*section.find(key), "<= " + std::to_string(most));
  return fallback;
}

double read_share(Section& section, const std::string& key, double fallback) {
  const auto share = section.real(key);
  if (!share) return fallback;
  if (*share >= 0 && *share <= 1) return *share;
  section.out_of_range(*section.find(key), "in [0, 1]");
  return fallback;
}

}  // namespace

std::string read_choice(Section& section, const std::string& key, std::string fallback,
                        std::span<const std::string_view> known, const std::string& what) {
  const auto text = section.text(key);
  if (!text || std::ranges::find(known, *text) != known.end()) return text.value_or(fallback);
  const std::vector<std::string> names(known.begin(), known.end());
  section.add("E0207", "there is no " + what + " `" + printable(*text) + "`",
              with_note(section.find(key)->value.place, did_you_mean(*text, names)), what + "s: " + listing(names));
  return fallback;
}

LeagueConfig read_league(Section& section) {
  LeagueConfig out;
  out.main_agents = read_count(section, "main_agents", 1, kMostPlayers, out.main_agents);
  out.main_exploiters = read_count(section, "main_exploiters", 0, kMostPlayers, out.main_exploiters);
  out.league_exploiters = read_count(section, "league_exploiters", 0, kMostPlayers, out.league_exploiters);
  out.pfsp = read_choice(section, "pfsp", out.pfsp, kPfsp, "weighting");
  if (const auto power = section.real("pfsp_power")) {
    if (*power <= 0) section.out_of_range(*section.find("pfsp_power"), "> 0");
    out.pfsp_power = *power;
  }
  out.self_play = read_share(section, "self_play", out.self_play);
  out.verification = read_share(section, "verification", out.verification);
  out.snapshot_win_rate = read_share(section, "snapshot_win_rate", out.snapshot_win_rate);
  out.main_exploiter_reset = read_share(section, "main_exploiter_reset", out.main_exploiter_reset);
  out.league_exploiter_reset = read_share(section, "league_exploiter_reset", out.league_exploiter_reset);
  out.play = read_choice(section, "play", out.play, kPlays, "way to play");
  out.match_episodes = read_count(section, "match_episodes", 2, kMostEpisodes, out.match_episodes);
  if (const Entry* episodes = section.find("match_episodes"); episodes && out.match_episodes % 2 != 0)
    section.out_of_range(*episodes, "even: half of the episodes are played with the seats changed");
  if (const double sum = out.self_play + out.verification; sum > 1) {
    const Entry* entry = section.find(section.find("self_play") ? "self_play" : "verification");
    section.add("E0211",
                "`self_play` and `verification` in [scenario] are shares of a main agent's episodes and add to " +
                    toml_text(sum) + ", expected at most 1",
                entry->place, "the rest of the episodes is prioritised fictitious self-play against all past players");
  }
  return out;
}

}  // namespace spar::config

#include "core/game/sequence_form.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace spar::game {
namespace {

/// What the walk collects: terminal positions by the sequences of all players.
class Compiler {
 public:
  Compiler(Position& position, uint64_t most, const std::function<void(size_t, uint64_t)>& found, const Worth& worth)
      : position_(position), most_(most), found_(found), worth_(worth), index_(position.players()) {
    form_.game = position.name();
    form_.zero_sum = true;
    form_.players.resize(position.players());
    for (size_t p = 0; p < position.players(); ++p) {
      form_.players[p].name = position.player_name(p);
      form_.players[p].action.push_back(-1);
    }
  }

  SequenceForm run() {
    position_.root(0);
    std::vector<int32_t> sequences(position_.players(), 0);
    walk(0, sequences, 1.0);
    for (Player& player : form_.players) player.first.push_back(static_cast<int32_t>(player.sequences()));
    merge();
    return std::move(form_);
  }

 private:
  void walk(uint64_t depth, std::vector<int32_t>& sequences, double chance) {
    if (++form_.histories > most_) {
      throw Error("E1102", Exit::usage,
                  form_.game + " is too large to be solved exactly: its tree has more than " + std::to_string(most_) +
                      " positions")
          .help("choose a smaller game");
    }
    const int32_t player = position_.player(depth);
    if (player == SPAR_PLAYER_TERMINAL) {
      const std::vector<double> returns = position_.returns(depth);
      end(worth_ ? worth_(returns) : returns, sequences, chance);
    } else if (player == SPAR_PLAYER_CHANCE) {
      for (const auto& [outcome, probability] : position_.chance_outcomes(depth)) {
        if (probability <= 0) continue;
        position_.follow(depth, {outcome});
        walk(depth + 1, sequences, chance * probability);
      }
    } else if (player == SPAR_PLAYER_SIMULTANEOUS) {
      std::vector<int64_t> actions;
      choose_together(depth, sequences, chance, actions);
    } else if (player >= 0 && static_cast<size_t>(player) < position_.players()) {
      choose(depth, sequences, static_cast<size_t>(player), [&](int64_t action) {
        position_.follow(depth, {action});
        walk(depth + 1, sequences, chance);
      });
    } else {
      throw Error("E0703", Exit::crash,
                  form_.game + " names a player " + std::to_string(player) + " that does not exist");
    }
  }

  /// Calls next(action) for each action of `player`, with its sequence in place.
  template <class Next>
  void choose(uint64_t depth, std::vector<int32_t>& sequences, size_t player, Next&& next) {
    const std::vector<int64_t> actions = position_.legal_actions(depth, player);
    const size_t infoset = infoset_of(depth, player, sequences[player], actions);
    const int32_t parent = sequences[player];
    for (size_t i = 0; i < actions.size(); ++i) {
      sequences[player] = form_.players[player].first[infoset] + static_cast<int32_t>(i);
      next(actions[i]);
    }
    sequences[player] = parent;
  }

  /// The players from actions.size() on choose; the last one's choice moves the game on.
  void choose_together(uint64_t depth, std::vector<int32_t>& sequences, double chance, std::vector<int64_t>& actions) {
    if (actions.size() == position_.players()) {
      position_.follow(depth, actions);
      walk(depth + 1, sequences, chance);
      return;
    }
    choose(depth, sequences, actions.size(), [&](int64_t action) {
      actions.push_back(action);
      choose_together(depth, sequences, chance, actions);
      actions.pop_back();
    });
  }

  size_t infoset_of(uint64_t depth, size_t p, int32_t parent, const std::vector<int64_t>& actions) {
    Player& player = form_.players[p];
    std::string key = position_.infoset(depth, p);
    const auto [found, fresh] = index_[p].try_emplace(key, player.infosets());
    if (fresh) {
      player.parent.push_back(parent);
      player.first.push_back(static_cast<int32_t>(player.sequences()));
      player.action.insert(player.action.end(), actions.begin(), actions.end());
      player.key.push_back(std::move(key));
      if (found_) found_(p, depth);
      return found->second;
    }
    const size_t infoset = found->second;
    const auto begin = static_cast<size_t>(player.first[infoset]);
    const size_t end =
        infoset + 1 < player.infosets() ? static_cast<size_t>(player.first[infoset + 1]) : player.sequences();
    if (player.parent[infoset] != parent ||
        !std::equal(actions.begin(), actions.end(), player.action.begin() + static_cast<std::ptrdiff_t>(begin),
                    player.action.begin() + static_cast<std::ptrdiff_t>(end))) {
      throw Error("E1103", Exit::crash,
                  form_.game + " lets agent `" + player.name +
                      "` forget: two positions share an information set that it reached by different actions of its "
                      "own, or in which its legal actions differ")
          .help("infoset() must tell everything that the agent knew and did before");
    }
    return infoset;
  }

  void end(const std::vector<double>& returns, const std::vector<int32_t>& sequences, double chance) {
    ++form_.terminals;
    double sum = 0, size = 0;
    for (const double payoff : returns) {
      if (!std::isfinite(payoff)) throw Error("E0704", Exit::crash, form_.game + " gave a return that is not finite");
      sum += payoff;
      size += std::abs(payoff);
    }
    if (std::abs(sum) > 1e-9 * size) form_.zero_sum = false;
    form_.terminal_sequences.insert(form_.terminal_sequences.end(), sequences.begin(), sequences.end());
    for (const double payoff : returns) form_.terminal_payoffs.push_back(chance * payoff);
  }

  /// Terminal positions with the same sequences of all players become one.
  void merge() {
    const size_t n = form_.players.size(), all = form_.terminals;
    std::vector<size_t> order(all);
    std::iota(order.begin(), order.end(), size_t{0});
    const auto key = [&](size_t i) { return form_.terminal_sequences.data() + i * n; };
    std::ranges::stable_sort(order, [&](size_t a, size_t b) {
      return std::lexicographical_compare(key(a), key(a) + n, key(b), key(b) + n);
    });
    std::vector<int32_t> sequences;
    std::vector<double> payoffs;
    for (size_t i = 0; i < all; ++i) {
      const bool same = i > 0 && std::equal(key(order[i]), key(order[i]) + n, key(order[i - 1]));
      if (!same) {
        sequences.insert(sequences.end(), key(order[i]), key(order[i]) + n);
        payoffs.insert(payoffs.end(), n, 0.0);
      }
      for (size_t p = 0; p < n; ++p) payoffs[payoffs.size() - n + p] += form_.terminal_payoffs[order[i] * n + p];
    }
    form_.terminal_sequences = std::move(sequences);
    form_.terminal_payoffs = std::move(payoffs);
    if (n == 2) fill_rows();
  }

  void fill_rows() {
    const size_t entries = form_.terminal_payoffs.size() / 2;
    for (size_t p = 0; p < 2; ++p) {
      SparseRows& rows = form_.payoff[p];
      rows.begin.assign(form_.players[p].sequences() + 1, 0);
      const auto row = [&](size_t e) { return form_.terminal_sequences[2 * e + p]; };
      for (size_t e = 0; e < entries; ++e)
        if (form_.terminal_payoffs[2 * e + p] != 0) ++rows.begin[static_cast<size_t>(row(e)) + 1];
      std::partial_sum(rows.begin.begin(), rows.begin.end(), rows.begin.begin());
      rows.column.resize(static_cast<size_t>(rows.begin.back()));
      rows.value.resize(rows.column.size());
      std::vector<int32_t> next(rows.begin.begin(), rows.begin.end() - 1);
      for (size_t e = 0; e < entries; ++e) {
        const double value = form_.terminal_payoffs[2 * e + p];
        if (value == 0) continue;
        const auto at = static_cast<size_t>(next[static_cast<size_t>(row(e))]++);
        rows.column[at] = form_.terminal_sequences[2 * e + 1 - p];
        rows.value[at] = value;
      }
    }
    form_.terminal_sequences = {};
    form_.terminal_payoffs = {};
  }

  Position& position_;
  uint64_t most_;
  const std::function<void(size_t, uint64_t)>& found_;
  const Worth& worth_;
  SequenceForm form_;
  std::vector<std::unordered_map<std::string, size_t>> index_;
};

}  // namespace

SequenceForm compile(Position& position, uint64_t most, const std::function<void(size_t, uint64_t)>& found,
                     const Worth& worth) {
  return Compiler(position, most, found, worth).run();
}

}  // namespace spar::game

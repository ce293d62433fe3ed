// Connect four: 6 rows, 7 columns, a piece falls to the lowest free cell; four in a line win. The observation (6 x 7 x
// 2 planes from the top row down: mine, theirs) is that of PettingZoo's connect_four_v3.
#pragma once

#include <string>

#include "spar/game.hpp"

namespace spar::games {

struct ConnectFour : Game<ConnectFour> {
  static constexpr const char *id = "org.spar.games/connect_four", *version = "1.0.0", *title = "Connect four";
  static constexpr int64_t kRows = 6, kColumns = 7;
  static constexpr uint64_t kCells = 42;

  // One bit for each cell, 7 bits a column from the bottom up; the seventh row stays empty, so lines do not run over.
  struct State : GameState {
    uint64_t pieces[2];
    uint64_t moves, won;  // won: 1 if the last move made a line
    uint8_t move[48];     // columns in order; perfect recall needs the way, not only the position
  };

  World world() const {
    const Space obs = Space::box(2 * kRows * kColumns, 0, 1), act = Space::discrete(kColumns);
    return World({{"player_0", obs, act}, {"player_1", obs, act}});
  }
  int64_t actions(size_t /*agent*/) const { return kColumns; }
  void begin(State& /*s*/) const {}

  int32_t turn(const State& s) const {
    return s.won || s.moves == kCells ? SPAR_PLAYER_TERMINAL : static_cast<int32_t>(s.moves % 2);
  }
  bool legal(const State& s, size_t /*agent*/, int64_t action) const {
    return !((s.pieces[0] | s.pieces[1]) >> (7 * action + kRows - 1) & 1);
  }
  void apply(State& s, const int64_t* actions) const {
    s.move[s.moves] = static_cast<uint8_t>(actions[0]);
    uint64_t& mine = s.pieces[s.moves++ % 2];
    const uint64_t all = s.pieces[0] | s.pieces[1];
    mine |= (all + (uint64_t{1} << 7 * actions[0])) & (uint64_t{0x3f} << 7 * actions[0]);
    s.won = line(mine);
  }
  void payoff(const State& s, double* out) const {
    out[0] = !s.won ? 0 : s.moves % 2 ? 1 : -1;
    out[1] = -out[0];
  }
  void infoset(const State& s, size_t /*agent*/, StreamWriter& out) const { out.raw(s.move, s.moves); }
  void observe(const State& s, size_t agent, float* obs) const {
    for (int64_t row = kRows - 1; row >= 0; --row) {
      for (int64_t column = 0; column < kColumns; ++column, obs += 2) {
        const int64_t bit = 7 * column + row;
        obs[0] = static_cast<float>(s.pieces[agent] >> bit & 1);
        obs[1] = static_cast<float>(s.pieces[1 - agent] >> bit & 1);
      }
    }
  }
  /// The columns are numbered below the board.
  std::string text(const State& s, size_t agent) const {
    std::string out = agent == 0 ? "you are X\n" : "you are O\n";
    for (int64_t row = kRows - 1; row >= 0; --row) {
      for (int64_t column = 0; column < kColumns; ++column) {
        const int64_t bit = 7 * column + row;
        out += {' ', s.pieces[0] >> bit & 1 ? 'X' : s.pieces[1] >> bit & 1 ? 'O' : '.'};
      }
      out += '\n';
    }
    return out + " 0 1 2 3 4 5 6\n";
  }
  bool valid(const State& s) const {
    constexpr uint64_t kBoard = uint64_t{0x3f} * 0x40810204081U;  // six cells of each of the seven columns
    const uint64_t all = s.pieces[0] | s.pieces[1];
    return s.offender >= -1 && s.offender < 2 && !(s.pieces[0] & s.pieces[1]) && !(all & ~kBoard) &&
           s.moves == static_cast<uint64_t>(__builtin_popcountll(all)) && s.won <= 1;
  }

 private:
  static bool line(uint64_t pieces) {
    for (const int shift : {1, 6, 7, 8}) {
      const uint64_t pairs = pieces & pieces >> shift;
      if (pairs & pairs >> 2 * shift) return true;
    }
    return false;
  }
};

}  // namespace spar::games

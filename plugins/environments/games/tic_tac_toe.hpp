// Tic-tac-toe; cells are numbered row by row. The rules and the observation (3 x 3 x 2 planes: mine, theirs) of
// PettingZoo's tictactoe_v3.
#pragma once

#include <string>

#include "spar/game.hpp"

namespace spar::games {

struct TicTacToe : Game<TicTacToe> {
  static constexpr const char *id = "org.spar.games/tic_tac_toe", *version = "1.0.0", *title = "Tic-tac-toe";

  struct State : GameState {
    uint32_t marks[2];  // one bit for each cell
    uint64_t moves;
    uint8_t move[16];  // cells in order; perfect recall needs the way, not only the position
  };

  World world() const {
    const Space obs = Space::box(18, 0, 1);
    return World({{"player_1", obs, Space::discrete(9)}, {"player_2", obs, Space::discrete(9)}});
  }
  int64_t actions(size_t /*agent*/) const { return 9; }
  void begin(State& /*s*/) const {}

  int32_t turn(const State& s) const {
    if (s.moves == 9 || won(s.marks[0]) || won(s.marks[1])) return SPAR_PLAYER_TERMINAL;
    return static_cast<int32_t>(s.moves % 2);
  }
  bool legal(const State& s, size_t /*agent*/, int64_t action) const {
    return !((s.marks[0] | s.marks[1]) >> action & 1);
  }
  void apply(State& s, const int64_t* actions) const {
    s.move[s.moves] = static_cast<uint8_t>(actions[0]);
    s.marks[s.moves++ % 2] |= uint32_t{1} << actions[0];
  }
  void payoff(const State& s, double* out) const {
    out[0] = static_cast<double>(won(s.marks[0])) - static_cast<double>(won(s.marks[1]));
    out[1] = -out[0];
  }
  void infoset(const State& s, size_t /*agent*/, StreamWriter& out) const { out.raw(s.move, s.moves); }
  void observe(const State& s, size_t agent, float* obs) const {
    for (size_t cell = 0; cell < 9; ++cell) {
      obs[2 * cell] = static_cast<float>(s.marks[agent] >> cell & 1);
      obs[2 * cell + 1] = static_cast<float>(s.marks[1 - agent] >> cell & 1);
    }
  }
  std::string text(const State& s, size_t agent) const {
    const bool over = turn(s) == SPAR_PLAYER_TERMINAL;
    std::string out = std::string("you are ") + kMarks[agent] + "\n";
    for (size_t cell = 0; cell < 9; ++cell) {
      const char free = over ? ' ' : static_cast<char>('0' + cell);
      out += {' ', s.marks[0] >> cell & 1 ? kMarks[0] : s.marks[1] >> cell & 1 ? kMarks[1] : free, ' '};
      out += cell % 3 < 2 ? "|" : cell < 8 ? "\n---+---+---\n" : "\n";
    }
    return out;
  }
  std::string action_name(const State& /*s*/, size_t /*agent*/, int64_t action) const {
    static constexpr const char* kCells[] = {"top left", "top",         "top right", "left",        "centre",
                                             "right",    "bottom left", "bottom",    "bottom right"};
    return kCells[action];
  }
  bool valid(const State& s) const {
    return s.offender >= -1 && s.offender < 2 && !(s.marks[0] & s.marks[1]) && (s.marks[0] | s.marks[1]) < 512 &&
           s.moves == static_cast<uint64_t>(__builtin_popcount(s.marks[0] | s.marks[1]));
  }

 private:
  static constexpr char kMarks[] = {'X', 'O'};

  static bool won(uint32_t marks) {
    for (const uint32_t line : {0007U, 0070U, 0700U, 0111U, 0222U, 0444U, 0421U, 0124U})
      if ((marks & line) == line) return true;
    return false;
  }
};

}  // namespace spar::games

// A ball falls down a picture and a paddle on the lowest row has to be under it. The ball starts above in a random
// column and falls one cell a step; the paddle starts in the middle and moves one cell left, stays, or moves one cell
// right. When the ball reaches the lowest row the episode ends with reward 1 if the paddle is there, else -1. The board
// is wide enough to be reached from everywhere, so an optimal policy always gets 1 and a random one seldom.
//
// Observation: uint8 [2, side, side]: the board now and one step ago, `scale` x `scale` points for each cell; the ball
// is 255, the paddle 128.
#pragma once

#include <algorithm>
#include <cstring>

#include "spar/environment.hpp"

namespace spar::pixels {

struct Catch : Environment {
  static constexpr const char *id = "org.spar.pixels/catch", *version = "1.0.0", *title = "Catch a falling ball";
  static constexpr const char* doc =
      "Two frames of uint8 points; reward 1 for the ball that is caught, -1 for the one that is missed.";
  using Observation = uint8_t;
  using Action = int64_t;  // 0 left, 1 stay, 2 right
  struct Config {
    int64_t cells = 9;
    int64_t scale = 4;
  };
  static const Schema<Config>& schema() {
    static const auto instance = [] {
      Schema<Config> s;
      s.integer("cells", &Config::cells, between(3, 42), "cells in a row and in a column of the board")
          .integer("scale", &Config::scale, between(1, 32),
                   "points in a row and in a column of a cell; frames have cells * scale points");
      return s;
    }();
    return instance;
  }
  struct State {
    int64_t ball_column, ball_row, paddle, ball_column_before, ball_row_before, paddle_before;
  };

  explicit Catch(const Config& config) : cells_(config.cells), scale_(config.scale) {}

  World world() const { return {Space::frames(2, cells_ * scale_, cells_ * scale_), Space::discrete(3)}; }

  void reset(State& s, NumpyRandom& random) const {
    s.ball_column = random.integers(cells_);
    s.ball_row = 0;
    s.paddle = cells_ / 2;
    remember(s);
  }

  Outcome step(State& s, Action action, NumpyRandom& /*random*/) const {
    remember(s);
    s.paddle = std::clamp<int64_t>(s.paddle + action - 1, 0, cells_ - 1);
    ++s.ball_row;
    const bool landed = s.ball_row == cells_ - 1;
    return {landed ? (s.paddle == s.ball_column ? 1.0 : -1.0) : 0.0, landed};
  }

  void observe(const State& s, uint8_t* obs) const {
    const int64_t side = cells_ * scale_;
    std::memset(obs, 0, static_cast<size_t>(2 * side * side));
    draw(obs, cells_ - 1, s.paddle, kPaddle);
    draw(obs, s.ball_row, s.ball_column, kBall);
    draw(obs + side * side, cells_ - 1, s.paddle_before, kPaddle);
    draw(obs + side * side, s.ball_row_before, s.ball_column_before, kBall);
  }

  bool valid(const State& s) const {
    const auto inside = [this](int64_t cell) { return cell >= 0 && cell < cells_; };
    return inside(s.ball_column) && inside(s.ball_row) && inside(s.paddle) && inside(s.ball_column_before) &&
           inside(s.ball_row_before) && inside(s.paddle_before);
  }

 private:
  static constexpr uint8_t kPaddle = 128, kBall = 255;

  static void remember(State& s) {
    s.ball_column_before = s.ball_column;
    s.ball_row_before = s.ball_row;
    s.paddle_before = s.paddle;
  }
  void draw(uint8_t* frame, int64_t row, int64_t column, uint8_t point) const {
    const int64_t side = cells_ * scale_;
    for (int64_t y = 0; y < scale_; ++y)
      std::memset(frame + (row * scale_ + y) * side + column * scale_, point, static_cast<size_t>(scale_));
  }

  int64_t cells_, scale_;
};

}  // namespace spar::pixels

#include "spar/plugin.hpp"

#include "connect_four.hpp"
#include "kuhn_poker.hpp"
#include "leduc_poker.hpp"
#include "matrix_games.hpp"
#include "tic_tac_toe.hpp"

using namespace spar::games;

SPAR_PLUGIN("org.spar.games", "1.0.0", KuhnPoker, LeducPoker, TicTacToe, ConnectFour, RockPaperScissors,
            MatchingPennies, PrisonersDilemma, Climbing, Penalty, AnyMatrix)

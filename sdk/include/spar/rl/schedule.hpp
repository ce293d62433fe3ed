// Schedules of hyper-parameters.
#pragma once

namespace spar::rl {

/// A straight line from start to end over `steps` steps, constant afterwards (Mnih et al. 2015 for epsilon, Schaul et
/// al. 2016 for beta). No steps: end at once.
struct LinearSchedule {
  double start = 1;
  double end = 0;
  double steps = 0;

  double at(double step) const {
    if (!(step < steps)) return end;
    if (step <= 0) return start;
    return start + (end - start) * (step / steps);
  }
};

/// Probability that an epsilon-greedy policy takes its greedy action, one of n >= 1: 1 - epsilon + epsilon / n.
inline double greedy_probability(double epsilon, double n) { return 1 - epsilon + epsilon / n; }

}  // namespace spar::rl

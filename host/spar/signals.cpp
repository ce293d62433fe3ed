#include "host/spar/signals.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "core/base/error.hpp"

namespace spar::host {
namespace {

// Handlers can reach nothing else.
volatile sig_atomic_t interrupts = 0;
volatile sig_atomic_t preempted = 0;
timer_t patience{};

void on_signal(int number) {
  if (number == SIGALRM) ::_exit(static_cast<int>(Exit::interrupted));
  if (number != SIGINT) {
    preempted = 1;
    return;
  }
  interrupts = interrupts + 1;
  if (interrupts < 2) return;
  constexpr itimerspec kPatience{{0, 0}, {0, 150'000'000}};
  ::timer_settime(patience, 0, &kPatience, nullptr);
}

}  // namespace

void heed_signals() {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  ::timer_create(CLOCK_MONOTONIC, &event, &patience);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGALRM}) ::sigaction(number, &action, nullptr);
  // A reader of standard output that goes away does not end a run.
  ::signal(SIGPIPE, SIG_IGN);
}

train::Interruption interruption() {
  if (interrupts >= 2) return train::Interruption::abandon;
  if (interrupts == 1) return train::Interruption::save_and_stop;
  return preempted ? train::Interruption::preempt : train::Interruption::none;
}

}  // namespace spar::host

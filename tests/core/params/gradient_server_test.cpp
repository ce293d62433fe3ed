#include "core/params/gradient_server.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "../nn/net_support.hpp"
#include "core/base/squad.hpp"
#include "core/nn/failure.hpp"

using namespace spar;
using nn::test::Instance, nn::test::NetPlan;
using params::GradientServer;

namespace {

constexpr double kRate = 0.1;

/// A component with a free vector of three numbers and its target.
struct Side : Instance {
  spar_net *net, *target;
  Side()
      : net(create("x", {{}, 3, "{\"value\":[1,2,3]}"})), target(create("x_target", {{}, 3, "{\"value\":[1,2,3]}"})) {}

  void gradient(const std::vector<float>& g) { write(net, g, SPAR_NET_GRADIENTS); }
  spar_status step(double tau = 0.5) {
    spar_net* nets[] = {net};
    spar_net* targets[] = {target};
    spar_update update = nn::test::adam(nets, 1, kRate);
    update.targets = targets;
    update.tau = tau;
    update.max_grad_norm = 1.5;
    return nn.update(&ctx, &update, &norm, &error);
  }
  double norm = 0;
};

/// A master and its workers.
struct Team {
  Side master;
  std::deque<Side> workers{2};
  std::unique_ptr<GradientServer> server;

  explicit Team(bool bulk) {
    server = bulk ? params::bulk_server(master.networks, workers.size(), nullptr, 0)
                  : params::asynchronous_server(master.networks, workers.size());
    for (size_t i = 0; i < workers.size(); ++i) workers[i].networks.send_updates_to(&server->route(i));
  }
  /// work(i) by each worker, at the same time.
  void run(const std::function<void(size_t)>& work) {
    Squad squad(workers.size(), 0);
    squad.start(work);
    squad.wait();
  }
};

const std::vector<std::vector<float>> kGradients = {{1, -2, 0.5F}, {0.25F, 4, 0}};

std::vector<float> mean(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> out;
  for (size_t i = 0; i < a.size(); ++i) out.push_back((a[i] + b[i]) * 0.5F);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bulk_server)

BOOST_AUTO_TEST_CASE(mean_of_all_gradients_makes_one_step_of_the_master) {
  Side expected;
  Team team(true);
  for (int round = 0; round < 5; ++round) {
    expected.gradient(mean(kGradients[0], kGradients[1]));
    BOOST_TEST_REQUIRE(expected.step() == SPAR_OK);
    team.run([&](size_t i) {
      if (i == static_cast<size_t>(round % 2)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      team.workers[i].gradient(kGradients[i]);
      team.workers[i].require(team.workers[i].step());
      team.server->finish(i);
    });
    for (Side* side : {&team.master, &team.workers[0], &team.workers[1]}) {
      BOOST_TEST((side->read(side->net) == expected.read(expected.net)));
      BOOST_TEST((side->read(side->target) == expected.read(expected.target)));
      BOOST_TEST((side->read(side->net, SPAR_NET_GRADIENTS) == std::vector<float>(3, 0)));
    }
    BOOST_TEST(team.workers[0].norm == expected.norm);
    BOOST_TEST(team.workers[1].norm == expected.norm);
  }
  BOOST_TEST((team.master.read(team.master.net, SPAR_NET_MOMENT2) == expected.read(expected.net, SPAR_NET_MOMENT2)));
  BOOST_TEST(team.master.steps(team.master.net) == 5u);
  BOOST_TEST(team.workers[0].steps(team.workers[0].net) == 0u);
}

// Of real networks, whose vectors have padding and more than one member.
BOOST_AUTO_TEST_CASE(equal_gradients_of_all_workers_step_like_one) {
  const NetPlan plan{{5}, 3, "{\"hidden\":[7]}", 2};
  Instance alone, master;
  std::deque<Instance> workers(2);
  spar_net *net = alone.create("q", plan), *lead = master.create("q", plan);
  std::vector<spar_net*> nets;
  const auto server = params::bulk_server(master.networks, 2, nullptr, 0);
  for (size_t i = 0; i < 2; ++i) {
    nets.push_back(workers[i].create("q", plan));
    workers[i].networks.send_updates_to(&server->route(i));
  }
  const auto learn = [&](Instance& instance, spar_net* q) {
    instance.forward(q, 1, nn::test::random_floats(20, 3), 5);
    instance.backward(q, 1, nn::test::random_floats(24, 4));
    const spar_update step = nn::test::adam(&q, 1, kRate);
    instance.require(instance.nn.update(&instance.ctx, &step, nullptr, &instance.error));
  };
  Squad squad(2, 0);
  for (int round = 0; round < 3; ++round) {
    learn(alone, net);
    const auto work = [&](size_t i) { learn(workers[i], nets[i]); };
    squad.start(work);
    squad.wait();
  }
  BOOST_TEST((master.read(lead) == alone.read(net)));
  BOOST_TEST((workers[1].read(nets[1]) == alone.read(net)));
}

BOOST_AUTO_TEST_CASE(blends_are_the_masters) {
  Team team(true);
  team.master.write(team.master.net, {5, 5, 5});
  for (Side& worker : team.workers) worker.write(worker.net, {5, 5, 5});
  team.run([&](size_t i) {
    Side& worker = team.workers[i];
    worker.require(worker.nn.blend(worker.target, worker.net, 1, &worker.error));
  });
  for (Side* side : {&team.master, &team.workers[0], &team.workers[1]})
    BOOST_TEST((side->read(side->target) == std::vector<float>(3, 5)));
}

BOOST_AUTO_TEST_CASE(workers_that_do_not_go_the_same_way_are_told) {
  Team team(true);
  std::vector<std::string> told(2);
  team.run([&](size_t i) {
    team.workers[i].gradient(kGradients[i]);
    if (i == 0 && team.workers[0].step() < 0) told[0] = team.workers[0].message();
    if (i == 1) try {
        team.server->finish(1);
      } catch (const Error& error) {
        told[1] = error.code() + " " + error.what();
      }
  });
  const std::string problem =
      "the gradient workers of one learner do not go the same way: one updates the network `x`, another has learnt";
  BOOST_TEST(told[0] == problem);
  BOOST_TEST(told[1] == "E0315 " + problem);
  BOOST_REQUIRE(team.server->fault().has_value());
  BOOST_TEST(team.server->fault()->help() ==
             "updates that depend on chance can have several learners only with mode asp or ssp");
  BOOST_TEST((team.master.read(team.master.net) == std::vector<float>{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(gradient_that_is_not_finite_stops_all_and_changes_nothing) {
  Team team(true);
  std::vector<spar_status> told(2);
  team.run([&](size_t i) {
    team.workers[i].gradient({1, i == 1 ? std::nanf("") : 1.0F, 1});
    told[i] = team.workers[i].step();
  });
  for (size_t i = 0; i < 2; ++i) {
    BOOST_TEST(told[i] == SPAR_E_STATE);
    BOOST_TEST(team.workers[i].message().find("gradient norm of network `x` is not finite") != std::string::npos);
  }
  BOOST_TEST((team.master.read(team.master.net) == std::vector<float>{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_worker_that_failed_gets_an_error) {
  Team team(true);
  spar_status told = SPAR_OK;
  bool first = false, second = true;
  team.run([&](size_t i) {
    if (i == 0) {
      told = team.workers[0].step();
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    first = team.server->abort();
    second = team.server->abort();
  });
  BOOST_TEST(told == SPAR_E_STATE);
  BOOST_TEST(team.workers[0].message() == "update: another gradient worker has failed");
  BOOST_TEST((first && !second));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(asynchronous_server)

BOOST_AUTO_TEST_CASE(every_gradient_makes_a_step_at_once_and_its_worker_takes_what_came_of_it) {
  Side expected;
  Team team(false);
  for (const size_t i : {0u, 0u, 1u, 0u}) {
    expected.gradient(kGradients[i]);
    BOOST_TEST_REQUIRE(expected.step() == SPAR_OK);
    team.workers[i].gradient(kGradients[i]);
    team.workers[i].require(team.workers[i].step());
    BOOST_TEST((team.master.read(team.master.net) == expected.read(expected.net)));
    BOOST_TEST((team.master.read(team.master.target) == expected.read(expected.target)));
    BOOST_TEST((team.workers[i].read(team.workers[i].net) == expected.read(expected.net)));
    BOOST_TEST((team.workers[i].read(team.workers[i].target) == expected.read(expected.target)));
    BOOST_TEST((team.workers[i].read(team.workers[i].net, SPAR_NET_GRADIENTS) == std::vector<float>(3, 0)));
    BOOST_TEST(team.workers[i].norm == expected.norm);
  }
  BOOST_TEST((team.workers[1].read(team.workers[1].net) != expected.read(expected.net)));
  team.server->pull(1, team.workers[1].networks);
  BOOST_TEST((team.workers[1].read(team.workers[1].net) == expected.read(expected.net)));
}

BOOST_AUTO_TEST_CASE(lag_counts_the_updates_by_others_since_the_values_were_taken) {
  Team team(false);
  const auto step = [&](size_t i) {
    team.workers[i].gradient(kGradients[i]);
    team.workers[i].require(team.workers[i].step());
    return team.server->lag(i);
  };
  BOOST_TEST(step(0) == 0u);
  BOOST_TEST(step(0) == 0u);
  BOOST_TEST(step(1) == 2u);
  BOOST_TEST(step(1) == 0u);
  BOOST_TEST(step(0) == 2u);
  team.server->pull(1, team.workers[1].networks);
  BOOST_TEST(step(1) == 0u);
}

BOOST_AUTO_TEST_CASE(no_step_is_lost_where_all_work_at_the_same_time) {
  Team team(false);
  team.run([&](size_t i) {
    Side copy;
    for (int k = 0; k < 200; ++k) {
      team.workers[i].gradient(kGradients[i]);
      team.workers[i].require(team.workers[i].step());
      team.server->read(copy.networks);
    }
  });
  BOOST_TEST(team.master.steps(team.master.net) == 400u);
}

BOOST_AUTO_TEST_CASE(nothing_is_updated_while_the_master_is_held) {
  Team team(false);
  std::atomic<bool> held{false};
  std::vector<float> before, after;
  team.run([&](size_t i) {
    if (i == 0) {
      team.server->hold([&] {
        held = true;
        before = team.master.read(team.master.net);
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        after = team.master.read(team.master.net);
      });
      return;
    }
    while (!held) std::this_thread::yield();
    team.workers[1].gradient(kGradients[1]);
    team.workers[1].require(team.workers[1].step());
  });
  BOOST_TEST((after == before));
  BOOST_TEST((team.master.read(team.master.net) != before));
}

BOOST_AUTO_TEST_SUITE_END()

// Every kind of network that the host's kernels offer, and random batches for them.
#pragma once

#include <string>
#include <vector>

#include "net_support.hpp"

namespace spar::nn::test {

struct Batch {
  std::vector<std::vector<float>> x;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<float> dy;
  std::vector<int64_t> y_shape;

  Batch(const NetPlan& plan, int64_t rows, bool member_inputs, uint32_t seed) {
    const int64_t members = plan.ensemble;
    for (size_t i = 0; i < plan.inputs.size(); ++i) {
      // Of several inputs, the last has the ensemble dimension: both kinds meet in one network.
      const bool own = member_inputs && i + 1 == plan.inputs.size();
      shapes.push_back(own ? std::vector<int64_t>{members, rows, plan.inputs[i]}
                           : std::vector<int64_t>{rows, plan.inputs[i]});
      x.push_back(random_floats(static_cast<size_t>((own ? members : 1) * rows * plan.inputs[i]),
                                seed * 31 + 7 + static_cast<uint32_t>(i)));
    }
    y_shape = {members, rows, plan.out};
    dy = random_floats(static_cast<size_t>(members * rows * plan.out), seed * 31 + 3);
  }
};

struct Case {
  NetPlan plan;
  bool member_inputs = false;
};

inline std::vector<Case> grid() {
  std::vector<Case> cases;
  const auto add = [&](std::vector<int64_t> inputs, int64_t out, const std::string& json, uint32_t ensemble = 1,
                       bool member_inputs = false) {
    for (const char* activation : {"relu", "tanh"}) {
      NetPlan plan{std::move(inputs), out, "{\"activation\":\"" + std::string(activation) + "\"," + json + "}",
                   ensemble};
      cases.push_back({plan, member_inputs});
      inputs = plan.inputs;
    }
  };
  add({4}, 2, R"("hidden":[64,64])");
  add({1}, 1, R"("hidden":[1])");
  add({3}, 5, R"("hidden":[])");
  add({17}, 3, R"("hidden":[],"output":"tanh")");
  add({5}, 7, R"("hidden":[33],"output":"tanh")");
  add({17}, 4, R"("hidden":[48,80])");
  add({19}, 70, R"("hidden":[129,31,100])");
  add({64}, 16, R"("hidden":[192])");
  add({3, 2}, 1, R"("hidden":[64,64])", 2);
  add({3, 2}, 6, R"("hidden":[20])", 2, true);
  add({66, 5}, 2, R"("hidden":[])", 3, true);
  add({4}, 3, R"("hidden":[64],"heads":[{"out":1},{"out":3}],"dueling":true)");
  add({4}, 9, R"("hidden":[30],"heads":[{"out":1,"hidden":[17]},{"out":9,"hidden":[65]}],"dueling":true)", 2);
  add({6}, 8, R"("hidden":[24],"heads":[{"out":2,"hidden":[16,5]},{"out":6}],"output":"tanh")");
  add({6}, 7, R"("hidden":[],"heads":[{"out":2},{"out":5}])", 2);
  add({4}, 15, R"("hidden":[30],"heads":[{"out":5},{"out":15}],"dueling":true,"atoms":5)");
  add({17}, 3, R"("hidden":[70],"noisy":0.5)");
  add({3, 2}, 6, R"("hidden":[],"noisy":0.5)", 2, true);
  add({4}, 102,
      R"("hidden":[40],"heads":[{"out":51,"hidden":[20]},{"out":102}],"dueling":true,"atoms":51,"noisy":0.5)");
  add({5}, 18, R"("hidden":[20],"heads":[{"out":9},{"out":18}],"dueling":true,"atoms":9,"noisy":0.5)", 2);
  add({4}, 201, R"("hidden":[],"heads":[{"out":67},{"out":201}],"dueling":true,"atoms":67)", 1);
  return cases;
}

}  // namespace spar::nn::test

// torch_scripts DIRECTORY: TorchScript modules that a user might bring, sound and otherwise.
#include <torch/script.h>

#include <string>
#include <vector>

namespace {

struct Parameter {
  const char* name;
  std::vector<int64_t> shape;
  bool frozen = false;
};

void write(const std::string& file, const std::vector<Parameter>& parameters, const std::string& source,
           at::ScalarType type = at::kFloat) {
  torch::jit::Module module("Net");
  for (const Parameter& p : parameters)
    module.register_parameter(p.name, (0.1 * at::ones(p.shape, at::TensorOptions(type))).requires_grad_(!p.frozen),
                              false);
  module.define(source);
  module.save(file);
}

}  // namespace

int main(int, char** words) {
  const std::string directory = std::string(words[1]) + "/";
  const std::vector<Parameter> layers = {{"w1", {64, 4}}, {"b1", {64}}, {"w2", {2, 64}}, {"b2", {2}}};
  const std::string mlp =
      "def forward(self, x):\n"
      "  h = torch.relu(torch.matmul(x, self.w1.t()) + self.b1)\n"
      "  return torch.matmul(h, self.w2.t()) + self.b2\n";
  write(directory + "mlp.pt", layers, mlp);
  write(directory + "half_frozen.pt", {{"w1", {64, 4}, true}, {"b1", {64}}, {"w2", {2, 64}}, {"b2", {2}}}, mlp);
  write(directory + "frozen.pt", {{"w1", {64, 4}, true}, {"b1", {64}, true}, {"w2", {2, 64}, true}, {"b2", {2}, true}},
        mlp);
  write(directory + "double.pt", layers, mlp, at::kDouble);
  write(directory + "two_inputs.pt", {{"w", {3, 5}}},
        "def forward(self, x, u):\n  return torch.matmul(torch.cat([x, u], 1), self.w.t())\n");
  write(directory + "actor_critic.pt",
        {{"w", {16, 4}}, {"b", {16}}, {"wa", {2, 16}}, {"ba", {2}}, {"wv", {1, 16}}, {"bv", {1}}},
        "def forward(self, x):\n"
        "  h = torch.relu(torch.matmul(x, self.w.t()) + self.b)\n"
        "  return torch.cat([torch.matmul(h, self.wa.t()) + self.ba, torch.matmul(h, self.wv.t()) + self.bv], 1)\n");
  write(directory + "nature_actor_critic.pt",
        {{"c1", {32, 2, 8, 8}},
         {"b1", {32}},
         {"c2", {64, 32, 4, 4}},
         {"b2", {64}},
         {"c3", {64, 64, 3, 3}},
         {"b3", {64}},
         {"w", {16, 64}},
         {"b", {16}},
         {"wa", {3, 16}},
         {"ba", {3}},
         {"wv", {1, 16}},
         {"bv", {1}}},
        "def forward(self, x):\n"
        "  h = torch.relu(torch.conv2d(x, self.c1, self.b1, [4, 4]))\n"
        "  h = torch.relu(torch.conv2d(h, self.c2, self.b2, [2, 2]))\n"
        "  h = torch.relu(torch.conv2d(h, self.c3, self.b3, [1, 1])).flatten(1)\n"
        "  h = torch.relu(torch.matmul(h, self.w.t()) + self.b)\n"
        "  return torch.cat([torch.matmul(h, self.wa.t()) + self.ba, torch.matmul(h, self.wv.t()) + self.bv], 1)\n");
  write(directory + "frames.pt", {{"w", {2, 12}}},
        "def forward(self, x):\n  return torch.matmul(x.flatten(1), self.w.t())\n");
  write(directory + "pair.pt", {{"w", {2, 4}}}, "def forward(self, x):\n  return (torch.matmul(x, self.w.t()), x)\n");
  write(directory + "no_parameters.pt", {}, "def forward(self, x):\n  return x\n");
  write(directory + "raises.pt", {{"w", {2, 4}}},
        "def forward(self, x):\n"
        "  assert x.size(0) < 1, \"the stars are wrong\"\n"
        "  return torch.matmul(x, self.w.t())\n");
  return 0;
}

// TorchScript files that a user brings.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>

#include "core/base/bytes.hpp"
#include "support/process.hpp"
#include "torch_support.hpp"

using namespace spar;
using namespace spar::nn;
using namespace spar::nn::test;

namespace {

struct Scripts {
  Scripts() {
    const auto made = spar::test::run({{SPAR_BUILD_DIR "/tests/torch_scripts", place.path().string()}, {}, {}});
    if (made.exit_code != 0) throw std::runtime_error(made.err);
  }
  std::string file(const std::string& name) const { return (place / name).string(); }

  spar::test::TemporaryDirectory place;
};

const Scripts& scripts() {
  static const Scripts instance;
  return instance;
}

NetPlan script(const std::string& file, std::vector<int64_t> inputs = {4}, int64_t out = 2) {
  return {std::move(inputs), out, R"({"kind":"torchscript","file":")" + file + "\"}"};
}

std::string refusal(const NetPlan& plan) {
  TorchInstance torch;
  spar_net* net = nullptr;
  BOOST_TEST(torch.try_create("q", plan, &net) < 0);
  BOOST_TEST(net == nullptr);
  BOOST_TEST(torch.message().find('\n') == std::string::npos, torch.message());
  return torch.message();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_torch_script)

BOOST_AUTO_TEST_CASE(a_module_learns_like_the_network_that_it_spells_out) {
  Instance native;
  TorchInstance torch;
  const NetPlan plan{{4}, 2, R"({"hidden":[64]})"};
  spar_net* nets[] = {native.create("q", plan), torch.create("q", script(scripts().file("mlp.pt")))};
  BOOST_TEST(torch.read(nets[1]) == std::vector<float>(64 * 4 + 64 + 2 * 64 + 2, 0.1f));  // as in the file
  torch.write(nets[1], native.read(nets[0]));
  for (uint32_t i = 0; i < 100; ++i) {
    Batch batch(plan, 7, false, i);
    const PassResult expected = pass(native, nets[0], batch), found = pass(torch, nets[1], batch);
    if (i == 0) {
      BOOST_TEST(distance(found.y, expected.y) < 1e-5);
      BOOST_TEST(distance(found.dx[0], expected.dx[0]) < 1e-5);
    }
    step(native, adam(&nets[0], 1));
    step(torch, adam(&nets[1], 1));
  }
  BOOST_TEST(distance(torch.read(nets[1]), native.read(nets[0])) < 1e-5);
}

BOOST_AUTO_TEST_CASE(parameters_that_need_no_gradient_stay_as_they_are) {
  TorchInstance torch;
  spar_net* net = torch.create("q", script(scripts().file("half_frozen.pt")));
  Batch batch(NetPlan{{4}, 2}, 7, false, 1);
  pass(torch, net, batch);
  step(torch, adam(&net, 1));
  const std::vector<float> values = torch.read(net);
  BOOST_TEST(std::vector<float>(values.begin(), values.begin() + 64 * 4) == std::vector<float>(64 * 4, 0.1f));
  BOOST_TEST(std::vector<float>(values.end() - 2, values.end()) != std::vector<float>(2, 0.1f));
}

BOOST_AUTO_TEST_CASE(a_module_takes_several_inputs_and_frames) {
  TorchInstance torch;
  spar_net* two = torch.create("two", script(scripts().file("two_inputs.pt"), {3, 2}, 3));
  Batch batch(NetPlan{{3, 2}, 3}, 4, false, 1);
  const PassResult result = pass(torch, two, batch);
  float sum = 0;
  for (size_t i = 0; i < 3; ++i) sum += 0.1f * batch.x[0][i];
  for (size_t i = 0; i < 2; ++i) sum += 0.1f * batch.x[1][i];
  BOOST_TEST(std::abs(result.y[0] - sum) < 1e-5);

  NetPlan frames = script(scripts().file("frames.pt"), {0}, 2);
  frames.bytes = true;
  frames.shapes = {{3, 2, 2}};
  spar_net* net = torch.create("frames", frames);
  std::vector<uint8_t> x(12, 255);
  std::vector<float> y(2);
  const Tensor tx(x.data(), {1, 3, 2, 2}, true);
  Tensor ty(y.data(), {1, 2});
  const spar_tensor* inputs[] = {&tx.t};
  torch.require(torch.nn.forward(net, 0, 0, inputs, &ty.t, &torch.error));
  BOOST_TEST(std::abs(y[0] - 1.2f) < 1e-5);
}

BOOST_AUTO_TEST_CASE(state_goes_to_another_network_of_the_same_file_only) {
  TorchInstance first, second, third;
  spar_net* net = first.create("q", script(scripts().file("mlp.pt")));
  second.create("q", script(scripts().file("mlp.pt")));
  first.write(net, random_floats(64 * 4 + 64 + 2 * 64 + 2, 3));
  ByteWriter writer;
  first.networks.save(writer);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "networks");
  second.networks.load(reader);
  BOOST_TEST(first.networks.sha256() == second.networks.sha256());

  third.create("q", script(scripts().file("two_inputs.pt"), {3, 2}, 3));
  ByteReader again(bytes, "networks");
  BOOST_CHECK_THROW(third.networks.load(again), Error);
  BOOST_TEST(has(network_of(net).shape(), "torchscript [[4], 2] of "));
}

BOOST_AUTO_TEST_CASE(files_that_are_no_modules_are_refused_in_one_sentence) {
  const std::string whole = bytes_of(scripts().file("mlp.pt"));
  BOOST_REQUIRE(whole.size() > 1000);
  const auto damaged = [&](const std::string& name, const std::string& bytes) {
    return refusal(script(scripts().place.write(name, bytes).string()));
  };
  for (const std::string& text :
       {damaged("text.pt", "not a module"), damaged("empty.pt", ""),
        damaged("half.pt", whole.substr(0, whole.size() / 2)), damaged("tail.pt", whole.substr(200))}) {
    BOOST_TEST(has(text, "network `q`: `"), text);
    BOOST_TEST(has(text, "is no TorchScript module that LibTorch "), text);
    BOOST_TEST(has(text, "save it again with torch.jit.save()"), text);
  }
  const std::string missing = refusal(script("/nowhere/net.pt"));
  BOOST_TEST(missing ==
             "network `q`: `file` `/nowhere/net.pt` cannot be read (No such file or directory): name a TorchScript "
             "file, seen from the working directory");
}

BOOST_AUTO_TEST_CASE(modules_that_do_not_fit_are_refused_with_what_was_found) {
  BOOST_TEST(has(refusal(script(scripts().file("mlp.pt"), {4}, 3)),
                 "gives a tensor of type Float and shape [1, 2], expected Float and [1, 3]"));
  BOOST_TEST(has(refusal(script(scripts().file("mlp.pt"), {5}, 2)), "fails on inputs [1, 5]: "));
  BOOST_TEST(has(refusal(script(scripts().file("mlp.pt"), {4, 1}, 2)), "fails on inputs [1, 4] and [1, 1]: "));
  BOOST_TEST(has(refusal(script(scripts().file("double.pt"))), "has parameters of type Double, expected Float"));
  BOOST_TEST(has(refusal(script(scripts().file("pair.pt"))), "gives Tuple, expected one tensor"));
  BOOST_TEST(has(refusal(script(scripts().file("no_parameters.pt"))), "has no parameters to learn"));
  BOOST_TEST(has(refusal(script(scripts().file("frozen.pt"))), "has no parameters to learn"));
  BOOST_TEST(has(refusal(script(scripts().file("raises.pt"))), "the stars are wrong"));
  NetPlan twins = script(scripts().file("mlp.pt"));
  twins.ensemble = 2;
  BOOST_TEST(has(refusal(twins), "its members would start equal"));
}

BOOST_AUTO_TEST_SUITE_END()

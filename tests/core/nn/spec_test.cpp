#include <boost/test/unit_test.hpp>

#include "net_support.hpp"

using namespace spar::nn;
using namespace spar::nn::test;

namespace {

struct Refusal {
  const char* json;
  spar_status status;
  const char* words;  ///< in the message
};

void check_refused(const NetPlan& plan, spar_status status, const std::string& words) {
  Instance instance;
  spar_net* net = reinterpret_cast<spar_net*>(&instance);
  BOOST_TEST_CONTEXT(plan.json) {
    BOOST_TEST(instance.try_create("q", plan, &net) == status);
    BOOST_TEST(net == nullptr);
    BOOST_TEST(instance.message().find(words) != std::string::npos, instance.message() << " lacks: " << words);
    BOOST_TEST(instance.error.code == status);
    BOOST_TEST(instance.networks.size() == 0u);
  }
}

std::string shape_of(const NetPlan& plan) {
  Instance instance;
  return network_of(instance.create("q", plan)).shape();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(network_specification)

BOOST_AUTO_TEST_CASE(shape_says_what_decides_the_parameters) {
  BOOST_TEST(shape_of({{4}, 2, R"({"hidden":[64,32]})"}) == "[4, 64, 32, 2] relu");
  BOOST_TEST(shape_of({{4}, 2, ""}) == "[4, 2] relu");
  BOOST_TEST(shape_of({{3, 1}, 1, R"({"hidden":[8],"activation":"tanh"})", 2}) == "2 x [3 + 1, 8, 1] tanh");
  BOOST_TEST(shape_of({{4}, 2, R"({"output":"tanh","init":"uniform","gain":0.003,"last_gain":0.003})"}) ==
             "[4, 2] relu, output tanh");
  BOOST_TEST(shape_of({{4}, 3, R"({"hidden":[8],"heads":[{"out":1,"hidden":[5]},{"out":3}],"dueling":true})"}) ==
             "[4, 8, head, 5, 1 | head, 3] relu, dueling");
  BOOST_TEST(shape_of({{4}, 6, R"({"heads":[{"out":3},{"out":6}],"dueling":true,"atoms":3,"noisy":0.5})"}) ==
             "[4, head, 3 | head, 6] relu, dueling of 3 atoms, noisy");
  BOOST_TEST(shape_of({{4}, 2, R"({"noisy":0.1})"}) == shape_of({{4}, 2, R"({"noisy":0.5})"}));
  BOOST_TEST(shape_of({{}, 3, R"({"value":[1,2,3]})"}) == "vector of 3");
  BOOST_TEST(shape_of({{4}, 2, R"({"kind":"mlp","backend":"native","device":"cpu"})"}) == "[4, 2] relu");
}

BOOST_AUTO_TEST_CASE(keys_that_are_not_offered_are_refused_by_name) {
  for (const Refusal& r :
       {Refusal{R"({"kind":"nature_cnn","backend":"native"})", SPAR_E_UNSUPPORTED, "computes kind mlp only"},
        Refusal{R"({"backend":"native","device":"cuda"})", SPAR_E_UNSUPPORTED, "computes on the cpu only"},
        Refusal{R"({"backend":"torch"})", SPAR_E_UNSUPPORTED,
                "asks for backend `torch`, and this component has no backends"},
        Refusal{R"({"device":"cuda"})", SPAR_E_UNSUPPORTED, "asks for backend `torch`"},
        Refusal{R"({"kind":"torchscript","file":"a.pt"})", SPAR_E_UNSUPPORTED, "asks for backend `torch`"}})
    check_refused({{4}, 2, r.json}, r.status, r.words);
}

BOOST_AUTO_TEST_CASE(a_convolutional_network_takes_one_picture_and_numbers) {
  const auto refused = [](std::vector<std::vector<int64_t>> shapes, const std::string& words) {
    NetPlan plan{std::vector<int64_t>(shapes.size()), 2, R"({"kind":"nature_cnn"})"};
    plan.shapes = std::move(shapes);
    check_refused(plan, SPAR_E_INVALID, words);
  };
  refused({{4}}, "0 of its inputs have shape [channels, height, width], expected exactly one");
  refused({{1, 36, 36}, {1, 36, 36}}, "2 of its inputs have shape");
  refused({{84, 84, 4}}, "has shape [84, 84, 4], expected a picture of at least 36 x 36");
  refused({{1, 84, 84}, {3, 3}}, "has shape [3, 3], expected [channels, height, width] or [numbers]");
}

BOOST_AUTO_TEST_CASE(wrong_keys_and_values_are_refused_with_what_was_found) {
  for (const Refusal& r :
       {Refusal{R"({"hiden":[64]})", SPAR_E_INVALID, "did you mean `hidden`?"},
        Refusal{R"({"zzzzzzzzz":1})", SPAR_E_INVALID, "its keys are hidden"},
        Refusal{R"({"hidden":64})", SPAR_E_INVALID, "list of widths such as [64, 64], found 64"},
        Refusal{R"({"hidden":[64,0]})", SPAR_E_INVALID, "whole numbers from 1 to 16777216, found 0"},
        Refusal{R"({"hidden":[6.5]})", SPAR_E_INVALID, "found 6.5E0"},
        Refusal{R"({"activation":"gelu"})", SPAR_E_INVALID, "takes relu or tanh, found \"gelu\""},
        Refusal{R"({"output":"relu"})", SPAR_E_INVALID, "takes identity or tanh"},
        Refusal{R"({"init":"xavier"})", SPAR_E_INVALID, "takes default, uniform or orthogonal"},
        Refusal{R"({"init":"uniform","gain":"big"})", SPAR_E_INVALID, "`gain` takes a number"},
        Refusal{R"({"gain":2})", SPAR_E_INVALID, "`init` is left out, which means default"},
        Refusal{R"({"kind":5})", SPAR_E_INVALID, "`kind` takes mlp, nature_cnn or torchscript, found 5"},
        Refusal{R"({"kind":"rnn"})", SPAR_E_INVALID, "`kind` takes mlp, nature_cnn or torchscript, found \"rnn\""},
        Refusal{R"({"device":5})", SPAR_E_INVALID, "`device` takes auto, cpu or cuda, found 5"},
        Refusal{R"({"device":"cuda:0"})", SPAR_E_INVALID, "`device` takes auto, cpu or cuda, found \"cuda:0\""},
        Refusal{R"({"backend":5})", SPAR_E_INVALID, "`backend` takes text"},
        Refusal{R"({"file":"a.pt"})", SPAR_E_INVALID, "`file` belongs to kind torchscript"},
        Refusal{R"({"kind":"torchscript"})", SPAR_E_INVALID, "is torchscript, and `file` is missing"},
        Refusal{R"({"kind":"torchscript","file":"a.pt","hidden":[4]})", SPAR_E_INVALID,
                "`hidden` describes layers, and those of torchscript are in its file"},
        Refusal{R"({"dueling":1})", SPAR_E_INVALID, "takes true or false"},
        Refusal{R"({"dueling":true})", SPAR_E_INVALID, "needs two heads"},
        Refusal{R"({"dueling":true,"heads":[{"out":2},{"out":2}]})", SPAR_E_INVALID, "with out 1, found 2"},
        Refusal{R"({"dueling":true,"output":"tanh","heads":[{"out":1},{"out":2}]})", SPAR_E_INVALID, "identity only"},
        Refusal{R"({"dueling":true,"atoms":3,"heads":[{"out":1},{"out":2}]})", SPAR_E_INVALID,
                "with out 3 (its atoms), found 1"},
        Refusal{R"({"dueling":true,"atoms":3,"heads":[{"out":3},{"out":4}]})", SPAR_E_INVALID,
                "a multiple of its 3 atoms, found 4"},
        Refusal{R"({"atoms":2})", SPAR_E_INVALID, "`atoms` goes with dueling only, found 2"},
        Refusal{R"({"atoms":0})", SPAR_E_INVALID, "whole numbers from 1"},
        Refusal{R"({"noisy":0})", SPAR_E_INVALID,
                "takes sigma0, a number above 0 and at most 1000 such as 0.5, found 0"},
        Refusal{R"({"noisy":-0.5})", SPAR_E_INVALID, "takes sigma0"},
        Refusal{R"({"noisy":true})", SPAR_E_INVALID, "takes sigma0"},
        Refusal{R"({"heads":[]})", SPAR_E_INVALID, "takes a list such as"},
        Refusal{R"({"heads":[{"hidden":[4]}]})", SPAR_E_INVALID, "needs `out`"},
        Refusal{R"({"heads":[{"out":2,"width":4}]})", SPAR_E_INVALID, "knows no key `width`"},
        Refusal{R"({"heads":[{"out":2},{"out":3}]})", SPAR_E_INVALID,
                "gives 5 outputs, and the network is asked for 2"},
        Refusal{R"({"value":[1,2]})", SPAR_E_INVALID, "is for free vectors"},
        Refusal{R"([1])", SPAR_E_INVALID, "not a JSON object"},
        Refusal{R"({"hidden")", SPAR_E_INVALID, "not a JSON object"}})
    check_refused({{4}, 2, r.json}, r.status, r.words);
}

BOOST_AUTO_TEST_CASE(free_vector_takes_its_own_keys_only) {
  check_refused({{}, 2, R"({"hidden":[4]})"}, SPAR_E_INVALID, "is for networks with inputs");
  check_refused({{}, 2, R"({"noisy":0.5})"}, SPAR_E_INVALID, "`noisy` is for networks with inputs");
  check_refused({{}, 2, R"({"value":[1]})"}, SPAR_E_INVALID, "takes a list of 2 numbers, found [1]");
  check_refused({{}, 1, R"({"value":["a"]})"}, SPAR_E_INVALID, "takes a number");
}

BOOST_AUTO_TEST_CASE(numbers_out_of_range_are_refused) {
  check_refused({{4}, 0, "{}"}, SPAR_E_INVALID, "out is 0");
  check_refused({{0}, 1, "{}"}, SPAR_E_INVALID, "has shape [0]");
  check_refused({{4}, 1, "{}", 5000}, SPAR_E_INVALID, "ensemble is 5000");
  check_refused({{4}, 1, "{}", 1, 5000}, SPAR_E_INVALID, "slots 5000");
  check_refused({{4}, 1, "{}", 1, 1, 0}, SPAR_E_INVALID, "max_rows is 0");
  check_refused({{16777216, 16777216}, 1, "{}"}, SPAR_E_INVALID, "numbers in a row");
}

BOOST_AUTO_TEST_CASE(columns_and_structs_that_cannot_be_read_are_refused) {
  Instance instance;
  const int64_t width = 4;
  spar_column_spec column{sizeof(spar_column_spec), 0, "obs", SPAR_DTYPE_INT, 64, 1, 1, &width};
  const spar_column_spec* inputs[] = {&column};
  spar_net_spec spec{sizeof(spar_net_spec), 1, inputs, 1, 0, 2, 8, nullptr};
  spar_net* net = nullptr;
  const auto create = [&] { return instance.nn.create(&instance.ctx, {"q", 1}, &spec, &net, &instance.error); };
  BOOST_TEST(create() == SPAR_E_UNSUPPORTED);
  BOOST_TEST(instance.message().find("networks take f32 or u8") != std::string::npos);
  column.code = SPAR_DTYPE_FLOAT;
  column.bits = 32;
  column.shape = nullptr;
  BOOST_TEST(create() == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("has no shape") != std::string::npos);
  column.shape = &width;
  inputs[0] = nullptr;
  BOOST_TEST(create() == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("inputs[0] is NULL") != std::string::npos);
  spec.inputs = nullptr;
  BOOST_TEST(create() == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("n_inputs is 1 and inputs is NULL") != std::string::npos);
  spec.struct_size = 8;
  BOOST_TEST(create() == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("struct_size 8") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_are_needed_and_taken_once) {
  Instance instance;
  spar_net* net = nullptr;
  BOOST_TEST(instance.try_create("", {{4}, 2}, &net) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("needs a name") != std::string::npos);
  spar_net* first = instance.create("q", {{4}, 2});
  BOOST_TEST(instance.try_create("q", {{4}, 2}, &net) == SPAR_E_STATE);
  BOOST_TEST(instance.message().find("exists already") != std::string::npos);
  instance.nn.destroy(first);
  BOOST_TEST(instance.try_create("q", {{4}, 2}, &net) == SPAR_OK);
}

BOOST_AUTO_TEST_SUITE_END()

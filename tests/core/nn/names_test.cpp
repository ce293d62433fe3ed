#include "core/nn/names.hpp"

#include <boost/test/unit_test.hpp>

#include "core/nn/net_support.hpp"

using namespace spar::nn;
using namespace spar::nn::test;

namespace {

/// "NAME SHAPE" of every tensor; checks that they cover the canonical vector without gaps.
std::vector<std::string> listed(const spar_net* net) {
  const Network& network = network_of(net);
  std::vector<std::string> out;
  size_t at = 0;
  for (const NamedTensor& tensor : named_tensors(network)) {
    BOOST_TEST(tensor.offset == at);
    at += tensor.size;
    out.push_back(tensor.name + " " + shape_text(tensor.shape));
  }
  BOOST_TEST(at == network.parameter_count());
  return out;
}

using Names = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(network_names)

BOOST_AUTO_TEST_CASE(layers_heads_and_members_are_named) {
  Instance host;
  spar_net* plain = host.create("q", {.inputs = {3}, .out = 2, .json = R"({"hidden":[4]})"});
  BOOST_TEST(listed(plain) ==
                 (Names{"q.hidden0.weight [4, 3]", "q.hidden0.bias [4]", "q.out.weight [2, 4]", "q.out.bias [2]"}),
             boost::test_tools::per_element());
  spar_net* linear = host.create("l", {.inputs = {3}, .out = 2, .json = R"({"hidden":[]})"});
  BOOST_TEST(listed(linear) == (Names{"l.out.weight [2, 3]", "l.out.bias [2]"}), boost::test_tools::per_element());
  spar_net* twins = host.create("c", {.inputs = {2, 1}, .out = 1, .json = R"({"hidden":[]})", .ensemble = 2});
  BOOST_TEST(listed(twins) == (Names{"c.member0.out.weight [1, 3]", "c.member0.out.bias [1]",
                                     "c.member1.out.weight [1, 3]", "c.member1.out.bias [1]"}),
             boost::test_tools::per_element());
  spar_net* heads = host.create(
      "h", {.inputs = {2}, .out = 3, .json = R"({"hidden":[],"heads":[{"out":1},{"out":2,"hidden":[5]}]})"});
  BOOST_TEST(
      listed(heads) == (Names{"h.head0.out.weight [1, 2]", "h.head0.out.bias [1]", "h.head1.hidden0.weight [5, 2]",
                              "h.head1.hidden0.bias [5]", "h.head1.out.weight [2, 5]", "h.head1.out.bias [2]"}),
      boost::test_tools::per_element());
  spar_net* noisy = host.create("n", {.inputs = {3}, .out = 2, .json = R"({"hidden":[],"noisy":0.5})"});
  BOOST_TEST(listed(noisy) ==
                 (Names{"n.out.weight [2, 3]", "n.out.bias [2]", "n.out.weight_sigma [2, 3]", "n.out.bias_sigma [2]"}),
             boost::test_tools::per_element());
  spar_net* vector = host.create("log_alpha", {.inputs = {}, .out = 3, .json = R"({"value":[1,2,3]})"});
  BOOST_TEST(listed(vector) == Names{"log_alpha [3]"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(networks_keep_the_order_in_which_they_were_made) {
  Instance host;
  const NetPlan plan{.inputs = {2}};
  host.create("b", plan);
  spar_net* gone = host.create("c", plan);
  host.create("a", plan);
  host.nn.destroy(gone);
  Names names;
  for (const Network* network : host.networks.in_order()) names.push_back(network->name());
  BOOST_TEST(names == (Names{"b", "a"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

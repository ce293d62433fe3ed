#include "core/nn/service.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "net_support.hpp"

using namespace spar::nn;
using namespace spar::nn::test;

BOOST_AUTO_TEST_SUITE(network_service)

BOOST_AUTO_TEST_CASE(table_is_complete) {
  const spar_svc_nn& nn = nn_service();
  BOOST_TEST(nn.struct_size == sizeof(spar_svc_nn));
  BOOST_TEST((nn.create && nn.destroy && nn.forward && nn.backward && nn.update && nn.blend && nn.resample &&
              nn.bytes && nn.read && nn.write));
}

BOOST_AUTO_TEST_CASE(component_without_networks_is_told_so) {
  Instance instance;
  instance.ctx.networks = nullptr;
  spar_net* net = nullptr;
  BOOST_TEST(instance.try_create("q", {{4}, 2}, &net) == SPAR_E_UNSUPPORTED);
  BOOST_TEST(instance.message().find("not offered to this component") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(null_handles_are_errors_and_not_crashes) {
  Instance instance;
  spar_net* net = nullptr;
  spar_error* error = &instance.error;
  const spar_svc_nn& nn = instance.nn;
  BOOST_TEST(nn.create(nullptr, {"q", 1}, nullptr, &net, error) == SPAR_E_INVALID);
  BOOST_TEST(nn.create(&instance.ctx, {"q", 1}, nullptr, &net, error) == SPAR_E_INVALID);
  spar_net_spec spec{};
  BOOST_TEST(nn.create(&instance.ctx, {nullptr, 3}, &spec, &net, error) == SPAR_E_INVALID);
  BOOST_TEST(nn.forward(nullptr, 0, 0, nullptr, nullptr, error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message() == "net is NULL, expected a network");
  BOOST_TEST(nn.backward(nullptr, 1, nullptr, nullptr, 1, error) == SPAR_E_INVALID);
  BOOST_TEST(nn.blend(nullptr, nullptr, 0.5, error) == SPAR_E_INVALID);
  BOOST_TEST(nn.resample(nullptr, error) == SPAR_E_INVALID);
  BOOST_TEST(nn.bytes(nullptr, SPAR_NET_VALUES) == 0u);
  BOOST_TEST(nn.read(nullptr, 0, nullptr, 0, error) == SPAR_E_INVALID);
  BOOST_TEST(nn.write(nullptr, 0, nullptr, 0, error) == SPAR_E_INVALID);
  BOOST_TEST(nn.forward(nullptr, 0, 0, nullptr, nullptr, nullptr) == SPAR_E_INVALID);
}

BOOST_AUTO_TEST_CASE(long_messages_are_cut_between_characters_and_never_past_the_struct) {
  Instance instance;
  spar_net* net = nullptr;
  std::string name;
  for (int i = 0; i < 300; ++i) name += "\xc3\xa9";
  BOOST_TEST(instance.try_create(name, {{4}, 0}, &net) == SPAR_E_INVALID);
  const size_t length = std::strlen(instance.error.message);
  BOOST_TEST(length < sizeof instance.error.message);
  BOOST_TEST(length > sizeof instance.error.message - 4);
  BOOST_TEST((static_cast<uint8_t>(instance.error.message[length - 1]) & 0xc0) == 0x80);

  instance.error.struct_size = offsetof(spar_error, message) + 8;
  std::memset(instance.error.message, 'x', 32);
  BOOST_TEST(instance.try_create("q", {{4}, 0}, &net) == SPAR_E_INVALID);
  BOOST_TEST(std::string(instance.error.message) == "network");
  BOOST_TEST(instance.error.message[8] == 'x');
}

BOOST_AUTO_TEST_SUITE_END()

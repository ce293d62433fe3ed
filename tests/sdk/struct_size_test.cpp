// Peers of other minors: structs that are shorter or longer than ours.
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstring>

#include "spar/abi.h"
#include "spar/algorithm.hpp"

namespace {

/// spar_world as a peer with `Bytes` bytes of it knows it, and what lies behind.
template <size_t Bytes>
struct Peer {
  alignas(8) unsigned char bytes[Bytes + 16];
  Peer() {
    std::memset(bytes, 0, Bytes);
    std::memset(bytes + Bytes, 0xA5, 16);
    const uint32_t size = Bytes;
    std::memcpy(bytes, &size, sizeof size);
  }
  void* out() { return bytes; }
  template <class T>
  T get(size_t at) const {
    T value;
    std::memcpy(&value, bytes + at, sizeof value);
    return value;
  }
  bool guard_is_intact() const {
    for (size_t i = Bytes; i < Bytes + 16; ++i) {
      if (bytes[i] != 0xA5) return false;
    }
    return true;
  }
};

constexpr size_t kWhole = sizeof(spar_world), kOlder = offsetof(spar_world, time_limit), kNewer = kWhole + 24;
const spar_space kState = {};
const spar_world kWorld = {kWhole, 3, nullptr, 5, 100, &kState};

/// An algorithm of which only needs() is called.
struct Waiting : spar::Algorithm {
  static constexpr const char *id = "test.waiting", *version = "1", *title = "Waits";
  static constexpr uint32_t kFlags = 0;
  struct Config {};
  static const spar::Schema<Config>& schema() {
    static const spar::Schema<Config> none;
    return none;
  }
  Waiting(const spar::Context&, const Config&, const spar_algo_setup&) {}
  void needs(spar_needs& out) const { out.capacity = 77, out.reward_transform = "normalise"; }
  void act(const spar_act&, const spar_batch&, spar_batch&) {}
  void learn(uint64_t) {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(struct_sizes)

BOOST_AUTO_TEST_CASE(store_fills_an_equal_struct_but_not_its_size) {
  Peer<kWhole> peer;
  SPAR_STORE(peer.out(), kWorld);
  BOOST_TEST(peer.get<uint32_t>(0) == kWhole);
  BOOST_TEST(peer.get<uint32_t>(offsetof(spar_world, n_agents)) == 3u);
  BOOST_TEST(peer.get<uint64_t>(offsetof(spar_world, time_limit)) == 100u);
  BOOST_TEST(peer.get<const spar_space*>(offsetof(spar_world, state)) == &kState);
  BOOST_TEST(peer.guard_is_intact());
}

BOOST_AUTO_TEST_CASE(store_never_writes_behind_a_shorter_struct) {
  Peer<kOlder> peer;
  SPAR_STORE(peer.out(), kWorld);
  BOOST_TEST(peer.get<uint32_t>(0) == kOlder);
  BOOST_TEST(peer.get<uint64_t>(offsetof(spar_world, n_envs)) == 5u);
  BOOST_TEST(peer.guard_is_intact());
}

BOOST_AUTO_TEST_CASE(store_leaves_the_tail_of_a_longer_struct_zero) {
  Peer<kNewer> peer;
  SPAR_STORE(peer.out(), kWorld);
  BOOST_TEST(peer.get<uint32_t>(0) == kNewer);
  BOOST_TEST(peer.get<const spar_space*>(offsetof(spar_world, state)) == &kState);
  for (size_t at = kWhole; at < kNewer; at += 8) BOOST_TEST(peer.get<uint64_t>(at) == 0u);
  BOOST_TEST(peer.guard_is_intact());
}

BOOST_AUTO_TEST_CASE(field_is_there_if_the_producer_knew_it_and_it_is_not_null) {
  spar_world world = kWorld;
  BOOST_TEST(static_cast<bool>(SPAR_HAS(&world, spar_world, state)));
  world.state = nullptr;
  BOOST_TEST(!(SPAR_HAS(&world, spar_world, state)));
  world = kWorld;
  world.struct_size = offsetof(spar_world, state);
  BOOST_TEST(!(SPAR_HAS(&world, spar_world, state)));
  BOOST_TEST(static_cast<bool>(SPAR_HAS(&world, spar_world, time_limit)));
  world.struct_size = offsetof(spar_world, state) + 7;  // a part of a field is no field
  BOOST_TEST(!(SPAR_HAS(&world, spar_world, state)));
}

BOOST_AUTO_TEST_CASE(wrapper_answers_hosts_of_other_minors) {
  const auto& table = *static_cast<const spar_algo_vtbl*>(spar::Algorithm::table<Waiting>());
  BOOST_TEST(table.struct_size == sizeof(spar_algo_vtbl));
  const spar_config config{sizeof(spar_config), 0, nullptr};
  const spar_algo_setup setup{};
  spar_algo* instance = nullptr;
  spar_error error = spar::fresh_error();
  BOOST_REQUIRE(table.create(nullptr, nullptr, &config, &setup, &instance, &error) == SPAR_OK);

  Peer<offsetof(spar_needs, state_transform)> older;
  BOOST_TEST(table.needs(instance, static_cast<spar_needs*>(older.out()), &error) == SPAR_OK);
  BOOST_TEST(older.get<uint64_t>(offsetof(spar_needs, capacity)) == 77u);
  BOOST_TEST(older.get<uint64_t>(offsetof(spar_needs, learn_every)) == 1u);
  BOOST_TEST(older.guard_is_intact());

  Peer<sizeof(spar_needs) + 8> newer;
  BOOST_TEST(table.needs(instance, static_cast<spar_needs*>(newer.out()), &error) == SPAR_OK);
  BOOST_TEST(newer.get<const char*>(offsetof(spar_needs, reward_transform)) == "normalise");
  BOOST_TEST(newer.get<uint64_t>(sizeof(spar_needs)) == 0u);
  BOOST_TEST(newer.guard_is_intact());
  table.destroy(instance);
}

BOOST_AUTO_TEST_SUITE_END()

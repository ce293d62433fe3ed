#include "core/params/store.hpp"

#include <boost/test/unit_test.hpp>

#include "core/params/service.hpp"
#include "core/plugin/context.hpp"

using namespace spar;
using params::Store;
using params::Tensor;

namespace {

std::vector<Tensor> one(float value) {
  Tensor tensor{"q", SPAR_DTYPE_FLOAT, 32, {2}, {}};
  const float numbers[2] = {value, value + 1};
  tensor.data.assign(reinterpret_cast<const std::byte*>(numbers), reinterpret_cast<const std::byte*>(numbers + 2));
  return {tensor};
}

float first(const params::Snapshot& snapshot) {
  float value = 0;
  std::memcpy(&value, snapshot.tensors.at(0).data.data(), sizeof value);
  return value;
}

struct Door {
  Store store;
  spar_ctx ctx;
  spar_error error{};
  const spar_svc_params& table = params::params_service();
  Door() {
    ctx.params = &store;
    error.struct_size = sizeof error;
  }
  /// "q" of `shape` at `data`.
  spar_column column(const float* data, int64_t* shape, int32_t ndim) {
    spar_column c{};
    c.name = {"q", 1};
    c.t.data = const_cast<float*>(data);
    c.t.device_type = SPAR_DEVICE_CPU;
    c.t.ndim = ndim;
    c.t.code = SPAR_DTYPE_FLOAT;
    c.t.bits = 32;
    c.t.lanes = 1;
    c.t.shape = shape;
    return c;
  }
};

constexpr spar_str kKey = {"agent", 5};

}  // namespace

BOOST_AUTO_TEST_SUITE(parameter_store)

BOOST_AUTO_TEST_CASE(memory_of_snapshots_that_nobody_holds_is_used_again) {
  Store store;
  std::vector<const std::byte*> used;
  const auto publish = [&](float value) {
    return store.publish_into("a", [&](std::vector<Tensor>& tensors) {
      if (tensors.empty()) tensors = one(0);
      std::memcpy(tensors[0].data.data(), &value, sizeof value);
      used.push_back(tensors[0].data.data());
    });
  };
  for (uint64_t version = 1; version <= 4; ++version) {
    BOOST_TEST(publish(static_cast<float>(version)) == version);
    BOOST_TEST(first(*store.fetch("a")) == static_cast<float>(version));
  }
  BOOST_TEST((used[2] == used[0] && used[3] == used[1] && used[0] != used[1]));
  const auto held = store.fetch("a");  // of version 4: stays as it is for ever
  publish(5);
  publish(6);
  publish(7);
  BOOST_TEST(held->version == 4u);
  BOOST_TEST(first(*held) == 4.0F);
  BOOST_TEST(first(*store.fetch("a")) == 7.0F);
}

BOOST_AUTO_TEST_CASE(versions_count_from_one_for_each_key) {
  Store store;
  BOOST_TEST(store.version("a") == 0u);
  BOOST_TEST(!store.fetch("a"));
  BOOST_TEST(store.publish("a", one(1)) == 1u);
  BOOST_TEST(store.publish("a", one(2)) == 2u);
  BOOST_TEST(store.publish("b", one(3)) == 1u);
  BOOST_TEST(store.version("a") == 2u);
  BOOST_TEST(first(*store.fetch("a")) == 2.0F);
}

BOOST_AUTO_TEST_CASE(only_newer_versions_are_fetched) {
  Store store;
  store.publish("a", one(1));
  BOOST_TEST(!store.fetch("a", 1));
  store.publish("a", one(2));
  BOOST_TEST(store.fetch("a", 1)->version == 2u);
}

BOOST_AUTO_TEST_CASE(snapshot_does_not_change_while_it_is_held) {
  Store store;
  store.publish("a", one(1));
  const auto held = store.fetch("a");
  store.publish("a", one(2));
  BOOST_TEST(held->version == 1u);
  BOOST_TEST(first(*held) == 1.0F);
}

BOOST_AUTO_TEST_CASE(versions_go_on_after_a_restart) {
  Store store, other;
  store.publish("a", one(1));
  store.publish("a", one(2));
  store.publish("b", one(3));
  other.publish("c", one(4));  // forgotten: the saved state is all there is
  ByteWriter writer;
  store.save(writer);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "params");
  other.load(reader);
  reader.end();
  BOOST_TEST(other.version("c") == 0u);
  BOOST_TEST(first(*other.fetch("a")) == 2.0F);
  BOOST_TEST(other.fetch("a")->tensors[0].shape == (std::vector<int64_t>{2}), boost::test_tools::per_element());
  BOOST_TEST(other.publish("a", one(5)) == 3u);
  ByteWriter again;
  other.save(again);
  BOOST_TEST((again.take().size() == bytes.size()));
}

BOOST_AUTO_TEST_CASE(damaged_state_changes_nothing) {
  Store store;
  store.publish("a", one(1));
  ByteWriter writer;
  store.save(writer);
  auto bytes = writer.take();
  bytes.pop_back();
  ByteReader reader(bytes, "params");
  BOOST_CHECK_EXCEPTION(store.load(reader), Error, [](const Error& e) { return e.code() == "E0501"; });
  BOOST_TEST(store.version("a") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(parameter_service)

BOOST_AUTO_TEST_CASE(what_is_published_is_copied_and_what_is_fetched_is_lent) {
  Door door;
  float data[2] = {1, 2};
  int64_t shape[1] = {2};
  const spar_column column = door.column(data, shape, 1);
  uint64_t version = 0;
  BOOST_TEST(door.table.publish(&door.ctx, kKey, &column, 1, &version, &door.error) == SPAR_OK);
  BOOST_TEST(version == 1u);
  data[0] = 9;
  spar_snapshot snapshot{};
  snapshot.struct_size = sizeof snapshot;
  BOOST_TEST(door.table.fetch(&door.ctx, kKey, 0, &snapshot, &door.error) == SPAR_OK);
  BOOST_TEST(door.table.publish(&door.ctx, kKey, &column, 1, nullptr, &door.error) == SPAR_OK);
  BOOST_REQUIRE(snapshot.n == 1u);
  BOOST_TEST(snapshot.version == 1u);
  BOOST_TEST(static_cast<const float*>(snapshot.tensors[0].t.data)[0] == 1.0F);
  BOOST_TEST(snapshot.tensors[0].t.shape[0] == 2);
  door.table.release(&door.ctx, &snapshot);
  BOOST_TEST(snapshot.token == nullptr);
  door.table.release(&door.ctx, &snapshot);  // twice is once
}

BOOST_AUTO_TEST_CASE(nothing_newer_is_not_ready) {
  Door door;
  spar_snapshot snapshot{};
  snapshot.struct_size = sizeof snapshot;
  BOOST_TEST(door.table.fetch(&door.ctx, kKey, 0, &snapshot, &door.error) == SPAR_E_NOTREADY);
  BOOST_TEST(std::string(door.error.message) == "no newer version");
  door.store.publish("agent", one(1));
  BOOST_TEST(door.table.fetch(&door.ctx, kKey, 1, &snapshot, &door.error) == SPAR_E_NOTREADY);
}

BOOST_AUTO_TEST_CASE(tensors_that_cannot_be_copied_are_refused) {
  Door door;
  const float data[2] = {1, 2};
  int64_t shape[1] = {2}, strides[1] = {2};
  spar_column column = door.column(data, shape, 1);
  column.t.strides = strides;
  BOOST_TEST(door.table.publish(&door.ctx, kKey, &column, 1, nullptr, &door.error) == SPAR_E_INVALID);
  BOOST_TEST(std::string(door.error.message) == "tensors to publish must be compact and on the CPU");
  column.t.strides = nullptr;
  column.t.device_type = SPAR_DEVICE_CUDA;
  BOOST_TEST(door.table.publish(&door.ctx, kKey, &column, 1, nullptr, &door.error) == SPAR_E_INVALID);
  BOOST_TEST(door.store.version("agent") == 0u);
}

BOOST_AUTO_TEST_CASE(instance_without_a_store_is_told_so) {
  Door door;
  door.ctx.params = nullptr;
  spar_snapshot snapshot{};
  snapshot.struct_size = sizeof snapshot;
  BOOST_TEST(door.table.fetch(&door.ctx, kKey, 0, &snapshot, &door.error) == SPAR_E_UNSUPPORTED);
  BOOST_TEST(door.table.publish(&door.ctx, kKey, nullptr, 0, nullptr, &door.error) == SPAR_E_UNSUPPORTED);
  BOOST_TEST(std::string(door.error.message) == "this instance has no parameter store");
}

BOOST_AUTO_TEST_SUITE_END()

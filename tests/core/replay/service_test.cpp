#include "core/replay/service.hpp"

#include "core/plugin/context.hpp"
#include "core/replay/fixture.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

namespace {

struct Instance {
  explicit Instance(uint32_t kind) : buffer(small_spec(kind, 10), Philox(1, "replay")) {
    ctx.buffer = &buffer;
    error.struct_size = sizeof error;
    batch.struct_size = sizeof batch;
    query.struct_size = sizeof query;
    query.n = 4;
    query.beta = 0.5;
  }
  std::string message() const { return error.message; }

  Buffer buffer;
  spar_ctx ctx;
  spar_error error{};
  spar_batch batch{};
  spar_query query{};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(buffer_service_table)

BOOST_AUTO_TEST_CASE(plugin_samples_reports_priorities_and_releases) {
  Instance it(SPAR_BUF_PRIORITIZED);
  append_counting(it.buffer, 0, 10);
  const spar_svc_buffer& service = buffer_service();
  BOOST_TEST(service.struct_size == sizeof(spar_svc_buffer));
  BOOST_TEST(service.size(&it.ctx) == 10u);
  BOOST_TEST(service.sample(&it.ctx, &it.query, &it.batch, &it.error) == SPAR_OK);
  BOOST_TEST(it.batch.rows == 4u);
  const float p[] = {1, 2, 3, 4};
  BOOST_TEST(service.set_priority(&it.ctx, it.batch.index, p, 4, &it.error) == SPAR_OK);
  service.release(&it.ctx, &it.batch);
  BOOST_TEST((it.batch.token == nullptr));
  service.release(&it.ctx, &it.batch);  // twice: ignored
}

BOOST_AUTO_TEST_CASE(samples_do_not_draw_from_the_stream_of_the_instance) {
  Instance it(SPAR_BUF_PRIORITIZED);
  append_counting(it.buffer, 0, 10);
  it.ctx.random = Philox(5, "instance");
  buffer_service().sample(&it.ctx, &it.query, &it.batch, &it.error);
  BOOST_TEST(it.ctx.random.bits() == Philox(5, "instance").bits());
}

BOOST_AUTO_TEST_CASE(instance_without_memory_is_told_so) {
  Instance it(SPAR_BUF_REPLAY);
  it.ctx.buffer = nullptr;
  BOOST_TEST(buffer_service().size(&it.ctx) == 0u);
  BOOST_TEST(buffer_service().sample(&it.ctx, &it.query, &it.batch, &it.error) == SPAR_E_UNSUPPORTED);
  BOOST_TEST(it.message().find("buffer_kind") != std::string::npos);
  BOOST_TEST(it.error.code == SPAR_E_UNSUPPORTED);
}

BOOST_AUTO_TEST_CASE(empty_memory_is_not_ready) {
  Instance it(SPAR_BUF_REPLAY);
  BOOST_TEST(buffer_service().sample(&it.ctx, &it.query, &it.batch, &it.error) == SPAR_E_NOTREADY);
  BOOST_TEST(it.message().find("rows_per_learn") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(errors_cross_as_status_and_sentence_with_remedy) {
  Instance it(SPAR_BUF_PRIORITIZED);
  append_counting(it.buffer, 0, 10);
  const spar_svc_buffer& service = buffer_service();
  const uint64_t index = 0;
  const float p = -1;
  BOOST_TEST(service.set_priority(&it.ctx, &index, &p, 1, &it.error) == SPAR_E_INVALID);
  BOOST_TEST(it.message().find("p[0] is -1") != std::string::npos);
  BOOST_TEST(it.message().find("; pass the absolute error") != std::string::npos);
  BOOST_TEST(service.set_priority(&it.ctx, &index, &p, 1, nullptr) == SPAR_E_INVALID);
  BOOST_TEST(service.set_priority(&it.ctx, nullptr, &p, 1, &it.error) == SPAR_E_INVALID);
  it.query.n = UINT64_MAX / 4;
  BOOST_TEST(service.sample(&it.ctx, &it.query, &it.batch, &it.error) == SPAR_E_NOMEM);
  it.query.n = 0;
  BOOST_TEST(service.sample(&it.ctx, &it.query, &it.batch, &it.error) == SPAR_E_INVALID);
}

BOOST_AUTO_TEST_CASE(structs_without_their_size_are_refused) {
  Instance it(SPAR_BUF_REPLAY);
  append_counting(it.buffer, 0, 10);
  const spar_svc_buffer& service = buffer_service();
  BOOST_TEST(service.sample(&it.ctx, nullptr, &it.batch, &it.error) == SPAR_E_INVALID);
  BOOST_TEST(service.sample(&it.ctx, &it.query, nullptr, &it.error) == SPAR_E_INVALID);
  it.batch.struct_size = 0;
  BOOST_TEST(service.sample(&it.ctx, &it.query, &it.batch, &it.error) == SPAR_E_INVALID);
  it.batch.struct_size = sizeof it.batch;
  it.query.struct_size = SPAR_END(spar_query, n);  // older than beta
  BOOST_TEST(service.sample(&it.ctx, &it.query, &it.batch, &it.error) == SPAR_OK);
  service.release(&it.ctx, &it.batch);
}

BOOST_AUTO_TEST_SUITE_END()

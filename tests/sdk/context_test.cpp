#include "spar/context.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <functional>

using namespace spar;

namespace {

const void* no_service(const spar_host*, const char*) { return nullptr; }

/// What the fake table of one host saw; the context's handle points here.
struct Log {
  uint64_t asked = 0;
  double beta = 0;
  int released = 0;
  std::vector<float> priorities;
  const uint64_t* index = nullptr;
  bool refuse = false;
};
Log& log_of(spar_ctx* ctx) { return *reinterpret_cast<Log*>(ctx); }

const uint64_t kIndex[] = {7, 8, 9};

uint64_t size_of_table(spar_ctx*) { return 123; }
spar_status sample(spar_ctx* ctx, const spar_query* query, spar_batch* out, spar_error* error) {
  Log& log = log_of(ctx);
  if (log.refuse) return report(error, SPAR_E_NOTREADY, "the table holds 2 of 3 rows");
  log.asked = query->n;
  log.beta = query->beta;
  out->rows = 3;
  out->index = kIndex;
  return SPAR_OK;
}
void release(spar_ctx* ctx, spar_batch*) { ++log_of(ctx).released; }
spar_status set_priority(spar_ctx* ctx, const uint64_t* index, const float* p, uint64_t n, spar_error* error) {
  Log& log = log_of(ctx);
  if (log.refuse) return report(error, SPAR_E_INVALID, "an error is NaN");
  log.index = index;
  log.priorities.assign(p, p + n);
  return SPAR_OK;
}
const spar_svc_buffer kBuffer = {sizeof(spar_svc_buffer), 0, size_of_table, sample, release, set_priority};

const void* only_a_buffer(const spar_host*, const char* id) {
  return std::strcmp(id, SPAR_SVC_BUFFER) == 0 ? &kBuffer : nullptr;
}

spar_host host_with(const void* (*get_service)(const spar_host*, const char*)) {
  return {sizeof(spar_host), SPAR_ABI_VERSION, "test", "1", get_service};
}

struct Instance {
  spar_host host = host_with(only_a_buffer);
  Log log;
  Context ctx{&host, reinterpret_cast<spar_ctx*>(&log)};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(context_of_an_instance)

BOOST_AUTO_TEST_CASE(service_that_the_host_lacks_is_an_error_that_names_it) {
  const spar_host empty = host_with(no_service), table_less = host_with(nullptr);
  for (const spar_host* host : {&empty, &table_less, static_cast<const spar_host*>(nullptr)}) {
    const Context ctx(host, nullptr);
    const std::pair<const char*, std::function<void()>> uses[] = {{SPAR_SVC_RNG, [&] { ctx.bits(); }},
                                                                  {SPAR_SVC_RNG, [&] { ctx.uniform(); }},
                                                                  {SPAR_SVC_RNG, [&] { ctx.normal(); }},
                                                                  {SPAR_SVC_RNG, [&] { ctx.below(3); }},
                                                                  {SPAR_SVC_RNG, [&] { ctx.seed_for("weights"); }},
                                                                  {SPAR_SVC_BUFFER, [&] { ctx.buffer_size(); }},
                                                                  {SPAR_SVC_BUFFER, [&] { ctx.sample(3); }},
                                                                  {SPAR_SVC_EXEC, [&] { ctx.progress(); }},
                                                                  {SPAR_SVC_NN, [&] { ctx.nn(); }},
                                                                  {SPAR_SVC_PARAMS, [&] { ctx.params(); }}};
    for (const auto& [id, use] : uses) {
      const std::string expected = std::string("this host does not offer the service ") + id;
      BOOST_CHECK_EXCEPTION(use(), StatusError, [&](const StatusError& error) {
        return error.code == SPAR_E_UNSUPPORTED && error.what() == expected;
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(what_a_plugin_can_do_without_does_nothing) {
  const spar_host empty = host_with(no_service);
  const Context ctx(&empty, nullptr);
  BOOST_CHECK_NO_THROW(ctx.log(SPAR_LOG_INFO, "nobody hears"));
  BOOST_CHECK_NO_THROW(ctx.metric("loss").record(1, 2.0));
  BOOST_CHECK_NO_THROW(Metric().record(1, 2.0));
  BOOST_TEST(!ctx.cancelled());
  BOOST_TEST(ctx.threads() == 1u);
}

BOOST_FIXTURE_TEST_CASE(sample_is_returned_when_it_leaves_scope, Instance) {
  BOOST_TEST(ctx.buffer_size() == 123u);
  {
    const Sample batch = ctx.sample(3, 0.5);
    BOOST_TEST(log.asked == 3u);
    BOOST_TEST(log.beta == 0.5);
    BOOST_TEST(batch.rows() == 3u);
    BOOST_TEST(batch.weight(2) == 1.0F);  // a uniform table gives no weights
    BOOST_TEST(log.released == 0);
  }
  BOOST_TEST(log.released == 1);
}

BOOST_FIXTURE_TEST_CASE(sample_is_returned_when_an_exception_passes, Instance) {
  BOOST_CHECK_THROW(
      {
        const Sample batch = ctx.sample(3);
        batch.column<float>("obs");
      },
      StatusError);
  BOOST_TEST(log.released == 1);
}

BOOST_FIXTURE_TEST_CASE(refused_sample_is_not_returned_and_keeps_the_words_of_the_host, Instance) {
  log.refuse = true;
  BOOST_CHECK_EXCEPTION(ctx.sample(3), StatusError, [](const StatusError& error) {
    return error.code == SPAR_E_NOTREADY && error.what() == std::string("the table holds 2 of 3 rows");
  });
  BOOST_TEST(log.released == 0);
}

BOOST_FIXTURE_TEST_CASE(priorities_go_back_with_the_stamps_of_their_rows, Instance) {
  const std::vector<float> errors = {0.5F, 0.0F, 2.0F};
  const Sample batch = ctx.sample(3);
  batch.set_priorities(errors.data());
  BOOST_TEST(log.index == &kIndex[0]);
  BOOST_TEST(log.priorities == errors, boost::test_tools::per_element());
  log.refuse = true;
  BOOST_CHECK_THROW(batch.set_priorities(errors.data()), StatusError);
}

BOOST_AUTO_TEST_SUITE_END()

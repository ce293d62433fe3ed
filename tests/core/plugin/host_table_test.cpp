#include "core/plugin/host_table.hpp"

#include <boost/test/unit_test.hpp>

#include "core/plugin/context.hpp"

using namespace spar;
using namespace spar::plugin;

namespace {
spar_str text(std::string_view value) { return {value.data(), value.size()}; }
}  // namespace

BOOST_AUTO_TEST_SUITE(host_table)

BOOST_AUTO_TEST_CASE(services_are_found_by_their_id) {
  HostTable table;
  const int metrics = 7;
  table.offer(SPAR_SVC_METRICS, &metrics);
  const spar_host* host = table.host();
  BOOST_TEST(host->struct_size == sizeof(spar_host));
  BOOST_TEST(host->abi_version == SPAR_ABI_VERSION);
  BOOST_TEST(std::string(host->name) == "spar");
  BOOST_TEST(host->get_service(host, SPAR_SVC_METRICS) == &metrics);
  BOOST_TEST(host->get_service(host, SPAR_SVC_LOG) == &log_service());
  BOOST_TEST(host->get_service(host, SPAR_SVC_RNG) == &rng_service());
  BOOST_TEST(host->get_service(host, "spar.nn/1") == nullptr);
  BOOST_TEST(host->get_service(host, nullptr) == nullptr);
  BOOST_TEST(table.services() == (std::vector<std::string>{"spar.log/1", "spar.metrics/1", "spar.rng/1"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(log_lines_carry_scope_and_level_but_no_control_characters) {
  std::vector<std::string> lines;
  const LogSink sink = [&](std::string_view scope, uint32_t level, std::string_view line) {
    lines.push_back(std::string(scope) + "|" + std::to_string(level) + "|" + std::string(line));
  };
  spar_ctx ctx;
  ctx.name = "algorithm/\nagent_0";
  ctx.log = &sink;
  log_service().write(&ctx, SPAR_LOG_WARN, text("\x1b[2Jall is well\r\n"));
  log_service().write(&ctx, 99, {nullptr, 12});
  BOOST_TEST(lines == (std::vector<std::string>{"algorithm/agent_0|3|[2Jall is well", "algorithm/agent_0|4|"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(log_sink_that_throws_does_not_reach_the_plugin) {
  const LogSink sink = [](std::string_view, uint32_t, std::string_view) { throw std::runtime_error("disk full"); };
  spar_ctx ctx;
  ctx.log = &sink;
  BOOST_CHECK_NO_THROW(log_service().write(&ctx, SPAR_LOG_INFO, text("x")));
}

BOOST_AUTO_TEST_CASE(random_numbers_are_those_of_the_instance) {
  spar_ctx ctx;
  ctx.random = Philox(7, "algorithm/agent_0");
  Philox expected(7, "algorithm/agent_0");
  const auto& rng = rng_service();
  uint64_t bits[3];
  double uniform[5], normal[3];
  rng.bits(&ctx, bits, 3);
  rng.uniform(&ctx, uniform, 5);
  rng.normal(&ctx, normal, 3);
  for (const uint64_t value : bits) BOOST_TEST(value == expected.bits());
  for (const double value : uniform) BOOST_TEST(value == expected.uniform());
  for (const double value : normal) BOOST_TEST(value == expected.normal());
  const auto before = ctx.random.state();
  BOOST_TEST(rng.seed_for(&ctx, text("torch")) == expected.seed_for("torch"));
  BOOST_TEST(ctx.random.state().block == before.block);
}

BOOST_AUTO_TEST_SUITE_END()

#include "core/replay/spec.hpp"

#include <limits>

#include "core/replay/fixture.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(memory_spec)

BOOST_AUTO_TEST_CASE(impossible_specifications_are_refused) {
  const auto refused = [](auto change, const char* words) {
    BufferSpec spec = small_spec(SPAR_BUF_PRIORITIZED, 10);
    change(spec);
    BOOST_CHECK_EXCEPTION(Buffer(spec, Philox()), Error, error_with("E0801", words));
  };
  refused([](BufferSpec& s) { s.kind = SPAR_BUF_NONE; }, "kind 0");
  refused([](BufferSpec& s) { s.kind = 99; }, "kind 99");
  refused([](BufferSpec& s) { s.capacity = 0; }, "capacity is 0");
  refused([](BufferSpec& s) { s.lanes = 0; }, "no environment copy");
  refused([](BufferSpec& s) { s.n_step = 0; }, "n_step is 0");
  refused([](BufferSpec& s) { s.gamma = 1.5; }, "gamma is 1.5");
  refused([](BufferSpec& s) { s.gamma = std::numeric_limits<double>::quiet_NaN(); }, "gamma is nan");
  refused([](BufferSpec& s) { s.alpha = -1; }, "alpha is -1");
  refused([](BufferSpec& s) { s.eps = 0; }, "eps is 0");
  refused([](BufferSpec& s) { s.eps = std::numeric_limits<double>::infinity(); }, "eps is inf");
  refused([](BufferSpec& s) { s.observed.clear(); }, "no observation column");
  refused([](BufferSpec& s) { s.acted[0].name = ""; }, "no name");
  refused([](BufferSpec& s) { s.acted[0].name = "next_obs"; }, "two columns are called `next_obs`");
  refused([](BufferSpec& s) { s.acted[0].name = "reward"; }, "two columns are called `reward`");
  refused([](BufferSpec& s) { s.acted[0].bits = 4; }, "4 bits");
  refused([](BufferSpec& s) { s.acted[0].shape = {3, 0}; }, "int64 [3, 0]");
  refused([](BufferSpec& s) { s.acted[0].shape = {INT64_MAX, 2}; }, "does not fit into memory");
}

BOOST_AUTO_TEST_CASE(memory_that_is_not_there_is_an_error_with_its_size) {
  for (const uint32_t kind : {SPAR_BUF_REPLAY, SPAR_BUF_ROLLOUT})
    for (const uint64_t capacity : {uint64_t{1} << 50, uint64_t{1} << 60})
      BOOST_CHECK_EXCEPTION(Buffer(small_spec(kind, capacity), Philox()), Error,
                            error_with("E0801", "transitions of 64 bytes need more memory"));
}

BOOST_AUTO_TEST_CASE(spaces_become_columns) {
  spar_space image{}, speed{}, choice{}, inner{}, outer{};
  const int64_t pixels[] = {84, 84, 4}, three[] = {3};
  image.kind = speed.kind = SPAR_SPACE_BOX;
  image.code = SPAR_DTYPE_UINT;
  image.bits = 8;
  image.ndim = 3;
  image.shape = pixels;
  speed.code = SPAR_DTYPE_FLOAT;
  speed.bits = 32;
  speed.ndim = 1;
  speed.shape = three;
  choice.kind = SPAR_SPACE_DISCRETE;
  choice.code = SPAR_DTYPE_INT;
  choice.bits = 64;
  choice.n = 5;
  const char *inner_keys[] = {"speed", "choice"}, *outer_keys[] = {"image", "rest"};
  const spar_space *inner_children[] = {&speed, &choice}, *outer_children[] = {&image, &inner};
  inner.kind = outer.kind = SPAR_SPACE_DICT;
  inner.n_children = outer.n_children = 2;
  inner.keys = inner_keys;
  inner.children = inner_children;
  outer.keys = outer_keys;
  outer.children = outer_children;

  spar_agent_spec agent{};
  const char* filled[] = {"metric.x", "action_mask"};
  agent.obs = &outer;
  agent.act = &choice;
  agent.n_columns = 2;
  agent.columns = filled;
  spar_column_spec logp{};
  logp.name = "logp";
  logp.code = SPAR_DTYPE_FLOAT;
  logp.bits = 32;
  const spar_column_spec* extra[] = {&logp};
  spar_needs needs{};
  needs.buffer_kind = SPAR_BUF_REPLAY;
  needs.capacity = 100;
  needs.gamma = 0.95;
  needs.n_extra = 1;
  needs.extra = extra;

  const BufferSpec spec = buffer_spec(needs, agent, 7);
  std::string text;
  for (const auto& [what, value] : describe(spec)) text += what + "=" + value + "; ";
  BOOST_TEST(text ==
             "kind=replay; lanes=7; capacity=100; n_step=1; gamma=0.95; column obs/image=uint8 [84, 84, 4]; "
             "column obs/rest/speed=float32 [3]; column obs/rest/choice=int64 []; column action_mask=uint8 [5]; "
             "column action=int64 []; column logp=float32 []; ");
  BOOST_TEST(spec.observed[0].bytes() == 84u * 84 * 4);
}

BOOST_AUTO_TEST_CASE(actions_of_every_space_have_their_column) {
  const int64_t two[] = {2}, sizes[] = {3, 4};
  spar_space space{};
  space.ndim = 1;
  space.shape = two;
  space.kind = SPAR_SPACE_BOX;
  BOOST_TEST(action_column(space).type() == "float32 [2]");
  space.kind = SPAR_SPACE_MULTI_DISCRETE;
  space.nvec = sizes;
  BOOST_TEST(action_column(space).type() == "int64 [2]");
  space.kind = SPAR_SPACE_MULTI_BINARY;
  BOOST_TEST(action_column(space).type() == "uint8 [2]");
  space.kind = SPAR_SPACE_DICT;
  BOOST_CHECK_EXCEPTION(action_column(space), Error, error_with("E0801", "no single column"));
}

BOOST_AUTO_TEST_SUITE_END()

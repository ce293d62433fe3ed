#include "spar/batch.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace spar;

namespace {

/// Two rows: "obs" f32 [2, 2, 3], "action" i64 [2], "terminated" u8 [2].
struct Columns {
  std::vector<float> obs = {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15};
  std::vector<int64_t> action = {4, 5};
  std::vector<uint8_t> terminated = {0, 1};
  int64_t obs_shape[3] = {2, 2, 3}, row_shape[1] = {2};
  std::vector<spar_column> columns = {{str("obs"), tensor(obs.data(), 3, obs_shape, SPAR_DTYPE_FLOAT, 32)},
                                      {str("action"), tensor(action.data(), 1, row_shape, SPAR_DTYPE_INT, 64)},
                                      {str("terminated"), tensor(terminated.data(), 1, row_shape, SPAR_DTYPE_UINT, 8)}};

  static spar_tensor tensor(void* data, int32_t ndim, int64_t* shape, uint8_t code, uint8_t bits) {
    return {data, SPAR_DEVICE_CPU, 0, ndim, code, bits, 1, shape, nullptr, 0};
  }
  spar_batch batch() {
    spar_batch out{};
    out.struct_size = sizeof out;
    out.rows = 2;
    out.n_columns = static_cast<uint32_t>(columns.size());
    out.columns = columns.data();
    return out;
  }
};

auto invalid(const std::string& text) {
  return [text](const StatusError& error) { return error.code == SPAR_E_INVALID && error.what() == text; };
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(batch_columns, Columns)

BOOST_AUTO_TEST_CASE(column_is_a_matrix_of_its_rows) {
  const Matrix<float> m = column<float>(batch(), "obs");
  BOOST_TEST(m.rows == 2u);
  BOOST_TEST(m.width == 6u);
  BOOST_TEST(m(0, 5) == 5.0F);
  BOOST_TEST(m.row(1)[2] == 12.0F);
  const Matrix<int64_t> a = column<int64_t>(batch(), "action");
  BOOST_TEST(a.width == 1u);
  a(1) = 9;
  BOOST_TEST(action[1] == 9);
}

BOOST_AUTO_TEST_CASE(byte_offset_is_heeded) {
  columns[0].t.byte_offset = 2 * sizeof(float);
  BOOST_TEST(column<float>(batch(), "obs")(0) == 2.0F);
}

BOOST_AUTO_TEST_CASE(wrong_element_type_is_refused_with_both_names) {
  BOOST_CHECK_EXCEPTION(column<double>(batch(), "obs"), StatusError,
                        invalid("column `obs` is f32, expected a compact CPU column of f64"));
  BOOST_CHECK_EXCEPTION(column<float>(batch(), "action"), StatusError,
                        invalid("column `action` is i64, expected a compact CPU column of f32"));
  BOOST_CHECK_EXCEPTION(column<uint64_t>(batch(), "action"), StatusError,
                        invalid("column `action` is i64, expected a compact CPU column of u64"));
  BOOST_CHECK_EXCEPTION(optional_column<int8_t>(batch(), "terminated"), StatusError,
                        invalid("column `terminated` is u8, expected a compact CPU column of i8"));
}

BOOST_AUTO_TEST_CASE(strided_column_and_column_of_another_device_are_refused) {
  int64_t strides[] = {12, 6, 1};
  columns[0].t.strides = strides;
  BOOST_CHECK_THROW(column<float>(batch(), "obs"), StatusError);
  columns[0].t.strides = nullptr;
  columns[0].t.device_type = SPAR_DEVICE_CUDA;
  BOOST_CHECK_THROW(column<float>(batch(), "obs"), StatusError);
}

BOOST_AUTO_TEST_CASE(missing_column_is_refused_or_empty) {
  BOOST_CHECK_EXCEPTION(column<float>(batch(), "weight"), StatusError, invalid("the batch has no column `weight`"));
  BOOST_CHECK_THROW(column<float>(batch(), "ob"), StatusError);  // a prefix is another name
  const Matrix<float> none = optional_column<float>(batch(), "weight");
  BOOST_TEST(!none.data);
  BOOST_TEST(none.rows == 2u);
  BOOST_TEST(none.width == 0u);
  BOOST_TEST(optional_column<float>(batch(), "obs").data == obs.data());
}

BOOST_AUTO_TEST_CASE(element_types_have_short_names) {
  BOOST_TEST(dtype_name(SPAR_DTYPE_FLOAT, 32) == "f32");
  BOOST_TEST(dtype_name(SPAR_DTYPE_UINT, 8) == "u8");
  BOOST_TEST(dtype_name(SPAR_DTYPE_INT, 64) == "i64");
  BOOST_TEST(dtype_name(SPAR_DTYPE_BFLOAT, 16) == "bf16");
  BOOST_TEST(dtype_name(SPAR_DTYPE_BOOL, 8) == "bool");
  BOOST_TEST(dtype_name(77, 8) == "element type 77");
}

BOOST_AUTO_TEST_CASE(spaces_have_names_and_widths) {
  int64_t shape[] = {84, 84, 3};
  spar_space space{};
  space.kind = SPAR_SPACE_BOX;
  space.ndim = 3;
  space.shape = shape;
  BOOST_TEST(space_name(space) == "Box(84x84x3)");
  BOOST_TEST(space_width(space) == 84 * 84 * 3);
  space.kind = SPAR_SPACE_MULTI_BINARY;
  BOOST_TEST(space_name(space) == "MultiBinary(84x84x3)");
  space.kind = SPAR_SPACE_DISCRETE;
  space.n = 4;
  BOOST_TEST(space_name(space) == "Discrete(4)");
  BOOST_TEST(space_width(space) == 1);
  space.kind = SPAR_SPACE_DICT;
  space.n_children = 2;
  BOOST_TEST(space_name(space) == "Dict of 2");
  space.kind = 99;
  BOOST_TEST(space_name(space) == "space of kind 99");
}

BOOST_AUTO_TEST_SUITE_END()

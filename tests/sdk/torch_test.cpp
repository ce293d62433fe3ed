#include "spar/torch.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(torch_views)

using spar::Matrix;
using spar::StatusError;

BOOST_AUTO_TEST_CASE(matrix_is_seen_without_a_copy) {
  std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  const torch::Tensor seen = spar::view(Matrix<float>{numbers.data(), 2, 3});
  BOOST_TEST(seen.data_ptr() == static_cast<void*>(numbers.data()));
  BOOST_CHECK(seen.sizes() == torch::IntArrayRef({2, 3}));
  BOOST_TEST(seen.sum(1)[1].item<float>() == 15.0F);
  seen.mul_(2);
  BOOST_TEST(numbers[5] == 12.0F);

  std::vector<int64_t> actions = {7, 8};
  const torch::Tensor chosen = spar::view(Matrix<int64_t>{actions.data(), 2, 1});
  BOOST_CHECK(chosen.scalar_type() == torch::kInt64);
  BOOST_TEST(chosen[1][0].item<int64_t>() == 8);
  std::vector<uint8_t> flags = {0, 1};
  BOOST_CHECK(spar::view(Matrix<uint8_t>{flags.data(), 2, 1}).scalar_type() == torch::kUInt8);
}

BOOST_AUTO_TEST_CASE(tensor_of_the_contract_keeps_shape_offset_and_strides) {
  std::vector<double> numbers = {0, 1, 2, 3, 4, 5, 6};
  int64_t shape[] = {3, 2}, strides[] = {1, 3};
  spar_tensor tensor{numbers.data(), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_FLOAT, 64, 1, shape, nullptr, sizeof(double)};
  BOOST_TEST(spar::view(tensor)[1][0].item<double>() == 3.0);
  tensor.strides = strides;
  BOOST_TEST(spar::view(tensor)[1][1].item<double>() == 5.0);
  BOOST_TEST(spar::view(tensor).data_ptr() == static_cast<void*>(numbers.data() + 1));
}

BOOST_AUTO_TEST_CASE(torch_tensor_goes_back_on_the_same_memory) {
  for (const auto dtype : {torch::kFloat16, torch::kFloat32, torch::kFloat64, torch::kBFloat16, torch::kInt8,
                           torch::kInt16, torch::kInt32, torch::kInt64, torch::kUInt8, torch::kBool}) {
    const torch::Tensor tensor = torch::ones({2, 3, 4}, dtype);
    const spar_tensor given = spar::view(tensor);
    BOOST_TEST(given.data == tensor.data_ptr());
    BOOST_TEST(given.ndim == 3);
    BOOST_TEST(given.shape[2] == 4);
    BOOST_TEST(!given.strides);
    const torch::Tensor back = spar::view(given);
    BOOST_CHECK(back.scalar_type() == dtype);
    BOOST_CHECK(torch::equal(back, tensor));
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_viewed_is_refused) {
  const torch::Tensor tensor = torch::zeros({3, 2});
  const auto status = [](spar_status code) { return [code](const StatusError& error) { return error.code == code; }; };
  BOOST_CHECK_EXCEPTION(spar::view(tensor.t()), StatusError, status(SPAR_E_INVALID));
  BOOST_CHECK_EXCEPTION(spar::view(torch::Tensor()), StatusError, status(SPAR_E_INVALID));
  BOOST_CHECK_EXCEPTION(spar::view(torch::zeros({2}, torch::kComplexFloat)), StatusError, status(SPAR_E_UNSUPPORTED));
  spar_tensor given = spar::view(tensor);
  given.device_type = SPAR_DEVICE_CUDA;
  BOOST_CHECK_EXCEPTION(spar::view(given), StatusError, status(SPAR_E_UNSUPPORTED));
  given = spar::view(tensor);
  given.code = SPAR_DTYPE_UINT;
  BOOST_CHECK_EXCEPTION(spar::view(given), StatusError, [](const StatusError& error) {
    return error.code == SPAR_E_UNSUPPORTED && error.what() == std::string("LibTorch has no element type for u32");
  });
}

BOOST_AUTO_TEST_SUITE_END()

#include "spar/barrier.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>

using namespace spar;

namespace {

/// An error of the caller with bytes around it that nobody may touch.
struct Guarded {
  unsigned char before[8];
  spar_error error;
  unsigned char after[8];

  Guarded() {
    std::memset(before, 0xA5, sizeof before);
    std::memset(after, 0xA5, sizeof after);
    error = fresh_error();
  }
  bool intact() const {
    for (const unsigned char byte : before) {
      if (byte != 0xA5) return false;
    }
    for (const unsigned char byte : after) {
      if (byte != 0xA5) return false;
    }
    return true;
  }
};

template <class Exception>
void check_thrown(const Exception& exception, spar_status status, const std::string& message) {
  spar_error error = fresh_error();
  BOOST_TEST(barrier(&error, [&] { throw exception; }) == status);
  BOOST_TEST(error.code == status);
  BOOST_TEST(error.message == message);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(barrier_of_exceptions)

BOOST_AUTO_TEST_CASE(each_kind_of_exception_has_its_status_and_keeps_its_message) {
  check_thrown(StatusError(SPAR_E_NOTREADY, "nothing newer"), SPAR_E_NOTREADY, "nothing newer");
  check_thrown(StatusError(-1234, "a status of tomorrow"), -1234, "a status of tomorrow");
  check_thrown(std::bad_alloc(), SPAR_E_NOMEM, "out of memory");
  check_thrown(std::invalid_argument("n must be 3"), SPAR_E_INVALID, "n must be 3");
  check_thrown(std::out_of_range("row 7 of 5"), SPAR_E_INTERNAL, "row 7 of 5");
  check_thrown(std::runtime_error("disk gone"), SPAR_E_INTERNAL, "disk gone");
  check_thrown(7, SPAR_E_INTERNAL, "an exception that is not a std::exception");
}

BOOST_AUTO_TEST_CASE(success_leaves_the_error_alone) {
  Guarded guarded;
  BOOST_TEST(barrier(&guarded.error, [] {}) == SPAR_OK);
  BOOST_TEST(guarded.error.code == SPAR_OK);
  BOOST_TEST(guarded.error.message == "");
  BOOST_TEST(guarded.intact());
}

BOOST_AUTO_TEST_CASE(long_message_is_cut_to_the_field) {
  Guarded guarded;
  const std::string text(2000, 'x');
  BOOST_TEST(barrier(&guarded.error, [&] { throw StatusError(SPAR_E_IO, text); }) == SPAR_E_IO);
  BOOST_TEST(guarded.error.message == text.substr(0, sizeof guarded.error.message - 1));
  BOOST_TEST(guarded.intact());
}

BOOST_AUTO_TEST_CASE(message_with_percent_signs_is_no_format) {
  spar_error error = fresh_error();
  barrier(&error, [] { throw StatusError(SPAR_E_IO, "100%s full %n"); });
  BOOST_TEST(error.message == "100%s full %n");
}

BOOST_AUTO_TEST_CASE(caller_without_an_error_still_gets_the_status) {
  BOOST_TEST(barrier(nullptr, [] { throw StatusError(SPAR_E_STATE, "unseen"); }) == SPAR_E_STATE);
}

BOOST_AUTO_TEST_CASE(error_that_is_too_small_is_not_written) {
  spar_error error;
  std::memset(&error, 0x5A, sizeof error);
  error.struct_size = 8;
  spar_error before = error;
  BOOST_TEST(barrier(&error, [] { throw StatusError(SPAR_E_STATE, "unseen"); }) == SPAR_E_STATE);
  BOOST_TEST(std::memcmp(&error, &before, sizeof error) == 0);
}

BOOST_AUTO_TEST_CASE(failure_of_the_other_side_is_thrown_with_its_words) {
  spar_error error = fresh_error();
  BOOST_CHECK_NO_THROW(check(SPAR_OK, error));
  BOOST_CHECK_NO_THROW(check(1, error));  // positive: information
  BOOST_CHECK_EXCEPTION(check(SPAR_E_IO, error), StatusError, [](const StatusError& e) {
    return e.code == SPAR_E_IO && e.what() == std::string("failed without a message");
  });
  report(&error, SPAR_E_NOTREADY, "wait for version 3");
  BOOST_CHECK_EXCEPTION(check(SPAR_E_NOTREADY, error), StatusError, [](const StatusError& e) {
    return e.code == SPAR_E_NOTREADY && e.what() == std::string("wait for version 3");
  });
}

BOOST_AUTO_TEST_SUITE_END()

#define BOOST_TEST_MODULE spar
#include <boost/test/unit_test.hpp>

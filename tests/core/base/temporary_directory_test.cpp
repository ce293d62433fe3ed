#include "core/base/temporary_directory.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

using spar::TemporaryDirectory;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(temporary_directory)

BOOST_AUTO_TEST_CASE(each_is_another_for_its_user_alone_and_goes_with_its_files) {
  fs::path place;
  {
    const TemporaryDirectory one("spar-test"), other("spar-test");
    place = one.path();
    BOOST_TEST(place != other.path());
    BOOST_TEST(place.filename().string().starts_with("spar-test-"));
    BOOST_TEST((fs::status(place).permissions() == fs::perms::owner_all));
    std::ofstream(place / "file") << "x";
  }
  BOOST_TEST(!fs::exists(place));
}

BOOST_AUTO_TEST_SUITE_END()

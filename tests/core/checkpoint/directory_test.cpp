#include "core/checkpoint/directory.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "core/base/error.hpp"
#include "faulty_file_system.hpp"
#include "fixtures.hpp"
#include "memory_file_system.hpp"

using namespace spar;
using namespace spar::checkpoint;

namespace {

struct OnDisk {
  TemporaryDirectory temporary;
  PosixFileSystem files;
  Directory directory{files, temporary.path() / "seed-1" / "checkpoints"};
  OnDisk() { directory.prepare(); }

  void damage(const std::string& name, std::streamoff at = 300) const {
    std::fstream file(directory.path() / name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char changed = static_cast<char>(file.get() ^ 1);
    file.seekp(at);
    file.put(changed);
  }
  std::vector<std::string> names() {
    std::vector<std::string> found;
    files.list(directory.path(), found);
    std::sort(found.begin(), found.end());
    return found;
  }
};

using Names = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(checkpoint_directory, OnDisk)

BOOST_AUTO_TEST_CASE(files_are_named_by_step_with_nine_digits_or_more) {
  BOOST_TEST(directory.name(18'000) == "000018000.ckpt");
  BOOST_TEST(directory.name(0) == "000000000.ckpt");
  BOOST_TEST(directory.name(123'456'789'012) == "123456789012.ckpt");
  for (const uint64_t step : {uint64_t{0}, uint64_t{999'999'999}, uint64_t{1'000'000'000}, uint64_t{123'456'789'012}})
    BOOST_TEST(step_of(directory.name(step)).value() == step);
  for (const char* name : {"best.ckpt", ".000018000.ckpt.tmp", "18000.ckpt", "0000018000.ckpt", "00001800x.ckpt",
                           "000018000", "99999999999999999999999.ckpt", "-00018000.ckpt"})
    BOOST_TEST(!step_of(name).has_value(), name);
}

BOOST_AUTO_TEST_CASE(newest_is_read_back_as_written) {
  BOOST_TEST(directory.write(sample(1'000)) == directory.path() / "000001000.ckpt");
  directory.write(sample(2'000));
  const Loaded loaded = directory.newest_valid();
  BOOST_TEST(same(loaded.checkpoint, sample(2'000)));
  BOOST_TEST(loaded.file == directory.path() / "000002000.ckpt");
  BOOST_TEST(loaded.refused.empty());
}

BOOST_AUTO_TEST_CASE(only_the_last_ones_and_the_best_stay) {
  directory.write_best(sample(1'000));
  for (const uint64_t step : {1'000, 2'000, 3'000, 4'000}) directory.write(sample(step));
  BOOST_TEST(names() == (Names{"000003000.ckpt", "000004000.ckpt", "best.ckpt"}), boost::test_tools::per_element());
  BOOST_TEST(same(directory.best(), sample(1'000)));
  Directory one(files, directory.path(), 0);
  one.write(sample(5'000));
  BOOST_TEST(names() == (Names{"000005000.ckpt", "best.ckpt"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_step_written_again_replaces_the_first) {
  directory.write(sample(1'000));
  Checkpoint other = sample(1'000);
  other.manifest = "{}";
  directory.write(other);
  BOOST_TEST(same(directory.newest_valid().checkpoint, other));
}

BOOST_AUTO_TEST_CASE(an_older_one_is_used_when_the_newest_is_damaged_and_the_damage_is_told) {
  directory.write(sample(1'000));
  directory.write(sample(2'000));
  damage("000002000.ckpt");
  const Loaded loaded = directory.newest_valid();
  BOOST_TEST(same(loaded.checkpoint, sample(1'000)));
  BOOST_TEST_REQUIRE(loaded.refused.size() == 1u);
  BOOST_TEST(loaded.refused[0].file == (directory.path() / "000002000.ckpt").string());
  BOOST_TEST(loaded.refused[0].reason.find("section `networks`") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_damaged_newer_file_does_not_push_out_the_only_good_one) {
  Directory one(files, directory.path(), 1);
  one.write(sample(2'000));
  one.write(sample(3'000));
  damage("000003000.ckpt");
  one.write(sample(2'500));
  BOOST_TEST(names() == (Names{"000002500.ckpt", "000003000.ckpt"}), boost::test_tools::per_element());
  BOOST_TEST(same(one.newest_valid().checkpoint, sample(2'500)));
}

BOOST_AUTO_TEST_CASE(the_best_is_the_last_resort) {
  directory.write(sample(2'000));
  directory.write_best(sample(1'000));
  damage("000002000.ckpt", 70);
  const Loaded loaded = directory.newest_valid();
  BOOST_TEST(same(loaded.checkpoint, sample(1'000)));
  BOOST_TEST(loaded.refused.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_renamed_file_is_refused) {
  directory.write(sample(1'000));
  directory.write(sample(2'000));
  std::filesystem::rename(directory.path() / "000001000.ckpt", directory.path() / "000009000.ckpt");
  const Loaded loaded = directory.newest_valid();
  BOOST_TEST(same(loaded.checkpoint, sample(2'000)));
  BOOST_TEST_REQUIRE(loaded.refused.size() == 1u);
  BOOST_TEST(loaded.refused[0].reason == "the file is named after step 9000 and holds step 1000");
}

BOOST_AUTO_TEST_CASE(no_usable_checkpoint_is_an_error_that_lists_every_reason) {
  directory.write(sample(1'000));
  directory.write_best(sample(1'000));
  damage("000001000.ckpt");
  damage("best.ckpt", 10);
  BOOST_CHECK_EXCEPTION(directory.newest_valid(), Error, [](const Error& error) {
    const std::string text = error.what();
    return error.code() == "E0503" && text.find("000001000.ckpt` is damaged: section") != std::string::npos &&
           text.find("best.ckpt` is damaged: header") != std::string::npos && !error.help().empty();
  });
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_not_there_is_an_error_and_is_not_made) {
  const Directory none(files, temporary.path() / "none");
  BOOST_TEST(none.steps().empty());
  BOOST_CHECK_EXCEPTION(none.newest_valid(), Error, [](const Error& error) {
    return error.code() == "E0503" && std::string(error.what()).find("No such file") != std::string::npos;
  });
  BOOST_CHECK_EXCEPTION(none.best(), Error, [](const Error& error) { return error.code() == "E0503"; });
  BOOST_TEST(!std::filesystem::exists(none.path()));
}

BOOST_AUTO_TEST_CASE(what_is_no_regular_file_is_refused_without_waiting) {
  directory.write(sample(1'000));
  std::filesystem::create_directory(directory.path() / "000003000.ckpt");
  BOOST_TEST(::mkfifo((directory.path() / "000004000.ckpt").c_str(), 0600) == 0);
  std::filesystem::create_symlink("nowhere", directory.path() / "000005000.ckpt");
  std::ofstream(directory.path() / "000006000.ckpt");
  const Loaded loaded = directory.newest_valid();
  BOOST_TEST(same(loaded.checkpoint, sample(1'000)));
  BOOST_TEST(loaded.refused.size() == 4u);
}

BOOST_AUTO_TEST_CASE(a_sparse_file_of_a_terabyte_is_refused_from_its_first_bytes) {
  directory.write(sample(1'000));
  std::ofstream(directory.path() / "000002000.ckpt") << std::string(64, 'x');
  std::filesystem::resize_file(directory.path() / "000002000.ckpt", uintmax_t{1} << 40);
  BOOST_TEST(same(directory.newest_valid().checkpoint, sample(1'000)));
}

BOOST_AUTO_TEST_CASE(prepare_sweeps_temporaries_and_nothing_else) {
  directory.write(sample(1'000));
  std::ofstream(directory.path() / ".000002000.ckpt.tmp") << "half";
  std::ofstream(directory.path() / "notes.tmp") << "of the user";
  directory.prepare();
  BOOST_TEST(names() == (Names{"000001000.ckpt", "notes.tmp"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(reading_changes_nothing_while_a_run_goes_on) {
  directory.write(sample(1'000));
  std::ofstream(directory.path() / ".000002000.ckpt.tmp") << "half";
  directory.newest_valid();
  BOOST_TEST(names() == (Names{".000002000.ckpt.tmp", "000001000.ckpt"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(prepare_says_which_directory_cannot_be_made) {
  std::ofstream(temporary.path() / "file") << "x";
  Directory blocked(files, temporary.path() / "file" / "checkpoints");
  BOOST_CHECK_EXCEPTION(blocked.prepare(), Error, [](const Error& error) {
    return error.code() == "E0504" && std::string(error.what()).find("Not a directory") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(interrupted_and_short_reads_are_continued_and_failed_ones_named) {
  directory.write(sample(1'000));
  FaultyFileSystem faulty(files);
  const FileSystem::Path file = directory.path() / directory.name(1'000);
  read_checkpoint(faulty, file);
  const int calls = faulty.calls;
  int refused = 0, read = 0;
  for (int k = 1; k <= calls; ++k) {
    faulty.arm(k, 0, false, FaultyFileSystem::Fault::short_write);
    BOOST_TEST(same(read_checkpoint(faulty, file), sample(1'000)));
    for (const int number : {EINTR, EIO}) {
      faulty.arm(k, number);
      try {
        BOOST_TEST(same(read_checkpoint(faulty, file), sample(1'000)));
        ++read;
      } catch (const Error& error) {
        BOOST_TEST(error.code() == "E0503");
        ++refused;
      }
    }
  }
  BOOST_TEST(refused >= 3);
  BOOST_TEST(read >= 3);
}

BOOST_AUTO_TEST_SUITE_END()

#include "core/checkpoint/container.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/checkpoint/layout.hpp"
#include "fixtures.hpp"
#include "repair.hpp"

using namespace spar;
using namespace spar::checkpoint;

namespace {

/// The sentence with which decode() refuses the file; "" if it accepts it.
std::string refusal(std::span<const std::byte> file) {
  try {
    decode(file, "000018000.ckpt");
  } catch (const Error& error) {
    return error.code() == "E0502" ? error.what() : "wrong code " + error.code();
  }
  return "";
}

bool names_place(const std::string& refusal) {
  return refusal.starts_with("checkpoint `000018000.ckpt` is damaged: ") &&
         refusal.find(", byte ") != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(container)

BOOST_AUTO_TEST_CASE(decode_gives_back_what_was_encoded) {
  const Checkpoint original = sample(18'000);
  BOOST_TEST(same(decode(encode(original), "a"), original));
  const Checkpoint nothing;
  BOOST_TEST(same(decode(encode(nothing), "a"), nothing));
}

BOOST_AUTO_TEST_CASE(sections_begin_at_multiples_of_64) {
  const auto file = encode(sample(1));
  const auto decoded = sample(1);
  for (const Section& section : decoded.sections) {
    if (section.data.empty()) continue;
    const auto at = std::search(file.begin(), file.end(), section.data.begin(), section.data.end()) - file.begin();
    BOOST_TEST(at % 64 == 0);
  }
}

BOOST_AUTO_TEST_CASE(pieces_are_the_file) {
  const Checkpoint original = sample(2);
  const Encoded encoded(original);
  std::vector<std::byte> joined;
  for (const auto piece : encoded.pieces()) joined.insert(joined.end(), piece.begin(), piece.end());
  BOOST_TEST((joined == encode(original)));
  BOOST_TEST(encoded.size() == joined.size());
}

BOOST_AUTO_TEST_CASE(every_single_bit_flip_is_refused_with_its_place) {
  auto file = encode(sample(18'000));
  BOOST_TEST(file.size() > 3'500u);
  BOOST_TEST(file.size() < 4'500u);
  size_t accepted = 0, unclear = 0;
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    const auto mask = std::byte{1} << (bit % 8);
    file[bit / 8] ^= mask;
    const std::string sentence = refusal(file);
    accepted += sentence.empty();
    unclear += !names_place(sentence);
    file[bit / 8] ^= mask;
  }
  BOOST_TEST(accepted == 0u);
  BOOST_TEST(unclear == 0u);
}

BOOST_AUTO_TEST_CASE(every_truncation_and_every_extra_byte_is_refused) {
  auto file = encode(sample(18'000));
  size_t unclear = 0;
  for (size_t size = 0; size < file.size(); ++size) unclear += !names_place(refusal(std::span(file).first(size)));
  BOOST_TEST(unclear == 0u);
  file.push_back(std::byte{0});
  BOOST_TEST(names_place(refusal(file)));
}

BOOST_AUTO_TEST_CASE(damage_is_reported_with_the_section_and_its_offset) {
  auto file = encode(sample(18'000));
  const auto networks = sample(18'000).section("networks").data;
  const auto at = std::search(file.begin(), file.end(), networks.begin(), networks.end()) - file.begin();
  file[static_cast<size_t>(at) + 100] ^= std::byte{4};
  BOOST_TEST(refusal(file).find("section `networks`, byte " + std::to_string(at) + ": its checksum is") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(swapped_blocks_are_refused) {
  const auto original = encode(sample(18'000));
  Philox random(5, "swap");
  size_t tried = 0, accepted = 0;
  while (tried < 1'000) {
    const size_t length = 1 + random.below(600);
    const size_t a = random.below(original.size() - length), b = random.below(original.size() - length);
    auto file = original;
    std::copy_n(original.begin() + static_cast<ptrdiff_t>(b), length, file.begin() + static_cast<ptrdiff_t>(a));
    std::copy_n(original.begin() + static_cast<ptrdiff_t>(a), length, file.begin() + static_cast<ptrdiff_t>(b));
    if (file == original) continue;
    ++tried;
    accepted += refusal(file).empty();
  }
  BOOST_TEST(accepted == 0u);
}

BOOST_AUTO_TEST_CASE(sections_of_two_checkpoints_cannot_be_exchanged) {
  const auto a = encode(sample(1)), b = encode(sample(2));
  BOOST_TEST_REQUIRE(a.size() == b.size());
  const size_t begin = 128, length = 2500;
  auto file = a;
  std::copy_n(b.begin() + begin, length, file.begin() + begin);
  BOOST_TEST(refusal(file).find("section `networks`") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(mutations_with_repaired_checksums_are_refused_or_stay_inside_the_file) {
  const auto original = encode(sample(18'000));
  Philox random(7, "mutate");
  size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto file = original;
    // Header, table and trailer are where structure lies; the contents of sections may be anything.
    const bool front = random.below(2) == 0;
    const size_t at = front ? 8 + random.below(52) : file.size() - 1 - random.below(160);
    file[at] = random.below(4) == 0 ? std::byte{0xff} : static_cast<std::byte>(random.bits());
    if (random.below(8) == 0) file.resize(kHeaderSize + kTrailerSize + random.below(file.size()));
    repair(file);
    try {
      const Checkpoint decoded = decode(file, "x");
      size_t total = 0;
      for (const Section& section : decoded.sections) total += section.data.size();
      BOOST_TEST_REQUIRE(total <= file.size());
    } catch (const Error& error) {
      BOOST_TEST_REQUIRE(error.code() == "E0502");
      ++refused;
    }
  }
  BOOST_TEST(refused > 10'000u);
}

BOOST_AUTO_TEST_CASE(structure_is_checked_behind_right_checksums) {
  const auto original = encode(sample(18'000));
  Header header;
  std::memcpy(&header, original.data(), sizeof header);
  const auto with = [&](auto change) {
    auto file = original;
    Header changed = header;
    change(changed, file);
    patch(file, 0, changed);
    repair(file);
    return refusal(file);
  };
  const auto says = [](const std::string& sentence, const char* part) {
    BOOST_TEST(sentence.find(part) != std::string::npos, sentence << " does not say: " << part);
  };
  const size_t table = header.table_offset;
  says(with([](Header& h, auto&) { h.magic[0] = 'X'; }), "does not begin like a checkpoint");
  says(with([](Header& h, auto&) { h.version = 2; }), "version 2, this program reads version 1");
  says(with([](Header& h, auto&) { h.file_length += 64; }), "bytes where");
  says(with([](Header& h, auto&) { h.sections = 65'537; }), "claims 65537 sections, at most 65536");
  says(with([](Header& h, auto&) { h.manifest_length = (1u << 20) + 1; }), "claims a manifest of 1048577 bytes");
  says(with([](Header& h, auto&) { h.manifest_length = 1u << 19; }), "the manifest does not fit");
  says(with([](Header& h, auto&) { h.table_length += 1; }), "the table does not end where the trailer begins");
  says(with([](Header& h, auto&) { h.sections = 60; }), "the table is too short for 60 sections");
  says(with([](Header& h, auto&) { h.sections = 3; }), "bytes too many");
  says(with([](Header& h, auto&) { h.sections = 5; }), "the entry is cut short");
  says(with([&](Header&, auto& f) { patch(f, table + 8, uint64_t{192}); }), "without a hole or an overlap");
  says(with([&](Header&, auto& f) { patch(f, table + 16, uint64_t{1} << 40); }), "reach into the table");
  says(with([&](Header&, auto& f) { patch(f, table + 24, uint8_t{0}); }), "the name has no valid length");
  says(with([&](Header&, auto& f) { patch(f, table + 24, uint8_t{255}); }), "the name has no valid length");
  says(with([&](Header&, auto& f) { patch(f, table + 25, '\n'); }), "control characters");
  says(with([&](Header& h, auto& f) { f[kHeaderSize + h.manifest_length] = std::byte{1}; }),
       "padding before section `networks`");
}

BOOST_AUTO_TEST_CASE(two_sections_of_one_name_are_refused) {
  Checkpoint twice;
  twice.sections = {{"aa", 0, {}}, {"ab", 0, {}}};
  auto file = encode(twice);
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  file[text.rfind("ab") + 1] = std::byte{'a'};
  repair(file);
  BOOST_TEST(refusal(file).find("two sections are named `aa`") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(encode_refuses_what_decode_would_not_accept) {
  const auto refuses = [](const Checkpoint& checkpoint, const char* part) {
    BOOST_CHECK_EXCEPTION(encode(checkpoint), Error, [part](const Error& error) {
      return error.code() == "E0506" && std::string(error.what()).find(part) != std::string::npos;
    });
  };
  refuses({0, "", {{"", 0, {}}}}, "must have 1 to 255 bytes");
  refuses({0, "", {{std::string(256, 'a'), 0, {}}}}, "must have 1 to 255 bytes");
  refuses({0, "", {{"a\nb", 0, {}}}}, "no control characters");
  refuses({0, "", {{"a", 0, {}}, {"a", 1, {}}}}, "two sections are named `a`");
  refuses({0, std::string(kMaxManifest + 1, ' '), {}}, "at most 1048576");
  refuses({0, "", std::vector<Section>(kMaxSections + 1)}, "at most 65536");
  BOOST_TEST(
      same(decode(encode({0, "", {{std::string(255, 'a'), 0, {}}}}), "a"), {0, "", {{std::string(255, 'a'), 0, {}}}}));
}

BOOST_AUTO_TEST_CASE(a_missing_section_is_named_with_those_there) {
  BOOST_TEST(sample(3).section("random").data.size() == 640u);
  BOOST_TEST(sample(3).find("replay") == nullptr);
  BOOST_CHECK_EXCEPTION(sample(3).section("replay"), Error, [](const Error& error) {
    return error.code() == "E0505" && std::string(error.what()) ==
                                          "checkpoint of step 3 has no section `replay`; it has `networks`, `empty`, "
                                          "`random` and `counters`";
  });
}

BOOST_AUTO_TEST_SUITE_END()

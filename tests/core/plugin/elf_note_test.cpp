#include "core/plugin/elf_note.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "core/plugin/plugin_file.hpp"
#include "core/rng/philox.hpp"
#include "support.hpp"
#include "support/sanitized.hpp"

using namespace spar;
using namespace spar::plugin;
using namespace spar::plugin::test;

namespace {

/// A file without a name.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : fd_(::memfd_create("plugin", MFD_CLOEXEC)), size_(bytes.size()) {
    BOOST_REQUIRE(::write(fd_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  std::variant<ElfNote, Refusal> read() const { return read_elf_note(fd_.get(), size_); }

 private:
  Descriptor fd_;
  uint64_t size_;
};

std::string reason(std::string_view bytes) {
  const auto result = Bytes(bytes).read();
  const auto* refusal = std::get_if<Refusal>(&result);
  return refusal ? refusal->reason : "usable";
}

const std::string& good() {
  static const std::string bytes = fixture_bytes("good");
  return bytes;
}

/// 0 under a sanitizer, which keeps freed memory.
long peak_memory_kib() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 0;
#else
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
#endif
}

}  // namespace

BOOST_AUTO_TEST_SUITE(elf_note)

BOOST_AUTO_TEST_CASE(good_plugin_gives_version_note_libraries_and_build_id) {
  const auto result = Bytes(good()).read();
  BOOST_REQUIRE(std::holds_alternative<ElfNote>(result));
  const auto& note = std::get<ElfNote>(result);
  BOOST_TEST(note.abi_version == SPAR_ABI_VERSION);
  BOOST_TEST(note.json.starts_with("{\"id\":\"org.spar.test.good\""));
  BOOST_TEST(note.json.ends_with("}"));
  BOOST_TEST(note.build_id.size() == 40u);
  BOOST_TEST(!note.static_tls);
}

BOOST_AUTO_TEST_CASE(needed_libraries_are_listed) {
  const auto result = Bytes(fixture_bytes("needs_torch_9")).read();
  BOOST_REQUIRE(std::holds_alternative<ElfNote>(result));
  const auto& needed = std::get<ElfNote>(result).needed;
  BOOST_TEST((std::find(needed.begin(), needed.end(), "libtorch_cpu.so.9") != needed.end()));
}

BOOST_AUTO_TEST_CASE(what_is_not_an_elf_file_shows_its_first_bytes) {
  BOOST_TEST(reason("#!/bin/sh\necho no\n") == "is not an ELF file (first bytes: \"#!/b\")");
  BOOST_TEST(reason(std::string_view("\x00\x01\xfe", 3)) == "is not an ELF file (first bytes: 00 01 fe)");
  BOOST_TEST(reason("") == "is empty");
}

BOOST_AUTO_TEST_CASE(other_class_byte_order_machine_and_type_are_refused) {
  std::string bytes = good();
  bytes[EI_CLASS] = ELFCLASS32;
  BOOST_TEST(reason(bytes) == "is a 32-bit library, this program is 64-bit");
  bytes[EI_CLASS] = 9;
  BOOST_TEST(reason(bytes) == "is damaged: its ELF class is 9");
  bytes = good();
  bytes[EI_DATA] = ELFDATA2MSB;
  BOOST_TEST(reason(bytes) == "is not little-endian");
  bytes = good();
  header(bytes).e_machine = EM_S390;
  BOOST_TEST(reason(bytes).starts_with("is built for s390, this program runs on "));
  header(bytes).e_machine = 4711;
  BOOST_TEST(reason(bytes).starts_with("is built for machine number 4711, "));
  bytes = good();
  header(bytes).e_type = ET_EXEC;
  BOOST_TEST(reason(bytes) == "is not a shared library (ELF type 2, expected 3)");
  bytes = good();
  header(bytes).e_version = 2;
  BOOST_TEST(reason(bytes) == "is damaged: its ELF version is not 1");
  bytes = good();
  header(bytes).e_phnum = 0;
  BOOST_TEST(reason(bytes) == "is damaged: it has no usable program headers");
  bytes = good();
  header(bytes).e_phnum = 5000;
  BOOST_TEST(reason(bytes) == "is damaged: the program header table claims 5000 entries, at most 256 are read");
}

BOOST_AUTO_TEST_CASE(segment_outside_the_file_is_refused_with_both_sizes) {
  std::string bytes = good();
  header(bytes).e_shoff = 0;
  auto& load = segment(bytes, PT_LOAD);
  load.p_filesz = load.p_memsz = 1 << 30;
  BOOST_TEST(reason(bytes) ==
             "is cut off: segment 0 ends at byte 1073741824 but the file has " + std::to_string(bytes.size()));
  load.p_filesz = UINT64_MAX - 3;
  load.p_offset = 4096;
  BOOST_TEST(reason(bytes) == "is cut off: segment 0 ends at byte 18446744073709551615 but the file has " +
                                  std::to_string(bytes.size()));
}

BOOST_AUTO_TEST_CASE(segment_that_cannot_be_mapped_is_refused) {
  std::string bytes = good();
  segment(bytes, PT_LOAD).p_memsz = 1;
  BOOST_TEST(reason(bytes) == "is damaged: segment 0 cannot be mapped");
  bytes = good();
  segment(bytes, PT_LOAD).p_align = 12345;
  BOOST_TEST(reason(bytes) == "is damaged: segment 0 cannot be mapped");
}

BOOST_AUTO_TEST_CASE(library_paths_and_text_relocations_are_refused) {
  BOOST_TEST(reason(fixture_bytes("runpath")) ==
             "carries the RUNPATH \"/opt/evil\", which would choose libraries for the whole program");
  BOOST_TEST(reason(fixture_bytes("rpath")) ==
             "carries the RPATH \"/opt/evil\", which would choose libraries for the whole program");
  std::string bytes = good();
  dynamic(bytes, DT_FLAGS).d_un.d_val |= DF_TEXTREL;
  BOOST_TEST(reason(bytes) == "has text relocations: its code would have to be writable");
}

BOOST_AUTO_TEST_CASE(static_thread_local_storage_is_reported) {
  std::string bytes = good();
  dynamic(bytes, DT_FLAGS).d_un.d_val |= DF_STATIC_TLS;
  const auto result = Bytes(bytes).read();
  BOOST_REQUIRE(std::holds_alternative<ElfNote>(result));
  BOOST_TEST(std::get<ElfNote>(result).static_tls);
}

BOOST_AUTO_TEST_CASE(string_outside_its_table_is_refused) {
  std::string bytes = fixture_bytes("needs_torch_9");
  dynamic(bytes, DT_NEEDED).d_un.d_val = 1 << 30;
  BOOST_TEST(reason(bytes) == "is damaged: the name of a needed library begins outside its table");
  bytes = fixture_bytes("needs_torch_9");
  dynamic(bytes, DT_STRTAB).d_un.d_ptr = 1ull << 40;
  BOOST_TEST(reason(bytes) == "is damaged: the string table lies in no loaded segment");
  bytes = fixture_bytes("needs_torch_9");
  // The last byte of a table that ends within its last name.
  dynamic(bytes, DT_STRSZ).d_un.d_val = dynamic(bytes, DT_NEEDED).d_un.d_val + 3;
  BOOST_TEST(reason(bytes) == "is damaged: the name of a needed library does not end");
}

BOOST_AUTO_TEST_CASE(missing_second_and_overlong_notes_are_refused) {
  BOOST_TEST(reason(fixture_bytes("no_note")) == "has no note of owner SPAR: it is not a spar plugin");
  std::string bytes = good();
  const size_t note = bytes.find(std::string_view("SPAR\0\0\0\0", 8));
  BOOST_REQUIRE(note != std::string::npos);
  at<uint32_t>(bytes, note - 8) = 1u << 31;  // descsz
  BOOST_TEST(reason(bytes) == "is damaged: a note runs past its segment");
  bytes = good();
  // The build-id's segment points to the same note again.
  for (int i = 0; i < header(bytes).e_phnum; ++i) {
    auto& entry = at<Elf64_Phdr>(bytes, header(bytes).e_phoff + static_cast<uint64_t>(i) * sizeof(Elf64_Phdr));
    if (entry.p_type != PT_GNU_STACK) continue;
    entry = segment(bytes, PT_NOTE);
    entry.p_align = 4;
    entry.p_offset = note - 12;
    entry.p_filesz = 20 + at<uint32_t>(bytes, note - 8);
  }
  BOOST_TEST(reason(bytes) == "has two notes of owner SPAR");
}

BOOST_AUTO_TEST_CASE(missing_dynamic_section_is_refused) {
  std::string bytes = good();
  segment(bytes, PT_DYNAMIC).p_type = PT_NULL;
  BOOST_TEST(reason(bytes) == "is not a shared library: it has no dynamic section");
  bytes = good();
  segment(bytes, PT_DYNAMIC).p_vaddr = 1ull << 50;
  BOOST_TEST(reason(bytes) == "is damaged: the dynamic section lies in no loaded segment");
}

BOOST_AUTO_TEST_CASE(huge_section_sizes_are_never_read) {
  std::string bytes = good();
  auto* sections = &at<Elf64_Shdr>(bytes, header(bytes).e_shoff);
  for (int i = 0; i < header(bytes).e_shnum; ++i) sections[i].sh_size = 1 << 30;
  const long before = peak_memory_kib();
  BOOST_TEST(reason(bytes) == "usable");
  BOOST_TEST(peak_memory_kib() - before < 8 * 1024);
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
  Philox random(1, "truncations");
  for (int i = 0; i < 200; ++i) {
    const uint64_t length = random.below(good().size());
    BOOST_TEST_CONTEXT("cut at byte " << length) {
      const std::string found = reason(good().substr(0, length));
      BOOST_TEST((found.starts_with("is cut off: ") || found == "is empty" || found.starts_with("is not an ELF file")));
    }
  }
  std::string cut = good().substr(0, good().size() - 1);
  BOOST_TEST(reason(cut) == "is cut off: the section header table ends at byte " + std::to_string(good().size()) +
                                " but the file has " + std::to_string(cut.size()));
}

BOOST_AUTO_TEST_CASE(random_damage_never_crashes_nor_costs_memory) {
  Philox random(2, "mutations");
  const uint64_t structures = 0x400;  // the headers; damage elsewhere rarely matters
  const uint64_t dynamic_at = segment(const_cast<std::string&>(good()), PT_DYNAMIC).p_offset;
  const long before = peak_memory_kib();
  const auto start = std::chrono::steady_clock::now();
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good();
    const uint64_t changes = 1 + random.below(8);
    for (uint64_t k = 0; k < changes; ++k) {
      uint64_t where = random.below(bytes.size());
      if (random.below(4) != 0) where = random.below(2) ? random.below(structures) : dynamic_at + random.below(0x200);
      const uint64_t choice = random.below(4);
      bytes[where] = static_cast<char>(choice == 0 ? 0xff : choice == 1 ? 0 : random.below(256));
    }
    if (random.below(8) == 0) bytes.resize(random.below(bytes.size()));
    refused += reason(bytes) != "usable";
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  BOOST_TEST(refused > 5'000);
  BOOST_TEST(refused < 20'000);
  if (!spar::test::kSanitized) BOOST_TEST(peak_memory_kib() - before < 16 * 1024);  // sanitizers keep what was freed
  BOOST_TEST(std::chrono::duration_cast<std::chrono::seconds>(elapsed).count() < 30);
}

BOOST_AUTO_TEST_SUITE_END()

// Plugin files of any structure, read without loading them: refused with a reason, or a note that parses or is refused.
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "core/plugin/elf_note.hpp"
#include "core/plugin/note.hpp"
#include "fuzz/edits.hpp"

using namespace spar;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string sound = [] {
    std::ifstream in(SPAR_BUILD_DIR "/tests/bad_plugins/good.spar.so", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  static const int fd = ::memfd_create("plugin", MFD_CLOEXEC);
  if (sound.empty() || fd < 0) __builtin_trap();
  std::string file = sound;
  fuzz::edit(file, {data, size});
  if (::ftruncate(fd, static_cast<off_t>(file.size())) != 0) __builtin_trap();
  if (::pwrite(fd, file.data(), file.size(), 0) != static_cast<ssize_t>(file.size())) __builtin_trap();

  const auto read = plugin::read_elf_note(fd, file.size());
  const auto* note = std::get_if<plugin::ElfNote>(&read);
  if (!note) {
    if (std::get<plugin::Refusal>(read).reason.empty()) __builtin_trap();
    return 0;
  }
  const auto parsed = plugin::parse_note(note->json);
  if (const auto* refusal = std::get_if<plugin::Refusal>(&parsed); refusal && refusal->reason.empty()) __builtin_trap();
  return 0;
}

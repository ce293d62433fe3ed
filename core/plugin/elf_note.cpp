#include "core/plugin/elf_note.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "core/base/text.hpp"
#include "core/plugin/bounded_file.hpp"

namespace spar::plugin {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kHostMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t kHostMachine = EM_RISCV;
#else
#error "name this machine's ELF constant"
#endif

constexpr uint64_t kMostSegments = 256, kMostDynamic = 4096, kMostNeeded = 256, kMostNoteBytes = uint64_t{256} * 1024;
constexpr const char* kRebuild = "build or copy it again";

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "aarch64";
    case EM_ARM:
      return "32-bit arm";
    case EM_RISCV:
      return "risc-v";
    case EM_PPC64:
      return "ppc64";
    case EM_S390:
      return "s390";
    default:
      return "machine number " + std::to_string(machine);
  }
}

/// The first bytes as text where they are text, else as numbers.
std::string first_bytes(const BoundedFile& file) {
  std::array<unsigned char, 4> bytes{};
  const uint64_t n = std::min<uint64_t>(bytes.size(), file.size());
  file.read(0, bytes.data(), n, "the file");
  const bool text = std::all_of(bytes.begin(), bytes.begin() + n, [](auto c) { return c >= 0x20 && c < 0x7f; });
  std::string out;
  for (uint64_t i = 0; i < n; ++i) {
    if (text) {
      out += static_cast<char>(bytes[i]);
    } else {
      constexpr const char* kHex = "0123456789abcdef";
      out += std::string(i ? " " : "") + kHex[bytes[i] >> 4] + kHex[bytes[i] & 15];
    }
  }
  return text ? "\"" + out + "\"" : out;
}

Elf64_Ehdr read_header(const BoundedFile& file) {
  if (file.size() == 0) throw Refusal{"is empty", "copy it again"};
  std::array<unsigned char, EI_NIDENT> ident{};
  const uint64_t n = std::min<uint64_t>(ident.size(), file.size());
  file.read(0, ident.data(), n, "the ELF header");
  if (std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0)
    throw Refusal{"is not an ELF file (first bytes: " + first_bytes(file) + ")",
                  "only shared libraries built with spar_add_plugin() are named *.spar.so"};
  if (!file.holds(0, sizeof(Elf64_Ehdr))) file.cut_off(0, sizeof(Elf64_Ehdr), "the ELF header");
  if (ident[EI_CLASS] != ELFCLASS64)
    throw Refusal{ident[EI_CLASS] == ELFCLASS32 ? "is a 32-bit library, this program is 64-bit"
                                                : "is damaged: its ELF class is " + std::to_string(ident[EI_CLASS]),
                  "build it for " + machine_name(kHostMachine)};
  if (ident[EI_DATA] != ELFDATA2LSB)
    throw Refusal{"is not little-endian", "build it for " + machine_name(kHostMachine)};
  const auto header = file.get<Elf64_Ehdr>(0, "the ELF header");
  if (header.e_machine != kHostMachine)
    throw Refusal{
        "is built for " + machine_name(header.e_machine) + ", this program runs on " + machine_name(kHostMachine),
        "build it for " + machine_name(kHostMachine)};
  if (header.e_type != ET_DYN)
    throw Refusal{"is not a shared library (ELF type " + std::to_string(header.e_type) + ", expected " +
                      std::to_string(ET_DYN) + ")",
                  "link it with spar_add_plugin()"};
  if (header.e_version != EV_CURRENT || ident[EI_VERSION] != EV_CURRENT)
    throw Refusal{"is damaged: its ELF version is not 1", kRebuild};
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0)
    throw Refusal{"is damaged: it has no usable program headers", kRebuild};
  return header;
}

class Image {
 public:
  explicit Image(const BoundedFile& file) : file_(file) {
    const Elf64_Ehdr header = read_header(file);
    segments_ = file.array<Elf64_Phdr>(header.e_phoff, header.e_phnum, kMostSegments, "the program header table");
    for (size_t i = 0; i < segments_.size(); ++i) check_segment(i);
    // Loading does not need the section headers, but they stand last in a file: without them the copy is unfinished.
    const uint64_t sections = uint64_t{header.e_shnum} * header.e_shentsize;
    if (header.e_shoff != 0 && !file.holds(header.e_shoff, sections))
      file.cut_off(header.e_shoff, sections, "the section header table");
  }

  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  /// Where `n` bytes at a virtual address lie in the file, as the loader maps it.
  uint64_t offset_of(uint64_t address, uint64_t n, const char* what) const {
    for (const auto& segment : segments_) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
      const uint64_t into = address - segment.p_vaddr;
      if (into <= segment.p_filesz && n <= segment.p_filesz - into) return segment.p_offset + into;
    }
    throw Refusal{std::string("is damaged: ") + what + " lies in no loaded segment", kRebuild};
  }

 private:
  void check_segment(size_t i) const {
    const auto& segment = segments_[i];
    if (!file_.holds(segment.p_offset, segment.p_filesz))
      file_.cut_off(segment.p_offset, segment.p_filesz, "segment " + std::to_string(i));
    if (segment.p_type != PT_LOAD) return;
    const uint64_t align = segment.p_align;
    if (segment.p_memsz < segment.p_filesz || segment.p_vaddr > UINT64_MAX - segment.p_memsz ||
        (align > 1 && ((align & (align - 1)) != 0 || ((segment.p_vaddr - segment.p_offset) & (align - 1)) != 0)))
      throw Refusal{"is damaged: segment " + std::to_string(i) + " cannot be mapped", kRebuild};
  }

  const BoundedFile& file_;
  std::vector<Elf64_Phdr> segments_;
};

void read_dynamic(const BoundedFile& file, const Image& image, ElfNote& out) {
  const auto segment =
      std::find_if(image.segments().begin(), image.segments().end(), [](auto& s) { return s.p_type == PT_DYNAMIC; });
  if (segment == image.segments().end())
    throw Refusal{"is not a shared library: it has no dynamic section", "link it with spar_add_plugin()"};
  const uint64_t at = image.offset_of(segment->p_vaddr, segment->p_filesz, "the dynamic section");
  auto entries = file.array<Elf64_Dyn>(at, segment->p_filesz / sizeof(Elf64_Dyn), kMostDynamic, "the dynamic section");
  entries.erase(std::find_if(entries.begin(), entries.end(), [](auto& e) { return e.d_tag == DT_NULL; }),
                entries.end());
  const auto value = [&entries](int64_t tag) -> std::optional<uint64_t> {
    for (const auto& entry : entries)
      if (entry.d_tag == tag) return entry.d_un.d_val;
    return std::nullopt;
  };
  const uint64_t names_size = value(DT_STRSZ).value_or(0);
  const uint64_t names = value(DT_STRTAB) ? image.offset_of(*value(DT_STRTAB), names_size, "the string table") : 0;
  const auto name = [&](uint64_t offset, const char* what) {
    if (offset >= names_size) throw Refusal{std::string("is damaged: ") + what + " begins outside its table", kRebuild};
    return file.text(names + offset, names + names_size, what);
  };
  for (const auto& entry : entries) {
    if (entry.d_tag != DT_NEEDED) continue;
    if (out.needed.size() == kMostNeeded)
      throw Refusal{"is damaged: it needs more than " + std::to_string(kMostNeeded) + " libraries", kRebuild};
    out.needed.push_back(name(entry.d_un.d_val, "the name of a needed library"));
  }
  for (const auto& [tag, tag_name] : {std::pair{DT_RUNPATH, "RUNPATH"}, {DT_RPATH, "RPATH"}})
    if (const auto path = value(tag))
      throw Refusal{std::string("carries the ") + tag_name + " \"" + name(*path, tag_name) +
                        "\", which would choose libraries for the whole program",
                    "build it with spar_add_plugin(), or remove it: patchelf --remove-rpath FILE"};
  const uint64_t flags = value(DT_FLAGS).value_or(0);
  if (value(DT_TEXTREL) || (flags & DF_TEXTREL) != 0)
    throw Refusal{"has text relocations: its code would have to be writable", "compile it with -fPIC"};
  out.static_tls = (flags & DF_STATIC_TLS) != 0;
}

void read_notes(const BoundedFile& file, const Image& image, ElfNote& out) {
  const auto aligned = [](uint64_t n, uint64_t align) { return (n + align - 1) & ~(align - 1); };
  bool found = false;
  for (const auto& segment : image.segments()) {
    if (segment.p_type != PT_NOTE) continue;
    const auto bytes = file.array<char>(segment.p_offset, segment.p_filesz, kMostNoteBytes, "a note segment");
    const uint64_t align = segment.p_align == 8 ? 8 : 4;
    uint64_t at = 0;
    while (bytes.size() - at >= sizeof(Elf64_Nhdr)) {
      Elf64_Nhdr note;
      std::memcpy(&note, bytes.data() + at, sizeof note);
      const uint64_t name = at + sizeof note, payload = aligned(name + note.n_namesz, align);
      const uint64_t next = aligned(payload + note.n_descsz, align);
      if (payload > bytes.size() || note.n_descsz > bytes.size() - payload)
        throw Refusal{"is damaged: a note runs past its segment", kRebuild};
      const std::string_view owner(bytes.data() + name, note.n_namesz);
      if (owner == std::string_view("SPAR\0", 5)) {
        if (found) throw Refusal{"has two notes of owner SPAR", "define the note once (SPAR_DEFINE_NOTE)"};
        found = true;
        out.abi_version = note.n_type;
        out.json.assign(bytes.data() + payload, note.n_descsz);
        while (!out.json.empty() && out.json.back() == '\0') out.json.pop_back();
      } else if (owner == std::string_view("GNU\0", 4) && note.n_type == NT_GNU_BUILD_ID && out.build_id.empty()) {
        const std::span<const char> id(bytes.data() + payload, std::min<uint64_t>(note.n_descsz, 64));
        out.build_id = hexadecimal(std::as_bytes(id));
      }
      at = std::min<uint64_t>(next, bytes.size());
    }
  }
  if (!found)
    throw Refusal{"has no note of owner SPAR: it is not a spar plugin",
                  "build it with the spar SDK; the note comes from SPAR_DEFINE_NOTE"};
}

}  // namespace

std::variant<ElfNote, Refusal> read_elf_note(int fd, uint64_t size) {
  try {
    const BoundedFile file(fd, size);
    const Image image(file);
    ElfNote out;
    read_notes(file, image, out);
    read_dynamic(file, image, out);
    return out;
  } catch (Refusal& refusal) {
    return std::move(refusal);
  }
}

}  // namespace spar::plugin

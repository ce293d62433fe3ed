// Inputs of the fuzzers that are not text: edits of a sound file, which reach further than random bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace spar::fuzz {

/// Each five bytes of `input` set one byte of the file: four for the place, from the front or, negative, from the end.
/// What is left over cuts the file.
template <class File>
void edit(File& file, std::span<const uint8_t> input) {
  for (; input.size() >= 5 && !file.empty(); input = input.subspan(5)) {
    int32_t place = 0;
    std::memcpy(&place, input.data(), sizeof place);
    const auto size = static_cast<int64_t>(file.size());
    const int64_t at = (place % size + size) % size;
    file[static_cast<size_t>(at)] = static_cast<typename File::value_type>(input[4]);
  }
  if (input.size() >= 3) {
    const size_t keep = input[0] | size_t{input[1]} << 8;
    if (keep < file.size()) file.resize(keep);
  }
}

}  // namespace spar::fuzz

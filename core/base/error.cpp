#include "core/base/error.hpp"

#include <algorithm>

namespace spar {

std::string Error::render(bool color) const {
  const auto paint = [color](const char* sgr, const std::string& text) {
    return color ? std::string("\x1b[") + sgr + "m" + text + "\x1b[0m" : text;
  };
  std::string out = paint("1;31", "error[" + code_ + "]") + ": " + what() + "\n";
  if (place_) {
    out += " --> " + place_->file;
    if (place_->line > 0) out += ":" + std::to_string(place_->line) + ":" + std::to_string(std::max(1, place_->column));
    out += "\n";
    if (!place_->source.empty()) {
      const std::string number = place_->line > 0 ? std::to_string(place_->line) : "";
      const std::string gap(number.size(), ' ');
      const std::string indent(static_cast<size_t>(std::max(0, place_->column - 1)), ' ');
      std::string caret = indent + paint("1;31", std::string(static_cast<size_t>(std::max(1, place_->length)), '^'));
      if (!place_->caret_note.empty()) caret += " " + place_->caret_note;
      out += number + " | " + place_->source + "\n" + gap + " | " + caret + "\n";
    }
  }
  if (!help_.empty()) out += "   = " + help_ + "\n";
  return out;
}

}  // namespace spar

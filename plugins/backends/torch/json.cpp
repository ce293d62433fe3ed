#include "json.hpp"

#include <charconv>

#include "spar/barrier.hpp"

namespace torch_backend {
namespace {

constexpr int kDeepest = 16;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json document() {
    Json value = read(0);
    skip_space();
    if (at_ != text_.size()) fail("the end");
    return value;
  }

 private:
  [[noreturn]] void fail(const char* expected) const {
    throw spar::StatusError(SPAR_E_INVALID, "the json of a network has no " + std::string(expected) + " at byte " +
                                                std::to_string(at_) + ", where it is expected");
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void need(std::string_view word, const char* expected) {
    if (!take(word)) fail(expected);
  }

  Json read(int depth) {
    if (depth > kDeepest) fail("end of nesting");
    Json value;
    if (take("null")) return value;
    if (take("true") || take("false")) {
      value.type = Json::Type::boolean;
      value.truth = text_[at_ - 2] == 'u';
    } else if (take("[")) {
      value.type = Json::Type::list;
      if (take("]")) return value;
      do value.items.push_back(read(depth + 1));
      while (take(","));
      need("]", "end of a list");
    } else if (take("{")) {
      value.type = Json::Type::object;
      if (take("}")) return value;
      do {
        std::string key = read_text();
        need(":", "colon");
        value.members.emplace_back(std::move(key), read(depth + 1));
      } while (take(","));
      need("}", "end of an object");
    } else if (at_ < text_.size() && text_[at_] == '"') {
      value.type = Json::Type::text;
      value.text = read_text();
    } else {
      value.type = Json::Type::number;
      const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value.number);
      if (problem != std::errc()) fail("value");
      at_ = static_cast<size_t>(end - text_.data());
    }
    return value;
  }

  std::string read_text() {
    need("\"", "text");
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '\\') {
        if (at_ == text_.size()) fail("escaped character");
        c = escaped(text_[at_++]);
      }
      out += c;
    }
    need("\"", "end of a text");
    return out;
  }

  char escaped(char c) {
    static constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (const size_t i = kLetters.find(c); i != std::string_view::npos) return kMeanings[i];
    unsigned code = 0;
    const char* first = text_.data() + at_;
    if (c != 'u' || text_.size() - at_ < 4 || std::from_chars(first, first + 4, code, 16).ptr != first + 4 ||
        code > 0x7f)
      fail("escaped ASCII character");
    at_ += 4;
    return static_cast<char>(code);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view key) const {
  for (const auto& [name, value] : members)
    if (name == key) return &value;
  return nullptr;
}

Json parse_json(std::string_view text) { return Reader(text).document(); }

}  // namespace torch_backend

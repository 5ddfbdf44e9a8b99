#include "serve/wish_words.h"

#include <fmt/format.h>

#include "live/comment.h"
#include "serve/plain_text.h"

namespace penstock {
namespace {

constexpr std::string_view kSeparators = " ,;=";

}  // namespace

Result<std::string> write_comment(const WishWords& words) {
  if (words.empty()) return std::string();
  std::string comment = "penstock:";
  for (const auto& [name, value] : words) {
    const bool breaks = value.find_first_of(kSeparators) != std::string::npos;
    if (breaks || value.empty() || !is_plain_text(value))
      return Error{fmt::format("{}: '{}' is no word: it must be without blanks and ',;='", name,
                               harmless(value))};
    comment += fmt::format(" {}={}", name, value);
  }
  const ReadComment read = read_comment(comment);
  if (!read.complaints.empty())
    return Error{harmless(fmt::format("{}", fmt::join(read.complaints, "; ")))};
  return comment;
}

}  // namespace penstock

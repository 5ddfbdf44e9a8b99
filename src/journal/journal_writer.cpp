#include "journal/journal_writer.h"

#include <array>

namespace penstock {

std::string_view name_of(RequestState state) {
  static constexpr std::array<std::string_view, 4> kNames{"sent", "confirmed", "refused", "lost"};
  return kNames[static_cast<std::size_t>(state)];
}

}  // namespace penstock

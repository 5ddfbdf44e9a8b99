#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

/// How a request writes instants; its answer does so too.
enum class InstantForm : std::uint8_t {
  seconds,  ///< a number
  iso,      ///< "2020-07-21T17:56:59Z", or what else parse_time() knows
  weekday,  ///< "Tue 21 Jul 2020, 17.56.59", as the published service does
};

struct Instant {
  double seconds = 0;  ///< since 1970, or since whatever a number counts from
  InstantForm form = InstantForm::seconds;
};

/// Nothing if the text is no instant in one of the two forms of text.
std::optional<Instant> parse_instant(std::string_view text);

/// A JSON value; text is rounded to milliseconds, and to seconds for InstantForm::weekday.
std::string instant_json(const Instant& instant);

}  // namespace penstock

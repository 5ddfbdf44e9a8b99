#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock {

/// The bytes as one gzip member, packed by several threads. The same bytes give the same member,
/// however many there are.
Result<std::string> gzip(std::string_view bytes, unsigned threads);

/// As text of A-Z, a-z, 0-9, + and /, filled up with =.
std::string base64(std::string_view bytes);

}  // namespace penstock

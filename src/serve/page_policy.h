#pragma once

#include <string>
#include <string_view>

namespace penstock {

/// What a browser may do with an answer that is no page: show it, and nothing else.
inline constexpr std::string_view kPolicy =
    "default-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

/// What a browser may do with a page, as a header: what the page itself says in its
/// http-equiv="Content-Security-Policy", and never inside another page. Without that, nothing.
std::string policy_of_page(std::string_view page);

}  // namespace penstock

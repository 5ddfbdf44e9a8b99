#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "serve/api/api.h"

namespace penstock {

/// Something that everybody may ask for and no source is needed for, or only its numbers.
enum class ApiPage : std::uint8_t { home, health, metrics, events };

/// What a request is for; or why it is for nothing, with the methods that the path knows if that is
/// what is wrong.
struct ApiRefusal {
  ApiAnswer answer{};
  std::string_view allowed{};
};
using ApiRoute = std::variant<ApiPage, ApiLook, ApiDeed, ApiRefusal>;

/// `target` is what stands in the first line of a request, still encoded: any bytes.
ApiRoute route_of(std::string_view method, std::string_view target);

}  // namespace penstock

#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "serve/api/api.h"

namespace penstock {

/// A page that the server answers itself, or with the handler's metrics.
enum class ServerPage : std::uint8_t { home, health, metrics, events };

/// Why a request is for nothing, and the methods that its path knows if that is what is wrong.
struct RouteError {
  ApiResponse response{};
  std::string_view allowed{};
};
/// What a request is for.
using ApiRoute = std::variant<ServerPage, ApiQuery, ApiCommand, RouteError>;

/// `target` is what stands in the first line of a request, still encoded: any bytes.
ApiRoute route_of(std::string_view method, std::string_view target);

}  // namespace penstock

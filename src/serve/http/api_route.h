#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "serve/api/api.h"

namespace penstock {

/// A page that the server answers itself, or with the handler's metrics.
enum class ServerPage : std::uint8_t { home, health, metrics, events };

/// The response to a request that has no route, and the methods of its path if only the method is
/// wrong.
struct RouteError {
  ApiResponse response{};
  std::string_view allowed{};
};
/// The handler of a request.
using ApiRoute = std::variant<ServerPage, ApiQuery, ApiCommand, RouteError>;

/// `target` is what stands in the first line of a request, still encoded: any bytes.
ApiRoute route_of(std::string_view method, std::string_view target);

}  // namespace penstock

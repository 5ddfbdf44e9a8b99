#pragma once

#include <optional>
#include <variant>

#include "model/event.h"

namespace penstock {

/// The job that an action is about; nothing if it is about a node.
inline std::optional<JobId> job_in(const Action& action) {
  return std::visit(
      [](const auto& a) -> std::optional<JobId> {
        if constexpr (requires { a.job; })
          return a.job;
        else
          return std::nullopt;
      },
      action);
}

}  // namespace penstock

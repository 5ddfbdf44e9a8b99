#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "serve/api/api.h"

namespace penstock {

/// Says back what it was asked.
class FakeHandler final : public ApiHandler {
 public:
  ApiResponse get(const ApiQuery& query) override {
    std::string said = query.page + "|" + query.id;
    for (const auto& [name, value] : query.parameters) said += "|" + name + "=" + value;
    if (query.page == "ready") return api_error(503, "east does not answer");
    return {200, "{\"look\":\"" + said + "\"}"};
  }
  ApiResponse post(const ApiCommand& command) override {
    const std::lock_guard lock(mutex_);
    commands_.push_back(command);
    return {200, "{\"did\":\"" + command.verb + "|" + command.id + "\"}"};
  }
  std::string metrics() override { return "penstock_jobs{state=\"queued\"} 3\n"; }

  std::vector<ApiCommand> commands() const {
    const std::lock_guard lock(mutex_);
    return commands_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<ApiCommand> commands_;
};

}  // namespace penstock

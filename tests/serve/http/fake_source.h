#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "serve/api/api.h"

namespace penstock {

/// Says back what it was asked.
class FakeSource final : public ApiSource {
 public:
  ApiAnswer look(const ApiLook& look) override {
    std::string said = look.page + "|" + look.id;
    for (const auto& [name, value] : look.parameters) said += "|" + name + "=" + value;
    if (look.page == "ready") return api_error(503, "east does not answer");
    return {200, "{\"look\":\"" + said + "\"}"};
  }
  ApiAnswer act(const ApiDeed& deed) override {
    const std::lock_guard lock(mutex_);
    deeds_.push_back(deed);
    return {200, "{\"did\":\"" + deed.verb + "|" + deed.id + "\"}"};
  }
  std::string metrics() override { return "penstock_jobs{state=\"queued\"} 3\n"; }

  std::vector<ApiDeed> deeds() const {
    const std::lock_guard lock(mutex_);
    return deeds_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<ApiDeed> deeds_;
};

}  // namespace penstock

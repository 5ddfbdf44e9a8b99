#include "app/serve_savings.h"

namespace penstock {
namespace {

constexpr auto kKept = std::chrono::minutes(2);

}  // namespace

ApiAnswer SavingsDesk::known() {
  const std::scoped_lock lock(mutex_);
  if (kept_) return *kept_;
  return api_error(503, "savings are being worked out; possible: ask again in a moment");
}

ApiAnswer SavingsDesk::answer() {
  {
    const std::scoped_lock lock(mutex_);
    if (kept_ && Steady::now() - made_ < kKept) return *kept_;
  }
  const std::unique_lock working(working_, std::try_to_lock);
  if (!working.owns_lock()) return known();
  const auto savings = work_out_savings(request_);
  ApiAnswer fresh =
      savings ? ApiAnswer{200, savings_json(*savings)} : api_error(503, savings.error().message);
  const std::scoped_lock lock(mutex_);
  kept_ = fresh;
  made_ = Steady::now();
  return fresh;
}

}  // namespace penstock

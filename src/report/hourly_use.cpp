#include "report/hourly_use.h"

namespace penstock {

void HourlyUse::hold(Time now, const State& state) {
  using std::chrono::hours;
  while (until_ < now) {
    const auto hour = std::chrono::floor<hours>(until_);
    const Time next = std::min<Time>(now, hour + hours(1));
    const auto of_day =
        static_cast<std::size_t>((hour - std::chrono::floor<std::chrono::days>(until_)).count());
    const double length = seconds(next - until_) / 3600;
    for (std::uint32_t i = 0; i < sites_.size(); ++i)
      sites_[i].at(of_day) += length * state.site(SiteId{i}).busy_gpus;
    until_ = next;
  }
}

}  // namespace penstock

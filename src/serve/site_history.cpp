#include "serve/site_history.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace penstock {

using nlohmann::ordered_json;

void SiteHistory::add(Time now, std::span<const SiteSample> sites) {
  const std::int64_t step = step_of(now);
  while (!steps_.empty() && last_ > step) {
    steps_.pop_back();
    --last_;
  }
  if (!steps_.empty() && last_ == step) return;
  const auto gap = steps_.empty() ? 0 : static_cast<std::size_t>(step - last_ - 1);
  if (gap >= length_.most)
    steps_.clear();
  else
    steps_.resize(steps_.size() + gap);
  steps_.emplace_back(std::vector<SiteSample>(sites.begin(), sites.end()));
  last_ = step;
  while (steps_.size() > length_.most) steps_.pop_front();
}

ordered_json SiteHistory::as_json(std::span<const std::string> names) const {
  const auto column = [&](std::size_t site, const auto& value_of) {
    ordered_json values = ordered_json::array();
    for (const Step& step : steps_)
      values.push_back(step ? ordered_json(value_of((*step)[site])) : ordered_json());
    return values;
  };
  ordered_json sites = ordered_json::array();
  for (std::size_t i = 0; i < names.size(); ++i)
    sites.push_back(
        {{"name", names[i]},
         {"power_w", column(i, [](const SiteSample& s) { return std::round(s.power.value()); })},
         {"busy_gpus", column(i, [](const SiteSample& s) { return s.busy_gpus; })},
         {"queued", column(i, [](const SiteSample& s) { return s.queued; })},
         {"running", column(i, [](const SiteSample& s) { return s.running; })}});
  const std::int64_t first = last_ + 1 - static_cast<std::int64_t>(steps_.size());
  return {{"every_s", seconds(length_.every)},
          {"from", steps_.empty() ? ordered_json()
                                  : ordered_json(format_time(Time(first * length_.every)))},
          {"sites", sites}};
}

}  // namespace penstock

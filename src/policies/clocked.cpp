#include "policies/clocked.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "policies/elastic/curve.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

class Clocked final : public Policy {
 public:
  /// Without a clock each job gets the one that needs least energy.
  Clocked(std::optional<std::uint32_t> mhz, std::unique_ptr<Policy> inner)
      : mhz_(mhz), inner_(std::move(inner)) {}

  Decision decide(const View& view) override {
    Decision decision = inner_->decide(view);
    for (Action& action : decision.actions) {
      if (auto* start = std::get_if<Start>(&action)) choose(*start, view, decision);
      if (auto* resize = std::get_if<Resize>(&action)) choose(*resize, view, decision);
    }
    return decision;
  }

 private:
  template <class What>
  void choose(What& what, const View& view, Decision& decision) const {
    const Cluster& cluster = view.state.cluster();
    const Node& node = cluster.node(what.where.front().first);
    const Job& job = view.state.job(what.job).job;
    const Profile* profile = view.models.find(job, node.type);
    if (profile == nullptr || what.knobs.clock_mhz) return;
    const Config config{.gpus = gpu_count(what.where),
                        .nodes = node_count(what.where, cluster),
                        .batch = what.knobs.batch.value_or(job.batch)};
    what.knobs.clock_mhz = mhz_ ? *mhz_ : thriftiest_clock(*profile, cluster.type(node), config);
    add_reason(view, decision, what.job, [&] {
      return fmt::format(
          "at {} MHz: {}", *what.knobs.clock_mhz,
          mhz_ ? "the option clock says so"
               : "with this clock it needs least energy on " + gpus_label(config.gpus));
    });
  }

  std::optional<std::uint32_t> mhz_;
  std::unique_ptr<Policy> inner_;
};

std::string clocks_of(const GpuType& type) {
  if (type.clock_step_mhz == 0 || type.max_clock_mhz == 0)
    return fmt::format("{} has no clocks that can be set", type.name);
  return fmt::format("{} has {} to {} MHz in steps of {}", type.name, type.min_clock_mhz,
                     type.max_clock_mhz, type.clock_step_mhz);
}

}  // namespace

Result<std::unique_ptr<Policy>> make_clocked(const PolicySetting& setting, const std::string& text,
                                             std::unique_ptr<Policy> inner) {
  if (text == "max") return inner;
  if (text == "zeus")
    return std::unique_ptr<Policy>(std::make_unique<Clocked>(std::nullopt, std::move(inner)));
  std::uint32_t mhz = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, mhz);
  if (error != std::errc() || stop != end)
    return Error{fmt::format("clock: '{}' is not possible; {}", text, kClockOption.meaning)};
  for (const GpuType& type : setting.cluster.types)
    if (!has_clock(type, mhz))
      return Error{fmt::format("clock: {} MHz is not possible; {}", mhz, clocks_of(type))};
  return std::unique_ptr<Policy>(std::make_unique<Clocked>(mhz, std::move(inner)));
}

}  // namespace penstock

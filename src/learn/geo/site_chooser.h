#pragma once

#include <optional>
#include <string>

#include "base/rng.h"
#include "learn/net/actor_critic.h"
#include "learn/net/losses.h"

namespace penstock {

/// What was chosen in a window, and how likely that was.
struct SiteChoice {
  std::uint32_t item = 0;
  double log_probability = 0;
};

/// Chooses an item of each window that GeoObserver shows. Never a barred one.
class SiteChooser {
 public:
  virtual ~SiteChooser() = default;
  /// Choices are in the order of the windows.
  virtual void choose(const Windows& windows, std::vector<SiteChoice>& out) = 0;
  /// What it goes by, for people.
  virtual std::string why(const SiteChoice& /*choice*/) const { return "its agent chose so"; }
};

/// The likeliest item by a network, or one by chance.
class NetSiteChooser final : public SiteChooser {
 public:
  /// `net` must outlive it. Without `chance` it takes the likeliest.
  explicit NetSiteChooser(const ActorCritic& net, std::optional<Rng> chance = std::nullopt)
      : net_(net), chance_(chance) {}
  void choose(const Windows& windows, std::vector<SiteChoice>& out) override;
  std::string why(const SiteChoice& choice) const override;

 private:
  const ActorCritic& net_;
  std::optional<Rng> chance_;
  std::vector<float> logits_;
  Categorical now_;
};

/// The least predicted cost, of sites with room; where none has room, the least wait for its
/// slack. Waits, if it may, for what costs less by at least a fiftieth of a job's mean cost.
class ThriftyChooser final : public SiteChooser {
 public:
  explicit ThriftyChooser(bool waits) : waits_(waits) {}
  void choose(const Windows& windows, std::vector<SiteChoice>& out) override;
  std::string why(const SiteChoice& choice) const override;

 private:
  std::uint32_t choose(const Window& window, std::size_t features) const;
  bool waits_;
};

}  // namespace penstock

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "model/gpu_type.h"
#include "model/profile.h"

namespace penstock {

/// One way of running a kind of training, and what it gives.
struct Way {
  std::uint32_t gpus = 1;
  std::uint32_t clock_mhz = 0;
  double batch = 1;
  Speed speed{};
  Watts draw{};   ///< of all its GPUs, more than if they were idle
  Watts nodes{};  ///< their part of the nodes around them, where idle nodes sleep
  friend bool operator==(const Way&, const Way&) = default;
};

/// The pool for which a curve is made: sizes of nodes and jobs, and power that a job's own draw
/// does not show.
struct CurveContext {
  std::uint32_t node_gpus = 1;  ///< of the largest node
  std::uint32_t most_gpus = 1;  ///< that one job could get
  Watts idle{};                 ///< drawn anyway, so not counted
  Watts node{};                 ///< a GPU's part of its node, counted where idle nodes sleep
  bool lowers_clocks = true;    ///< if not, every way has the highest clock
};

/// The ways of one kind of training on one GPU type that are worth choosing from: for each
/// number of GPUs, a power of two, clocks upwards from the one that needs least energy for
/// the work, each with the batch that makes it fastest or with the one that was asked for.
class Curve {
 public:
  /// What a job that asked for a batch, or for more GPUs than its kind was measured on, may do
  /// besides or instead. Jobs of a kind for which it is the same have the same curve.
  struct Asked {
    bool keeps_batch = false;
    double batch = 0;         ///< 0 if it is neither kept nor needed for `gpus`
    std::uint32_t gpus = 0;   ///< with them and the batch it may run too; 0 if within the range
    bool keeps_gpus = false;  ///< it may not run with others
    auto operator<=>(const Asked&) const = default;
  };

  struct Level {
    std::uint32_t gpus = 1;
    std::uint32_t first = 0;  ///< of its ways
    std::uint32_t count = 0;
  };

  Curve(const Profile& profile, const GpuType& type, const CurveContext& context,
        const Asked& asked);
  Curve(const Profile& profile, const GpuType& type, const CurveContext& context)
      : Curve(profile, type, context, Asked{}) {}
  /// A single way, for a job that cannot be changed.
  explicit Curve(const Way& only) : Curve(std::vector<Way>{only}) {}
  /// A curve of the given ways, sorted by GPUs and then by speed; for tests.
  explicit Curve(std::vector<Way> ways);

  std::span<const Way> ways() const { return ways_; }
  std::span<const Level> levels() const { return levels_; }
  /// The indices of all ways.
  std::span<const std::uint32_t> fastest_first() const { return fastest_first_; }
  bool empty() const { return ways_.empty(); }
  const Way& way(std::uint32_t index) const { return ways_[index]; }
  std::uint32_t level_of(std::uint32_t way) const;

  /// The way in which a unit of work is cheapest if every joule counts as `price` seconds; at 0 the
  /// fastest of all.
  const Way& cheapest(double price) const;
  /// For a unit of work, in the way that needs least of them.
  double least_gpu_seconds() const { return least_gpu_seconds_; }

  /// One clock more with the same GPUs.
  std::optional<std::uint32_t> faster_clock(std::uint32_t way) const;
  /// The next number of GPUs at which it is faster, with the least clock for that.
  std::optional<std::uint32_t> more_gpus(std::uint32_t way) const;

 private:
  /// A way that is the cheapest for some prices.
  struct CheapestWay {
    std::uint32_t way = 0;
    double below = 0;  ///< the price under which it beats the one before
  };
  void order_ways();
  void find_cheapest_ways();
  struct Size {
    std::uint32_t gpus = 1;
    std::optional<double> batch{};  ///< absent: the fastest
  };
  static Size asked_size(const Asked& asked);
  void add_level(const Profile& profile, const GpuType& type, const CurveContext& context,
                 const Size& size);
  std::vector<Way> ways_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> fastest_first_;
  std::vector<CheapestWay> cheapest_ways_;  ///< least energy first
  double least_gpu_seconds_ = std::numeric_limits<double>::infinity();
};

/// The fastest of the batches in range for these GPUs; nothing if none runs on so many. It looks at
/// doublings of the least, and of the largest that fits into memory at once: those need the fewest
/// parts.
std::optional<double> fastest_batch(const Profile& profile, Config config);

/// Energy for one unit of work.
inline double joules_per_work(const Way& way) {
  return (way.draw + way.nodes).value() / (way.speed.value() * 1e3);
}

/// Time for one unit of work.
inline double seconds_per_work(const Way& way) {
  return 1 / (way.speed.value() * 1e3);
}

/// The clock that Zeus looks for (You et al., NSDI'23): with it a job, run so, has the least of
/// eta · energy + (1 - eta) · peak power · time for its work, over its GPUs. At eta 1 that is least
/// energy, at 0 least time.
std::uint32_t zeus_clock(const Profile& profile, const GpuType& type, Config config, double eta);

/// Clocks to choose from, the lowest first: the highest, and at most eight below it.
std::vector<std::uint32_t> chosen_clocks(const GpuType& type);

}  // namespace penstock

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/job.h"

namespace penstock {

/// A period in which a job ran with the same GPUs, clock and batch size.
struct RealRun {
  Duration worked{};  ///< how long it got on, without what starting it again took
  std::uint32_t gpus = 1;
  std::uint32_t nodes = 1;
  std::uint32_t clock_mhz = 0;  ///< 0: the highest
  double batch = 0;             ///< over all GPUs; 0: the one it asked for
  std::string type{};           ///< of its GPUs, by the trace's name
  std::string site{};           ///< by the trace's name
};

/// A job with its true run time and work. Given to backends, never to policies.
struct TracedJob {
  Job job{};
  Duration actual{};       ///< how long it really runs on the GPUs it asked for
  Work work{};             ///< what it really has to do, if it is not rigid
  double load = 1;         ///< draws idle + load · (peak − idle) on each of its GPUs
  std::string gpu_spec{};  ///< GPU types by the trace's names, "A|B"; empty for any
  /// How it really ran, where the trace knows: such a job scales if its kind is one of the models,
  /// and is rigid otherwise.
  std::vector<RealRun> runs{};
  std::uint32_t gpus_least = 0;  ///< between which it may scale; 0: exactly what it asked for
  std::uint32_t gpus_most = 0;
};

/// Jobs in order of submission, numbered 0, 1, 2 … as `job.id`; parents come
/// before their children.
class JobSource {
 public:
  virtual ~JobSource() = default;
  /// The next job, or nothing when there are no more.
  virtual std::optional<TracedJob> next() = 0;
};

/// The jobs of a vector, which must outlive the source.
class VectorSource final : public JobSource {
 public:
  explicit VectorSource(const std::vector<TracedJob>& jobs) : jobs_(jobs) {}
  std::optional<TracedJob> next() override {
    if (at_ == jobs_.size()) return std::nullopt;
    return jobs_[at_++];
  }

 private:
  const std::vector<TracedJob>& jobs_;
  std::size_t at_ = 0;
};

}  // namespace penstock

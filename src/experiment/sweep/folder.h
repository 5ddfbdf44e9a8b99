#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/sweep/plan.h"

namespace penstock {

/// A point that could not be run, and why.
struct FailedPoint {
  std::size_t point = 0;
  std::string reason{};
};

/// Where a sweep keeps its results: a folder for each point, whose summary.json appears whole when
/// the point has ended. Points that are there are never run again. The plan must outlive it.
class SweepFolder {
 public:
  /// Makes the folder where there is none. Refuses one with anything else than points of the plan,
  /// and what was made of them.
  static Result<SweepFolder> open(const std::filesystem::path& dir, const SweepPlan& plan);
  /// The folder of a sweep that another process has made; what is in it is not checked.
  static Result<SweepFolder> open_existing(const std::filesystem::path& dir, const SweepPlan& plan);

  const std::filesystem::path& path() const { return dir_; }
  std::filesystem::path slurm() const { return dir_ / "slurm"; }
  std::filesystem::path point_path(std::size_t point) const {
    return dir_ / plan_->points[point].folder;
  }
  const SweepPlan& plan() const { return *plan_; }

  bool has(std::size_t point) const;
  /// The points that are not there, in their order.
  std::vector<std::size_t> missing() const;
  /// Makes the folder of a point, for what its run writes.
  Result<Done> create_point(std::size_t point) const;
  Result<Done> store(std::size_t point, std::string_view summary) const;
  /// The summary of a point that is there.
  Result<std::string> read(std::size_t point) const;

  /// Writes down why a point could not be run.
  void store_failure(std::size_t point, std::string_view reason) const;
  /// Why those of these points failed that did.
  std::vector<FailedPoint> failures(const std::vector<std::size_t>& points) const;
  void remove_failures(const std::vector<std::size_t>& points) const;

 private:
  SweepFolder(std::filesystem::path dir, const SweepPlan& plan)
      : dir_(std::move(dir)), plan_(&plan) {}

  std::filesystem::path dir_;
  const SweepPlan* plan_;
};

/// An error about the folder of a sweep: "--out X: ...".
Error out_error(const std::filesystem::path& dir, std::string_view what);

}  // namespace penstock

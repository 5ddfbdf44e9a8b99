#pragma once

#include <span>

#include "base/rng.h"
#include "joint/filling.h"
#include "joint/preferences.h"

namespace penstock {

/// How far a randomised plan strays from the greedy one; as published, but for `fewest`.
struct Luck {
  double swap = 0.05;        ///< neighbours in the queue change places by a half, less or more this
  double options = 0.05;     ///< the share of its options from which a job takes one by chance
  double nodes = 0.2;        ///< the same of the nodes with room for it
  std::uint32_t fewest = 2;  ///< at least so many, where there are; published: 1
};

/// Builds complete plans job by job, each in the first of its ways for which there is room:
/// on the best fitting node in use, or else on an unused one. Keeps its buffers.
class Builder {
 public:
  /// `problem` must outlive it.
  explicit Builder(const JointProblem& problem);

  /// Jobs in this order, each by its wishes.
  Assignments greedy(std::span<const std::uint32_t> order, std::span<const Wishes> wishes);
  /// The same with some luck.
  Assignments randomised(std::span<const std::uint32_t> order, std::span<const Wishes> wishes,
                         const Luck& luck, Rng rng);
  /// Jobs that run stay as they are; others start in this order where there is room.
  Assignments untouched(std::span<const std::uint32_t> order, std::span<const Wishes> wishes);

 private:
  struct Draw;
  void place(std::uint32_t job, const Wishes& wishes, Draw* draw);
  bool try_option(std::uint32_t job, std::uint32_t option, Draw* draw);
  bool try_stay(std::uint32_t job, std::uint32_t option);
  void assign(std::uint32_t job, std::uint32_t node, std::uint32_t option);
  void use_what_is_paid();
  bool is_paid(std::uint32_t job, std::uint32_t node, const JointOption& wider) const;
  bool widen(std::uint32_t node);

  const JointProblem& problem_;
  Filling filling_;
  Assignments plan_;
  std::vector<std::vector<std::uint32_t>> on_;  ///< jobs by node
};

}  // namespace penstock

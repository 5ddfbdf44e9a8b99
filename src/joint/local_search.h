#pragma once

#include <functional>
#include <span>

#include "joint/search.h"

namespace penstock {

using Changes = std::vector<Change>;
using Visit = std::function<void(std::span<const Change>)>;

/// The moves of local search, as published, seven kinds of them: a late job and an expensive one
/// on another node change places; a late one and one of low pressure do; a waiting one replaces
/// one of lower pressure; a late one goes to a faster type; it gets more GPUs; it gets fewer;
/// two jobs of a node divide their GPUs otherwise. Jobs that would be late come before others,
/// and only the first few of each list are looked at.
class Moves {
 public:
  static constexpr std::size_t kKinds = 7;
  Moves(const JointPlan& plan, const Search& search, std::size_t most_jobs);

  /// Visits every move of one kind, whether or not there is room for it. The visitor may make
  /// moves: jobs are listed as they were at first, and moved as they then are.
  void list(std::size_t kind, const Visit& visit) const;

 private:
  void exchange(std::uint32_t a, std::uint32_t b, const Visit& visit) const;
  void replace(std::uint32_t waiting, std::uint32_t running, const Visit& visit) const;
  void change_type(std::uint32_t job, const Visit& visit) const;
  void change_size(std::uint32_t job, bool larger, const Visit& visit) const;
  void divide(std::uint32_t job, const Visit& visit) const;
  void divide_with(std::uint32_t job, std::uint32_t other, const Visit& visit) const;

  const JointPlan& plan_;
  const JointProblem& problem_;
  std::vector<std::uint32_t> pressing_;   ///< that run, most pressing first
  std::vector<std::uint32_t> relaxed_;    ///< that run, least pressing first
  std::vector<std::uint32_t> expensive_;  ///< that run, by what they cost
  std::vector<std::uint32_t> waiting_;    ///< most pressing first
};

/// Makes the changes if there is room, then starts waiting jobs where they left room. `undo` gets
/// the changes that undo it. False, and nothing is changed, if there is no room.
bool apply(JointPlan& plan, std::span<const Change> changes, const Search& search, Changes& undo);
/// Undoes what apply() did.
void undo_changes(JointPlan& plan, const Changes& undo);

}  // namespace penstock

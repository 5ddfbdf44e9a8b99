#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/survival.h"
#include "model/cluster.h"
#include "model/profile.h"

namespace penstock {

/// How long an epoch of a kind takes on so many GPUs of one type.
struct AndreasTime {
  std::string gpu{};  ///< as the table calls the type
  std::uint32_t gpus = 1;
  double seconds = 0;
};

/// What is trained, and how long an epoch of it takes.
struct AndreasKind {
  std::string name{};     ///< the application; with its batch if the table has it with several
  double memory_gib = 0;  ///< that it needs on each GPU; 0 if the table does not say
  std::vector<AndreasTime> times{};
};

/// One that jobs are drawn from: a kind and how many epochs of it.
struct AndreasJob {
  std::string name{};
  std::size_t kind = 0;  ///< its place among the kinds
  double epochs = 1;
};

/// The applications of ANDREAS's authors, with execution times measured by GPU type and number of
/// GPUs.
struct AndreasTable {
  std::string file{};
  std::vector<AndreasKind> kinds{};
  std::vector<AndreasJob> jobs{};
  std::vector<std::string> notes{};  ///< what a reader should know
};

/// Reads either layout: with TimePerEpoch and ExecutionTime, or with ExecutionTime alone. Where
/// jobs of one kind differ, an epoch takes the middle one of their times; by a tenth, with a note.
Result<AndreasTable> parse_andreas(std::string_view text, const std::string& file);

/// A table of times for each kind and GPU type. Where the cluster has the type, whatever its
/// case, it is called as there and each GPU in use draws its peak.
std::vector<Profile> andreas_profiles(const AndreasTable& table, const Cluster& cluster);

/// What a kind can be on the machines of a cluster; times are seconds for an epoch.
struct AndreasFit {
  std::vector<GpuTypeId> types{};  ///< that can run it, in the cluster's order
  std::uint32_t gpus = 0;          ///< the fewest with which the first of them can; 0 if none can
  double asked = 0;                ///< with those, on the first of them
  double single = 0;               ///< with as many, on the fastest type
  double least = 0;                ///< of all ways
  double most = 0;
  std::vector<double> thriftiest{};  ///< by `types`: the least GPU time of a way, in GPU-seconds
  bool runs() const { return gpus > 0; }
};
AndreasFit fit_to_cluster(const AndreasKind& kind, const Cluster& cluster);

/// How much of its stated epochs a family of applications needs, in parts of them.
struct EpochFamily {
  std::string name{};  ///< "PY_alexnet"
  Survival needed = Survival::certain(1);
};

/// Reads a column for each family; row i of n is the probability of i/n to (i + 1)/n.
Result<std::vector<EpochFamily>> parse_epochs(std::string_view text, const std::string& file);

/// The place of the family of an application: by its framework (TF for names that begin with tf
/// or tensorflow, else PY) and network, else by its framework, else PY. The error lists those that
/// there are.
Result<std::size_t> family_of(std::string_view application,
                              const std::vector<EpochFamily>& families);

}  // namespace penstock

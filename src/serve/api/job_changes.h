#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "live/site/slurm_site.h"

namespace penstock {

/// Finds the jobs of a site that have changed since the last call. Keeps a few bytes of each job.
class JobChanges {
 public:
  struct Changes {
    std::vector<const TrackedJob*> changed{};  ///< or new
    std::vector<std::string> gone{};           ///< by ref
    std::size_t count() const { return changed.size() + gone.size(); }
  };
  /// The first call returns nothing.
  Changes update(const SlurmSite& site);

 private:
  struct Known {
    std::string ref{};
    std::size_t print = 0;  ///< a hash of all that readers may see change
  };
  std::vector<Known> known_;  ///< in the order of SlurmSite::jobs()
  bool looked_ = false;
};

}  // namespace penstock

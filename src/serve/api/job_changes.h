#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "live/site/slurm_site.h"

namespace penstock {

/// Which jobs of a site are not what they were when it last looked. Keeps a few bytes of each.
class JobChanges {
 public:
  struct Changes {
    std::vector<const TrackedJob*> changed{};  ///< or new
    std::vector<std::string> gone{};           ///< by ref
    std::size_t count() const { return changed.size() + gone.size(); }
  };
  /// The first look finds nothing: nobody knows of anything before.
  Changes update(const SlurmSite& site);

 private:
  struct Known {
    std::string ref{};
    std::size_t print = 0;  ///< of all that readers may see change
  };
  std::vector<Known> known_;  ///< in the order of SlurmSite::jobs()
  bool looked_ = false;
};

}  // namespace penstock

#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "fit/refit.h"
#include "model/models.h"
#include "model/profile.h"

namespace penstock {

/// How far predictions are from the truth, as parts of it.
struct BeliefError {
  double throughput = 0;
  double draw = 0;
};

/// The mean absolute errors of what `believed` predicts, over a fixed grid of ways of running
/// on nodes of eight GPUs: every power of two of GPUs that the profile allows, up to 16; three
/// batches for each; five clocks from half the highest up. Of a table, what it holds.
BeliefError belief_error(const Profile& believed, const Profile& truth);

struct RefittingOptions {
  double instrument = 0;  ///< standard deviation of the logarithm of each measurement
  /// How far a parameter may be from its start, as a standard deviation of its logarithm.
  double doubt = 0.3;
  double doubt_of_guess = 1.0;  ///< that deviation where the start was a guess
};

/// Keeps the initial models until measurements of jobs contradict them, and then fits models to
/// both. Keeps, for each kind and GPU type, the mean of all measurements of each of the latest ways
/// of running. Nothing is fitted while measurements agree with the models. The same `chance` and
/// the same observations give the same models.
class RefittingLearner final : public Learner {
 public:
  RefittingLearner(Models start, const RefittingOptions& options, Rng chance);
  const Models& models() const override { return models_; }
  void observe(const Observation& seen) override;

  std::uint64_t fits() const { return fits_; }

 private:
  /// The mean of what was measured of one way of running.
  struct Measured {
    Config config{};
    double log_seconds = 0;  ///< of one iteration, or of one epoch by a table
    double log_draw = 0;
    std::uint32_t count = 0;
  };
  struct Notes {
    Profile start{};
    bool was_guess = false;
    std::vector<Measured> ways{};  ///< the one seen last at the end
    std::uint32_t count = 0;       ///< of all observations
    std::uint32_t since_fit = 0;
  };

  Notes& notes_on(const Observation& seen);
  const Measured& note(Notes& notes, const Observation& seen, const Profile& believed);
  Profile fitted(const Notes& notes) const;
  Profile fitted_table(const Notes& notes, double doubt) const;
  bool is_due(const Notes& notes, const Measured& way, const Profile& believed) const;
  bool is_now_known(const Notes& notes, const Observation& seen) const;
  void adopt(const Observation& seen, Notes& notes);

  Models models_;
  RefittingOptions options_;
  Rng chance_;
  std::map<std::pair<KindId, GpuTypeId>, Notes> notes_;
  std::uint64_t fits_ = 0;
};

}  // namespace penstock

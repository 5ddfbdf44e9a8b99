#pragma once

#include "model/models.h"

namespace penstock {

/// How a job was seen to get on for a while.
struct Observation {
  KindId kind{};
  GpuTypeId type{};
  Config config{};
  Duration over{};  ///< how long it was watched
  Speed speed{};
  Watts draw{};  ///< of all its GPUs
};

/// Someone who believes something about how jobs scale and learns from what is seen.
class Learner {
 public:
  virtual ~Learner() = default;
  virtual const Models& models() const = 0;
  virtual void observe(const Observation& seen) = 0;
};

/// Knows from the start, and for good.
class Knowing final : public Learner {
 public:
  explicit Knowing(Models models) : models_(std::move(models)) {}
  const Models& models() const override { return models_; }
  void observe(const Observation& /*seen*/) override {}

 private:
  Models models_;
};

}  // namespace penstock

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "app/train_text.h"
#include "base/result.h"

namespace penstock {

/// Where a training writes to, and how often.
struct TrainFiles {
  std::string out{};   ///< the weights
  std::string csv{};   ///< of the curve
  std::string plot{};  ///< the same
  std::uint32_t checkpoint_every = 10;
  bool resume = false;
  bool shown = true;  ///< progress

  std::filesystem::path checkpoint() const { return out + ".checkpoint"; }
};

/// Any trainer, step by step.
struct TrainingSteps {
  std::function<Result<Done>(std::string_view)> resume{};
  std::function<bool()> finished{};
  std::function<Result<Done>()> step{};
  std::function<std::string()> checkpoint{};
  std::function<TrainingStory()> story{};
};

/// `trainer` must outlive the steps.
template <class T>
TrainingSteps steps_of(T& trainer, const std::function<TrainingStory()>& story) {
  return {.resume = [&trainer](std::string_view bytes) { return trainer.resume(bytes); },
          .finished = [&trainer] { return trainer.finished(); },
          .step = [&trainer] { return trainer.step(); },
          .checkpoint = [&trainer] { return trainer.checkpoint(); },
          .story = story};
}

/// Takes the state of the checkpoint, if that is asked for.
Result<Done> begin_training(const TrainFiles& files, const TrainingSteps& steps);
/// Goes on to the end and says how it goes on stderr. Checkpoints are written all or nothing; a
/// step that fails leaves the state before it as the checkpoint.
Result<Done> run_training(const TrainFiles& files, const TrainingSteps& steps);
/// The curve and its picture.
Result<Done> write_curve(const TrainFiles& files, const TrainingStory& story,
                         std::string_view title);

/// Texts for whoever finds the weights, with the curve and the version added.
std::map<std::string, std::string> about_training(const TrainingStory& story,
                                                  std::map<std::string, std::string> texts);

}  // namespace penstock

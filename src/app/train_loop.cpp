#include "app/train_loop.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "base/version.h"
#include "io/text/file.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

/// Says how it goes on stderr: one line rewritten on a terminal, one every few seconds elsewhere.
class Commentary {
 public:
  explicit Commentary(bool shown) : shown_(shown), terminal_(isatty(STDERR_FILENO) != 0) {}

  void note(const TrainingStory& story) {
    const CurvePoint& at = story.curve.back();
    decisions_ += at.decisions;
    updates_ += at.update > 0 ? 1 : 0;
    const double elapsed = since(begun_);
    const bool due = at.update == 0 || since(said_) > (terminal_ ? 0.1 : 5.0);
    if (!shown_ || !due) return;
    said_ = Clock::now();
    const std::string text = progress_text(story, {elapsed, decisions_, updates_});
    const bool keep = !terminal_ || at.update == 0;
    fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1b[K" : "", text, keep ? "\n" : "");
  }
  void finish() const {
    if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  static double since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }
  bool shown_;
  bool terminal_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point said_ = begun_;
  std::uint64_t decisions_ = 0;
  std::size_t updates_ = 0;
};

}  // namespace

Result<Done> begin_training(const TrainFiles& files, const TrainingSteps& steps) {
  if (!files.resume) return Done{};
  const auto bytes = read_file(files.checkpoint());
  if (!bytes) return bytes.error();
  if (auto fine = steps.resume(*bytes); !fine)
    return std::move(fine).error().in(files.checkpoint().string());
  return Done{};
}

Result<Done> run_training(const TrainFiles& files, const TrainingSteps& steps) {
  Commentary commentary(files.shown);
  for (std::uint32_t count = 1; !steps.finished(); ++count) {
    if (auto done = steps.step(); !done) {
      commentary.finish();
      if (auto kept = replace_file(files.checkpoint(), steps.checkpoint()); !kept) return kept;
      return Error{fmt::format("training stopped: {}; the last good state is in {}",
                               done.error().message, files.checkpoint().string())};
    }
    commentary.note(steps.story());
    if (count % files.checkpoint_every != 0 && !steps.finished()) continue;
    if (auto kept = replace_file(files.checkpoint(), steps.checkpoint()); !kept) return kept;
  }
  commentary.finish();
  return Done{};
}

Result<Done> write_curve(const TrainFiles& files, const TrainingStory& story,
                         std::string_view title) {
  if (auto done = replace_file(files.csv, training_csv(story)); !done) return done;
  return replace_file(files.plot, training_svg(story, title));
}

std::map<std::string, std::string> about_training(const TrainingStory& story,
                                                  std::map<std::string, std::string> texts) {
  texts["curve"] = curve_summary(story);
  texts["curve_csv"] = training_csv(story);
  texts["version"] = kVersion;
  return texts;
}

}  // namespace penstock

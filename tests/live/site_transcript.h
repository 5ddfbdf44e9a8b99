#pragma once

#include <fmt/format.h>

#include <string>

#include "live/live_world.h"

namespace penstock {

/// `count` GPUs from `first` on.
inline Placement gpus(std::uint32_t first, std::uint32_t count) {
  return {{GpuId{first}, count}};
}

/// What happens at a site, a line each: events as the scheduler hears them, `->` what is asked of
/// Slurm, `=` what became of it. Times are seconds since noon.
class SiteTranscript {
 public:
  explicit SiteTranscript(std::uint32_t nodes = 2,
                          const std::function<void(SiteOptions&)>& change = {})
      : world(nodes, change) {}

  LiveWorld world;
  std::string text = "\n";

  FakeCluster& slurm() { return world.slurm; }
  SlurmSite& site() { return *world.site; }

  /// A job as job_submit.lua leaves it.
  FakeJob& held(FakeJob job) {
    job.held = true;
    job.admin_comment = "penstock: held";
    return world.slurm.add_job(std::move(job));
  }
  void pass(double s) {
    const Time until = world.slurm.now() + round_duration(s);
    while (true) {
      world.site->poll(world.slurm.now());
      flush();
      if (world.site->has_news()) add_events();
      if (world.slurm.now() >= until) return;
      world.slurm.advance_to(std::min(until, world.slurm.now() + std::chrono::milliseconds(100)));
    }
  }
  void act(const Action& action) {
    world.site->execute({action, {"the test wants it", world.slurm.now()}});
    flush();
  }
  JobId id(const std::string& ref) const { return *world.site->find(ref)->id; }
  void add_line(const std::string& what) { text += at() + what + "\n"; }

  void flush() {
    world.flush();
    for (; received_ < world.connection.received.size(); ++received_)
      add_line("-> " + order_text(world.connection.received[received_]));
    for (; answered_ < world.answers.size(); ++answered_) {
      const JournalAnswer& answer = world.answers[answered_];
      const std::string why = answer.text.empty() ? "" : ": " + answer.text;
      add_line(fmt::format("= {} {}{}", answer.request, name_of(answer.state), why));
    }
  }

 private:
  std::string at() const { return fmt::format("{:.1f} ", seconds(world.slurm.now() - kNoon)); }
  static std::string order_text(const std::string& line_of_json) {
    auto request = nlohmann::json::parse(line_of_json);
    std::string line = request.at("do").get<std::string>();
    if (request.contains("job")) line += " " + request.at("job").get<std::string>();
    request.erase("do");
    request.erase("job");
    return line + " " + request.dump();
  }
  static std::string place_text(const Placement& where) {
    std::string line;
    for (const GpuRange& range : where)
      line += fmt::format(" {}+{}", range.first.index, range.count);
    return line;
  }
  struct EventText {
    std::string operator()(const JobSubmitted& e) const { return of(e.job, "is submitted"); }
    std::string operator()(const JobReady& e) const { return of(e.job, "is ready"); }
    std::string operator()(const JobFinished& e) const {
      return of(e.job, e.outcome == Outcome::killed ? "is killed" : "finishes");
    }
    std::string operator()(const JobInterrupted& e) const { return of(e.job, "is interrupted"); }
    std::string operator()(const NodeFailed& e) const {
      return fmt::format("n{} fails", e.node.index);
    }
    std::string operator()(const NodeRepaired& e) const {
      return fmt::format("n{} is repaired", e.node.index);
    }
    std::string operator()(const JobArrived& e) const { return of(e.job, "arrives"); }
    std::string operator()(const JobWithdrawn& e) const { return of(e.job, "is withdrawn"); }
    std::string operator()(const JobStarted& e) const {
      return of(e.job, "was started on") + place_text(e.where);
    }
    std::string operator()(const JobMeasured& e) const {
      std::string line = of(e.job, "was measured:");
      if (e.progress)
        line += fmt::format(" {:.6g} done at {:.1f}", e.progress->done.value(),
                            seconds(e.progress->since - kNoon));
      if (e.drew) line += fmt::format(" drew {:.6g} W", e.drew->value());
      return line;
    }
    std::string operator()(const Refused& /*e*/) const { return "refused"; }
    static std::string of(JobId job, const char* what) {
      return fmt::format("job {} {}", job.index, what);
    }
  };
  void add_events() {
    Batch batch;
    batch.now = world.slurm.now();
    world.site->move_into(batch);
    for (const Event& event : batch.events) add_line(std::visit(EventText{}, event));
  }

  std::size_t received_ = 0;
  std::size_t answered_ = 0;
};

}  // namespace penstock

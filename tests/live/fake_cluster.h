#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"

namespace penstock {

/// A job of the fake cluster. Its tasks, if it is of an array, are jobs of their own.
struct FakeJob {
  std::int64_t number = 0;
  std::string ref{};
  std::int64_t array_job = 0;  ///< 0 if it is no task
  std::uint32_t array_task = 0;
  std::string user = "ann";
  std::string partition = "main";
  std::string comment{};
  std::string admin_comment{};
  std::string gpu_type{};
  std::string reason = "none";
  std::string dependency{};
  std::optional<Time> begins{};
  std::string work_dir{};
  std::string state = "pending";
  bool held = false;
  bool requeue = true;
  bool saves = false;  ///< what it did in a run counts in the next
  std::uint32_t gpus = 1;
  std::uint32_t gpus_per_node = 0;  ///< 0: any number on any node
  std::uint32_t clock_mhz = 0;
  std::uint32_t restarts = 0;
  std::uint32_t signals = 0;  ///< that it has had
  Duration length = std::chrono::minutes(5);
  Duration done{};
  Time submitted{};
  Time eligible{};
  std::optional<Time> completes{};  ///< until then its processes are being ended
  std::optional<Time> started{};
  std::optional<Time> ended{};
  std::vector<std::string> wanted{};                        ///< exactly these nodes
  std::vector<std::string> ran_on{};                        ///< or runs
  std::map<std::string, std::set<std::uint32_t>> holds{};   ///< GPUs by node, while it runs
  std::map<std::string, std::set<std::uint32_t>> cleans{};  ///< the same while it completes

  bool waits() const { return state == "pending"; }
  bool runs() const { return state == "running"; }
  bool is_over() const { return !waits() && !runs(); }
};

struct FakeNode {
  std::string name{};
  std::string type{};
  std::uint32_t gpus = 0;
  std::string state = "idle";
  std::set<std::string> flags{};
  std::set<std::uint32_t> free{};

  bool can_work() const { return state != "down" && flags.empty(); }
};

/// A small Slurm in virtual time: jobs that are not held start `start_delay` after they could, in
/// the order of their numbers, first fit, or on exactly the nodes they were told.
class FakeCluster {
 public:
  Duration start_delay = std::chrono::milliseconds(300);
  Duration completing = std::chrono::milliseconds(100);
  Duration forgets = std::chrono::seconds(300);  ///< jobs that have ended
  bool starts = true;                            ///< does it start anything?

  explicit FakeCluster(Time now) : now_(now), changed_(now) {}

  void add_node(const std::string& name, const std::string& type, std::uint32_t gpus) {
    FakeNode node{.name = name, .type = type, .gpus = gpus};
    for (std::uint32_t i = 0; i < gpus; ++i) node.free.insert(i);
    nodes_.push_back(std::move(node));
  }
  FakeJob& add_job(FakeJob job) {
    if (job.number == 0) job.number = ++last_number_;
    last_number_ = std::max(last_number_, job.number);
    if (job.ref.empty())
      job.ref = job.array_job == 0
                    ? std::to_string(job.number)
                    : std::to_string(job.array_job) + "_" + std::to_string(job.array_task);
    job.submitted = job.eligible = now_;
    touch();
    return jobs_.insert_or_assign(job.ref, std::move(job)).first->second;
  }

  Time now() const { return now_; }
  Time changed() const { return changed_; }
  std::map<std::string, FakeJob>& jobs() { return jobs_; }
  FakeJob& job(const std::string& ref) { return jobs_.at(ref); }
  FakeJob* find(const std::string& ref) {
    const auto found = jobs_.find(ref);
    return found == jobs_.end() ? nullptr : &found->second;
  }
  std::vector<FakeNode>& nodes() { return nodes_; }
  FakeNode& node(const std::string& name) {
    return *std::ranges::find(nodes_, name, &FakeNode::name);
  }
  void touch() { changed_ = now_; }

  /// Lets time pass, in small steps.
  void advance_to(Time until) {
    constexpr Duration kStep = std::chrono::milliseconds(100);
    while (now_ < until) {
      now_ = std::min(until, now_ + kStep);
      for (auto& [ref, job] : jobs_) pass_time(job);
      if (starts)
        for (auto& [ref, job] : jobs_) try_start(job);
      std::erase_if(jobs_, [&](const auto& each) {
        return each.second.ended && now_ - *each.second.ended > forgets;
      });
    }
  }

  // What others do.
  void end(FakeJob& job, const std::string& state) {
    if (job.runs()) stop(job);
    job.state = state;
    job.ended = now_;
    touch();
  }
  void send_back(FakeJob& job, bool held) {
    if (job.saves) job.done = std::min(job.length, job.done + (now_ - *job.started));
    stop(job);
    job.state = "pending";
    job.held = held;
    job.started.reset();
    job.ran_on.clear();
    ++job.restarts;
    job.eligible = now_ + std::chrono::minutes(2);
    touch();
  }
  void set_node(const std::string& name, const std::string& state, std::set<std::string> flags) {
    FakeNode& changed = node(name);
    changed.state = state;
    changed.flags = std::move(flags);
    touch();
    if (state != "down") return;
    for (auto& [ref, job] : jobs_)
      if (job.runs() && job.holds.contains(name)) {
        if (job.requeue)
          send_back(job, false);
        else
          end(job, "node_fail");
      }
  }
  /// Starts it at once, if it fits: on these nodes, or where it likes.
  bool start(FakeJob& job, const std::vector<std::string>& where) {
    const auto wanted = std::exchange(job.wanted, where);
    const std::uint32_t each = job.gpus_per_node;
    if (!where.empty()) job.gpus_per_node = job.gpus / static_cast<std::uint32_t>(where.size());
    const auto found = room_for(job);
    job.wanted = wanted;
    job.gpus_per_node = each;
    if (!found) return false;
    begin(job, *found);
    return true;
  }
  /// GPUs that some job has, or that were lost.
  std::uint32_t busy(const FakeNode& node) const {
    return node.gpus - static_cast<std::uint32_t>(node.free.size());
  }
  /// Every GPU is free, or one job has it.
  bool is_sound() const {
    for (const FakeNode& node : nodes_) {
      std::size_t count = node.free.size();
      std::set<std::uint32_t> all = node.free;
      for (const auto& [ref, job] : jobs_)
        for (const auto* part : {&job.holds, &job.cleans})
          if (const auto has = part->find(node.name); has != part->end()) {
            count += has->second.size();
            all.insert(has->second.begin(), has->second.end());
          }
      if (count != node.gpus || all.size() != node.gpus) return false;
    }
    return true;
  }

 private:
  using Room = std::map<std::string, std::uint32_t>;

  void pass_time(FakeJob& job) {
    if (job.completes && now_ >= *job.completes) {
      for (const auto& [name, gpus] : job.cleans) node(name).free.insert(gpus.begin(), gpus.end());
      job.cleans.clear();
      job.completes.reset();
      touch();
    }
    if (job.runs() && now_ - *job.started >= job.length - job.done) end(job, "completed");
  }
  void try_start(FakeJob& job) {
    if (!job.waits() || job.held || job.completes || now_ < job.eligible + start_delay) return;
    if (const auto found = room_for(job)) begin(job, *found);
  }
  std::optional<Room> room_for(const FakeJob& job) const {
    Room room;
    std::uint32_t missing = job.gpus;
    for (const FakeNode& node : nodes_) {
      const bool named = std::ranges::find(job.wanted, node.name) != job.wanted.end();
      if (!node.can_work() || (!job.gpu_type.empty() && job.gpu_type != node.type)) continue;
      if (!job.wanted.empty() && !named) continue;
      const auto free = static_cast<std::uint32_t>(node.free.size());
      const std::uint32_t part =
          job.gpus_per_node == 0 ? std::min(missing, free) : std::min(missing, job.gpus_per_node);
      if (part == 0 || free < part) continue;
      room[node.name] = part;
      missing -= part;
    }
    if (missing > 0) return std::nullopt;
    return room;
  }
  void begin(FakeJob& job, const Room& room) {
    job.ran_on.clear();
    for (const auto& [name, count] : room) job.ran_on.push_back(name);
    for (const auto& [name, count] : room)
      for (std::uint32_t i = 0; i < count; ++i)
        job.holds[name].insert(node(name).free.extract(node(name).free.begin()).value());
    job.state = "running";
    job.held = false;
    job.started = now_;
    touch();
  }
  /// Its GPUs are free once its processes have ended.
  void stop(FakeJob& job) {
    job.cleans = std::exchange(job.holds, {});
    job.completes = now_ + completing;
  }

  Time now_;
  Time changed_;
  std::int64_t last_number_ = 0;
  std::map<std::string, FakeJob> jobs_;
  std::vector<FakeNode> nodes_;
};

}  // namespace penstock

// A bridge without a Slurm, for measurements: a cluster in memory that always has jobs. It takes
// the time from the end of each job until it is asked for something in its place: the start of
// another job, or, of jobs with a comment, which may be resized, any deed.
//
// fake_bridge FIGURES NODES GPUS QUEUED TOTAL SECONDS [COMMENT]: nodes, GPUs of each, jobs that
// wait at a time, jobs in all, and how long they run on average. FIGURES is written every second.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "bridge/line_buffer.h"
#include "live/fake_slurm.h"

namespace penstock {
namespace {

using Json = nlohmann::json;
using Steady = std::chrono::steady_clock;

Time system_now() {
  return Time(std::chrono::floor<Duration>(std::chrono::system_clock::now()));
}

struct Flow {
  std::string figures{};
  std::uint32_t nodes = 0;
  std::uint32_t gpus = 0;
  std::size_t queued = 0;
  std::uint64_t total = 0;
  double seconds = 0;
  std::string comment{};
};

class FakeBridge {
 public:
  explicit FakeBridge(Flow flow)
      : flow_(std::move(flow)), cluster_(system_now()), connection_(cluster_) {
    cluster_.start_delay = std::chrono::milliseconds(50);
    cluster_.completing = std::chrono::milliseconds(0);
    cluster_.forgets = std::chrono::seconds(5);
    for (std::uint32_t i = 0; i < flow_.nodes; ++i)
      cluster_.add_node("n" + std::to_string(i), "a100", flow_.gpus);
    refill();
  }

  void serve() {
    bridge::LineBuffer lines(std::size_t{16} << 20);
    std::array<char, 65536> bytes{};
    while (true) {
      pollfd in{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
      ::poll(&in, 1, 10);
      pass_time();
      if (in.revents == 0) continue;
      const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (got <= 0) return;
      lines.add({bytes.data(), static_cast<std::size_t>(got)});
      while (const auto line = lines.next()) reply(Json::parse(line->text));
    }
  }

 private:
  /// It may be killed at any moment.
  void write_figures() {
    if (Steady::now() < next_figures_) return;
    next_figures_ = Steady::now() + std::chrono::seconds(1);
    const std::string fresh = flow_.figures + ".new";
    std::ofstream(fresh) << Json{{"ended", ended_}, {"starts", starts_}, {"late_ms", late_}};
    std::filesystem::rename(fresh, flow_.figures);
  }
  void pass_time() {
    cluster_.advance_to(std::max(cluster_.now(), system_now()));
    for (const auto& [ref, job] : cluster_.jobs()) {
      std::string& before = states_[ref];
      if (before == job.state) continue;
      before = job.state;
      news_.insert(ref);
      if (job.is_over()) add_events(job);
    }
    refill();
    add_line();
    write_figures();
  }
  /// The answer to a poll. FakeSlurm's own looks at every job, which would be measured too.
  Json poll() {
    Json jobs = Json::array();
    for (const std::string& ref : std::exchange(news_, {}))
      if (const FakeJob* job = cluster_.find(ref)) jobs.push_back(FakeSlurm::shown(*job));
    Json gone = Json::array();
    std::erase_if(states_, [&](const auto& each) {
      if (cluster_.find(each.first) != nullptr) return false;
      gone.push_back(std::stoll(each.first));
      return true;
    });
    return {{"ok", true},
            {"last_update", cluster_.now().time_since_epoch().count() / 1000},
            {"news", std::exchange(polled_, true)},
            {"jobs", std::move(jobs)},
            {"gone", std::move(gone)}};
  }
  void add_events(const FakeJob& job) {
    ++ended_;
    out_ += Json{{"event", "ended"}, {"job", job.number}, {"state", job.state}}.dump() + "\n";
    freed_.push_back(Steady::now());
  }
  void refill() {
    while (waiting_ < flow_.queued && made_ < flow_.total) {
      // Exponential, but bounded, so that a measurement ends.
      const double length = std::min(5 * flow_.seconds, chance_.exponential(flow_.seconds));
      cluster_.add_job({.comment = flow_.comment,
                        .admin_comment = "penstock: held",
                        .held = true,
                        .length = round_duration(length)});
      ++waiting_;
      ++made_;
    }
  }
  void reply(Json request) {
    const Json id = request.at("id");
    request.erase("id");
    const bool starts = request.at("do") == "update" && request.contains("hold") &&
                        !request.at("hold").get<bool>() && request.contains("nodes");
    if (starts) count_start();
    if (starts || request.at("do") == "requeue") count_change();
    if (starts)
      news_.insert(request.at("job").is_string() ? request.at("job").get<std::string>()
                                                 : request.at("job").dump());
    Json body = request.at("do") == "jobs" && !request.contains("job") ? poll() : ask(request);
    body["id"] = id;
    out_ += body.dump() + "\n";
    add_line();
  }
  Json ask(const Json& request) {
    const auto command = bridge::from_json(request);
    if (!command)
      return {{"ok", false},
              {"error", {{"code", "bad_request"}, {"text", command.error().message}}}};
    connection_.send(*command);
    return *connection_.next()->body;
  }
  void count_start() {
    ++starts_;
    if (waiting_ > 0) --waiting_;
  }
  void count_change() {
    const Steady::time_point now = Steady::now();
    const bool one_each = flow_.comment.empty();
    while (!freed_.empty()) {
      late_.push_back({std::chrono::duration<double>(now - begun_).count(),
                       std::chrono::duration<double, std::milli>(now - freed_.front()).count()});
      freed_.pop_front();
      if (one_each) return;
    }
  }
  void add_line() {
    for (std::string_view rest = out_; !rest.empty();) {
      const ssize_t wrote = ::write(STDOUT_FILENO, rest.data(), rest.size());
      if (wrote <= 0) std::exit(0);
      rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
    out_.clear();
  }

  Flow flow_;
  FakeCluster cluster_;
  FakeSlurm connection_;
  Rng chance_{1};
  std::string out_;
  std::unordered_map<std::string, std::string> states_;  ///< as they were last seen, by ref
  std::set<std::string> news_;  ///< jobs that have changed since the last poll
  bool polled_ = false;
  std::size_t waiting_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t starts_ = 0;
  std::deque<Steady::time_point> freed_;
  std::vector<std::pair<double, double>> late_;  ///< when, in seconds, and by how much
  Steady::time_point begun_ = Steady::now();
  Steady::time_point next_figures_{};
};

}  // namespace
}  // namespace penstock

int main(int count, char** words) {
  if (count < 7) {
    std::cerr << "fake_bridge FIGURES NODES GPUS QUEUED TOTAL SECONDS [COMMENT]\n";
    return 2;
  }
  penstock::FakeBridge bridge({.figures = words[1],
                               .nodes = static_cast<std::uint32_t>(std::stoul(words[2])),
                               .gpus = static_cast<std::uint32_t>(std::stoul(words[3])),
                               .queued = std::stoul(words[4]),
                               .total = std::stoull(words[5]),
                               .seconds = std::stod(words[6]),
                               .comment = count > 7 ? words[7] : ""});
  bridge.serve();
}

// How fast whole runs of the program are, from the command line to the printed
// result, reading of the trace included, and how much memory they take at most.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/traces/trace.h"
#include "textbook.h"

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

struct Measured {
  double wall_s = 0;
  double cpu_s = 0;
  double rss_mb = 0;
};

Measured run_once(const std::vector<std::string>& arguments) {
  const Clock::time_point begun = Clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    std::vector<char*> raw;
    for (const std::string& argument : arguments)
      raw.push_back(const_cast<char*>(argument.c_str()));
    raw.push_back(nullptr);
    execv(raw[0], raw.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fmt::print(stderr, "failed: {}\n", fmt::join(arguments, " "));
    std::exit(1);
  }
  const auto time = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return {std::chrono::duration<double>(Clock::now() - begun).count(),
          time(usage.ru_utime) + time(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

/// The median of three by wall time.
Measured run_thrice(const std::vector<std::string>& arguments) {
  std::vector<Measured> all;
  for (int i = 0; i < 3; ++i) all.push_back(run_once(arguments));
  std::ranges::sort(all, {}, &Measured::wall_s);
  return all[1];
}

/// The program that was built together with this one.
std::string penstock_program() {
  return (fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "penstock").string();
}

std::string site(unsigned gpus) {
  std::string text =
      "[[site]]\nname = \"bench\"\npue = 1.3\nprice = { fixed = \"0.12 EUR/kWh\" }\n"
      "carbon = { fixed = \"350 g/kWh\" }\n";
  text += fmt::format("[[site.nodes]]\ncount = {}\ngpus = 8\ngpu = \"a100\"\nrack = 4\n", gpus / 8);
  if (gpus % 8 != 0)
    text += fmt::format("[[site.nodes]]\ncount = 1\ngpus = {}\ngpu = \"a100\"\n", gpus % 8);
  return text;
}

fs::path write_scenario(const fs::path& dir, const std::string& name, const std::string& workload,
                        unsigned gpus) {
  const fs::path path = dir / (name + ".toml");
  std::ofstream(path) << "name = \"" << name << "\"\nseed = 1\n" << workload << site(gpus);
  return path;
}

Measured report(const std::string& what, const fs::path& scenario, const std::string& policy,
                double jobs) {
  const Measured m = run_thrice({penstock_program(), "simulate", scenario.string(), "--policy",
                                 policy, "--jobs", "1", "--no-progress"});
  fmt::print("{:<44}{:>9.3f} s {:>9.3f} s {:>12.0f} {:>8.0f} MB\n", what, m.wall_s, m.cpu_s,
             jobs / m.wall_s, m.rss_mb);
  std::fflush(stdout);
  return m;
}

/// EASY backfilling by walking lists, in this process, its reading not counted.
void textbook(const fs::path& trace, const Measured& ours) {
  auto read = penstock::read_trace(trace, "philly", {.strict = false});
  if (!read) return;
  const Clock::time_point begun = Clock::now();
  const double completion = penstock::TextbookEasy(480).run(read->jobs);
  const double took = std::chrono::duration<double>(Clock::now() - begun).count();
  fmt::print("{:<44}{:>9.3f} s {:>11} {:>12.0f}\n", "    the same by walking the queue", took, "",
             static_cast<double>(read->jobs.size()) / took);
  fmt::print("    ours, reading included, is {:.1f} x as fast (mean completion there {:.1f} s)\n",
             took / ours.wall_s, completion);
}

void philly(const fs::path& dir) {
  const fs::path trace =
      fs::path(PENSTOCK_ROOT) / ".." / "shared" / "data" / "philly" / "philly_jobs.csv";
  if (!fs::exists(trace)) {
    fmt::print("philly: the whole trace is not here; only the sample in data/ ships. Skipped.\n");
    return;
  }
  const std::string workload =
      fmt::format("[workload]\ntrace = \"{}\"\nformat = \"philly\"\nrows = \"lenient\"\n",
                  fs::canonical(trace).string());
  const fs::path wide = write_scenario(dir, "philly-2490", workload, 2490);
  const fs::path tight = write_scenario(dir, "philly-480", workload, 480);
  constexpr double kJobs = 82247;
  report("philly, 2490 GPUs, fifo", wide, "fifo", kJobs);
  report("philly, 2490 GPUs, fifo easy", wide, "fifo:backfill=easy", kJobs);
  report("philly, 480 GPUs, fifo", tight, "fifo", kJobs);
  const Measured easy = report("philly, 480 GPUs, fifo easy", tight, "fifo:backfill=easy", kJobs);
  textbook(trace, easy);
  report("philly, 480 GPUs, fifo depth 8", tight, "fifo:backfill=8", kJobs);
  report("philly, 480 GPUs, fifo conservative", tight, "fifo:backfill=conservative", kJobs);
  report("philly, 480 GPUs, sjf easy", tight, "sjf:backfill=easy", kJobs);
  report("philly, 480 GPUs, wfp3 easy", tight, "wfp3:backfill=easy", kJobs);
  report("philly, 480 GPUs, srtf", tight, "srtf", kJobs);
  report("philly, 480 GPUs, las", tight, "las", kJobs);
  report("philly, 480 GPUs, fifo easy buddy", tight, "fifo:backfill=easy:place=buddy", kJobs);
}

void growth(const fs::path& dir) {
  double before = 0;
  double jobs_before = 0;
  for (const unsigned jobs : {100'000u, 1'000'000u, 3'000'000u}) {
    const std::string workload = fmt::format(
        "[workload]\nformat = \"generated\"\nstart = \"2022-01-01T00:00Z\"\n"
        "[workload.generate]\njobs = {}\narrivals = \"poisson\"\nload = 0.9\n",
        jobs);
    const fs::path scenario =
        write_scenario(dir, fmt::format("generated-{}", jobs), workload, 10000);
    const Measured m = report(fmt::format("generated, {} jobs, 10000 GPUs, fifo easy", jobs),
                              scenario, "fifo:backfill=easy", jobs);
    if (before > 0)
      fmt::print("    time grew {:.2f} x for {:.2f} x the jobs: {:.2f} x linear\n",
                 m.cpu_s / before, jobs / jobs_before, m.cpu_s / before / (jobs / jobs_before));
    before = m.cpu_s;
    jobs_before = jobs;
  }
}

}  // namespace

int main() {
  const fs::path dir = fs::temp_directory_path() / fmt::format("penstock-bench-{}", getpid());
  fs::create_directories(dir);
  fmt::print("{:<44}{:>11} {:>11} {:>12} {:>11}\n", "whole program, median of 3", "wall", "cpu",
             "jobs/s wall", "peak memory");
  philly(dir);
  growth(dir);
  fs::remove_all(dir);
}

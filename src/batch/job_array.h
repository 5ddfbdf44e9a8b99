#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace penstock {

/// "0-3,7" for {0, 1, 2, 3, 7}, which must be sorted.
std::string ranges_text(const std::vector<std::size_t>& numbers);
/// Parses such a list; the numbers are sorted, each once, and must be below `bound`.
Result<std::vector<std::size_t>> parse_ranges(std::string_view text, std::size_t bound);

/// How a job array is submitted.
struct ArrayRequest {
  std::string name{};
  std::size_t tasks = 1;
  std::size_t at_once = 0;  ///< tasks that may run at the same time; 0 means any number
  std::size_t cpus = 1;     ///< for each task
  std::string partition{};
  std::string time{};               ///< as sbatch has it
  std::vector<std::string> more{};  ///< further arguments for sbatch
  std::filesystem::path logs{};     ///< the folder for what tasks print
};

/// The command line that submits `script` as an array; sbatch then prints the job's number alone.
std::vector<std::string> sbatch_words(const ArrayRequest& request,
                                      const std::filesystem::path& script);

/// A batch script that executes the program `words[0]` with the other words as arguments, whatever
/// characters they contain.
std::string array_script(const std::vector<std::string>& words);

/// The number in what sbatch printed.
std::optional<std::string> submitted_job(std::string_view printed);

/// The command line that lists the tasks of all arrays with a name, those that ended lately too.
std::vector<std::string> squeue_words(const std::string& name);

/// The tasks that squeue listed.
struct ArrayTasks {
  std::string job{};  ///< the array's number; of several, of the last
  std::size_t waiting = 0;
  std::size_t running = 0;
  std::size_t cancelled = 0;  ///< of the array with the highest number
  std::string why_waiting{};  ///< Slurm's reason for the first task that waits

  bool active() const { return waiting + running > 0; }
};
ArrayTasks parse_tasks(std::string_view printed);

}  // namespace penstock

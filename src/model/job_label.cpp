#include "model/job_label.h"

#include <charconv>
#include <system_error>

namespace penstock {
namespace {

constexpr std::string_view kJob = "job #";

}  // namespace

std::string job_label(JobId job) {
  return std::string(kJob) + std::to_string(job.index);
}

std::string with_job_names(std::string_view text, const JobNames& name_of) {
  std::string named;
  for (std::size_t at = text.find(kJob); at != std::string_view::npos; at = text.find(kJob)) {
    const char* const digits = text.data() + at + kJob.size();
    JobId job{};
    const auto [end, error] = std::from_chars(digits, text.data() + text.size(), job.index);
    const std::string name = error == std::errc() ? name_of(job) : std::string();
    const auto length = static_cast<std::size_t>(end - text.data());
    if (name.empty())
      named += text.substr(0, length);
    else
      named.append(text.substr(0, at)).append("job ").append(name);
    text.remove_prefix(length);
  }
  return named.append(text);
}

}  // namespace penstock

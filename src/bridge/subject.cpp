#include "bridge/subject.h"

#include <charconv>
#include <string_view>
#include <variant>

namespace penstock::bridge {
namespace {

constexpr std::uint32_t kFirstOfFederation = 1U << 26;  // its bits above say which cluster's it is

const JobName* job_of(const ListJobs& deed) {
  return deed.job ? &*deed.job : nullptr;
}

template <class Deed>
const JobName* job_of(const Deed& deed) {
  if constexpr (requires { deed.job; })
    return &deed.job;
  else
    return nullptr;
}

std::uint32_t number_in(std::string_view digits) {
  std::uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

std::optional<Subject> subject_of(const Request& request) {
  if (!request.deed) return {};
  const JobName* name = std::visit([](const auto& deed) { return job_of(deed); }, *request.deed);
  if (name == nullptr) return {};
  const std::string_view text = *name;
  const auto gap = text.find('_');
  Subject subject{.job = number_in(text.substr(0, gap))};
  if (gap != std::string_view::npos) subject.task = number_in(text.substr(gap + 1));
  return subject.job < kFirstOfFederation ? std::optional(subject) : std::nullopt;
}

bool touch(const std::optional<Subject>& one, const std::optional<Subject>& other) {
  if (!one || !other) return true;
  if (one->job != other->job) return false;
  return !one->task || !other->task || *one->task == *other->task;
}

}  // namespace penstock::bridge

#include "page/population.h"

#include <algorithm>

namespace penstock {
namespace {

/// As people count names: "job-9" before "job-10".
int compare_names(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

bool is_before(const StoredJob* a, const StoredJob* b) {
  if (a->submitted != b->submitted) return a->submitted < b->submitted;
  return compare_names(a->name, b->name) < 0;
}

/// Did the same user ask for the same?
bool is_same(const StoredJob& a, const StoredJob& b) {
  return a.gpus == b.gpus && a.requested == b.requested && a.deadline == b.deadline &&
         a.kind == b.kind && a.user == b.user && a.home == b.home;
}

/// Both lists in one; nothing if they hold different jobs of one name and time, or more than
/// `most` together.
std::optional<std::vector<const StoredJob*>> united(std::span<const StoredJob* const> a,
                                                    std::span<const StoredJob* const> b,
                                                    std::uint64_t most) {
  std::vector<const StoredJob*> all;
  all.reserve(std::max(a.size(), b.size()));
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (all.size() >= most) return std::nullopt;
    if (j == b.size() || (i < a.size() && is_before(a[i], b[j]))) {
      all.push_back(a[i++]);
    } else if (i == a.size() || is_before(b[j], a[i])) {
      all.push_back(b[j++]);
    } else {
      if (!is_same(*a[i], *b[j])) return std::nullopt;
      all.push_back(a[i++]);
      ++j;
    }
  }
  return all;
}

}  // namespace

std::vector<const StoredJob*> in_order(std::span<const StoredJob> jobs) {
  std::vector<const StoredJob*> sorted;
  sorted.reserve(jobs.size());
  for (const StoredJob& job : jobs) sorted.push_back(&job);
  std::ranges::stable_sort(sorted, is_before);
  return sorted;
}

bool join(Population& population, std::span<const StoredJob* const> jobs, std::uint64_t submitted) {
  if (population.submitted != submitted) return false;
  const auto most = std::max<std::uint64_t>({submitted, population.jobs.size(), jobs.size()});
  auto all = united(population.jobs, jobs, most);
  if (!all) return false;
  population.jobs = *std::move(all);
  return true;
}

std::vector<const StoredJob*> matched(const Population& population,
                                      std::span<const StoredJob* const> jobs) {
  std::vector<const StoredJob*> found(population.jobs.size(), nullptr);
  std::size_t next = 0;
  for (std::size_t i = 0; i < found.size() && next < jobs.size(); ++i)
    if (!is_before(population.jobs[i], jobs[next])) found[i] = jobs[next++];
  return found;
}

}  // namespace penstock

#include "daemon/savings.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "experiment/policy_choice.h"

namespace penstock {
namespace {

struct SavingsArguments {
  std::string journal;
  std::string former;
  std::string policy;
  std::string since;
  bool json = false;
};

Result<Done> take_policy(const std::string& text, std::optional<PolicyChoice>& into) {
  if (text.empty()) return Done{};
  auto choice = parse_choice(text);
  if (!choice) return std::move(choice).error();
  into = *std::move(choice);
  return check_choice(*into);
}

Result<Done> show_savings(const SavingsArguments& given) {
  SavingsRequest request{.journal = given.journal};
  if (auto done = take_policy(given.former, request.former); !done)
    return std::move(done).error().in("--former");
  if (auto done = take_policy(given.policy, request.policy); !done)
    return std::move(done).error().in("--policy");
  if (!given.since.empty()) {
    request.since = parse_time(given.since);
    if (!request.since)
      return Error{
          fmt::format("--since: '{}' is not an instant such as 2022-03-01T00:00Z", given.since)};
  }
  const auto savings = compute_savings(request);
  if (!savings) return savings.error();
  fmt::print("{}", given.json ? savings_json(*savings) + "\n" : savings_text(*savings));
  return Done{};
}

}  // namespace

void add_savings(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<SavingsArguments>();
  CLI::App* command = app.add_subcommand(
      "savings", "Compare what a journal says happened with the site's former policy");
  command->add_option("JOURNAL", given->journal, "What penstock serve wrote down")->required();
  command->add_option("--former", given->former,
                      "How the site was scheduled before, as POLICY or POLICY:OPTION=VALUE:...; "
                      "`penstock policies` lists them (default: fifo:backfill=easy, which comes "
                      "closest to Slurm's own; with several sites the same at each)");
  command->add_option("--policy", given->policy,
                      "Instead of the daemon's own policy, written likewise");
  command->add_option("--since", given->since,
                      "Jobs submitted since: 2022-03-01T00:00Z (default: since mode and policy are "
                      "as they are)");
  command->add_flag("--json", given->json, "For machines");
  command->footer(
      "Example: penstock savings data/journal-sample.sqlite\n"
      "         penstock savings journal.db --former priority:backfill=conservative");
  command->callback([given, &exit_code] {
    const auto done = show_savings(*given);
    exit_code = done ? kExitOk : refuse(done.error().message);
  });
}

}  // namespace penstock

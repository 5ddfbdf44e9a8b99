#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/daemon_options.h"
#include "serve/client/job_request.h"

namespace penstock {
namespace {

struct SubmitOptions {
  DaemonAddress daemon;
  SubmitRequest job;
  std::string script;  ///< never filled
  bool sbatch = false;
  bool dry = false;
  bool json = false;
};

/// Becomes the user's own sbatch; returns only if there is none.
int become_sbatch(const SubmitOptions& given) {
  auto line = sbatch_line(given.job);
  if (!line) return refuse(line.error().message);
  if (given.dry) {
    for (const std::string& word : *line) fmt::print("{}\n", word);
    return kExitOk;
  }
  std::vector<char*> arguments;
  for (std::string& word : *line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  return refuse(fmt::format("cannot run sbatch: {}", std::strerror(errno)));
}

int send_to_daemon(const SubmitOptions& given) {
  const auto body = submission_json(given.job);
  if (!body) return refuse(body.error().message);
  if (given.dry) {
    print_json(*body);
    return kExitOk;
  }
  const auto answer = post_to_daemon(given.daemon, "/api/v1/jobs", *body);
  if (!answer) return refuse(answer.error().message);
  if (given.json)
    print_json(*answer);
  else
    fmt::print("submitted {}\n", answer->is_object() ? member_text(*answer, "id") : "-");
  return kExitOk;
}

int run_submit(const SubmitOptions& given) {
  if (given.job.words.empty())
    return refuse("penstock submit: SCRIPT is missing\nTry: penstock submit --help");
  if (given.sbatch && !given.job.site.empty())
    return refuse("penstock submit: --site is for the daemon; sbatch knows one cluster");
  if (given.sbatch) return become_sbatch(given);
  return send_to_daemon(given);
}

/// Options of ours end with the first word that is none of them; "--" ends them in any case.
std::optional<std::string> take_arguments(const CLI::App& command, SubmitOptions& given) {
  std::vector<std::string> words = command.remaining();
  const bool marked = !words.empty() && words.front() == "--";
  if (marked) words.erase(words.begin());
  if (!marked && !words.empty() && words.front().starts_with('-'))
    return fmt::format(
        "penstock submit: there is no option '{}'; what is for sbatch follows --\n"
        "Try: penstock submit --help",
        words.front());
  given.job.words = std::move(words);
  return std::nullopt;
}

void add_comment_options(CLI::App& command, SubmitRequest& job) {
  command.add_option("--profile", job.profile, "How it scales: a kind of the catalogue");
  command.add_option("--gpus", job.gpus, "GPUs, or bounds if it has checkpoints: 1-8");
  command.add_option("--deadline", job.deadline, "After its submission (6h), or an instant");
  command.add_option("--priority", job.priority, "1 to 5");
  command.add_option("--batch", job.batch, "Samples a step over all GPUs");
  command.add_option("--work", job.work, "Samples in all");
  command.add_flag("--checkpoint", job.checkpoint, "It saves what it has when it is told to stop");
  command.add_option("--grace", job.grace, "How long it needs for this, at most an hour: 2min");
  command.add_option("--site", job.site, "Where it must run (not with --sbatch)");
  command.add_option("--partition", job.partition, "Of Slurm");
  command.add_option("--name", job.name, "Of the job");
}

}  // namespace

void add_submit(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<SubmitOptions>();
  CLI::App* command =
      app.add_subcommand("submit", "Submit a job by the daemon, or by your own sbatch (--sbatch)");
  // Shown in the help, and never filled: the first word that is no option of ours, and all behind
  // it, are left over, so that options of the script are not taken for ours.
  command->add_option("SCRIPT", given->script, "Script and its arguments")
      ->check([](const std::string&) { return "left over"; }, "");
  command->validate_positionals();
  command->prefix_command();
  add_comment_options(*command, given->job);
  command->add_flag("--sbatch", given->sbatch, "Run sbatch here, with what is said as its comment");
  command->add_flag("--dry-run", given->dry, "Print what would be sent or run");
  command->add_flag("--json", given->json, "Answer for machines");
  add_daemon_options(*command, given->daemon);
  command->footer(
      "Options end where SCRIPT [ARGUMENTS...] begins; with --sbatch what follows -- is sbatch's.\n"
      "By the daemon the job runs as the user of its bridge, and #SBATCH lines are not read.\n"
      "Example: penstock submit --profile resnet50 --gpus 1-8 --deadline 6h train.sh --epochs 90\n"
      "         penstock submit --sbatch --gpus 1-8 --grace 2min -- --time=8:00:00 train.sh");
  command->callback([given, command, &exit_code] {
    const auto wrong = take_arguments(*command, *given);
    exit_code = wrong ? refuse(*wrong) : run_submit(*given);
  });
}

}  // namespace penstock

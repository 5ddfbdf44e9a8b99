#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "io/plan/answer.h"
#include "io/text/file.h"
#include "report/files/output_file.h"
#include "solve/exact_plan.h"

namespace penstock {
namespace {

struct PlanOptions {
  std::string request;
  std::string method;
  std::string time_limit;
  std::string out;
  std::optional<std::uint64_t> seed;
  std::optional<unsigned> threads;
};

Result<std::string> read_plan_request(const std::string& path) {
  if (path != "-") return read_file(path);
  std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  return text;
}

/// What the command line says goes before what the request says.
Result<Done> override_settings(const PlanOptions& options, JointSettings& settings) {
  if (!options.method.empty()) {
    auto method = parse_plan_method(options.method);
    if (!method) return std::move(method).error().in("--method");
    settings.method = *method;
  }
  if (!options.time_limit.empty()) {
    settings.time_limit = parse_duration(options.time_limit);
    if (!settings.time_limit || *settings.time_limit <= Duration::zero())
      return Error{fmt::format("--time-limit: '{}' is not a length of time above 0, such as 500 ms",
                               options.time_limit)};
  }
  settings.seed = options.seed.value_or(settings.seed);
  settings.threads = options.threads.value_or(settings.threads);
  return Done{};
}

Result<Done> run_plan(const PlanOptions& options) {
  const auto text = read_plan_request(options.request);
  if (!text) return text.error();
  auto request = parse_plan_request(*text, options.request == "-" ? "stdin" : options.request);
  if (!request) return request.error();
  if (auto done = override_settings(options, request->settings); !done) return done;
  const std::string answer = answer_plan(*request, make_plan);
  if (!options.out.empty() && options.out != "-") return write_file(options.out, answer);
  fmt::print("{}", answer);
  return Done{};
}

std::string plan_methods_text() {
  std::string text = "Methods:\n";
  for (const PlanMethod& known : plan_methods())
    text += fmt::format("  {:<6} {}\n", known.name, known.summary);
  return text;
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command =
      app.add_subcommand("plan", "Plan jobs onto nodes at one instant: JSON in, JSON out");
  command->add_option("REQUEST", options->request, "Request (JSON), or - for stdin")->required();
  command->add_option("--method", options->method, "Overrides the request's method, see below");
  command->add_option("--seed", options->seed, "Overrides the request's seed");
  command->add_option("--time-limit", options->time_limit, "Best plan within this time, as 500 ms");
  command->add_option("--threads", options->threads, "How many may search; the plan is the same")
      ->check(CLI::Range(1, 1024));
  command->add_option("--out", options->out, "Write the answer to this file");
  command->footer(plan_methods_text() + "Example: penstock plan data/plan/one-node.json");
  command->callback([options, &exit_code] { exit_code = exit_code_of(run_plan(*options)); });
}

}  // namespace penstock

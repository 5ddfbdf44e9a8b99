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
#include "solve/make_plan.h"

namespace penstock {
namespace {

struct Given {
  std::string request;
  std::string method;
  std::string time_limit;
  std::string out;
  std::optional<std::uint64_t> seed;
  std::optional<unsigned> threads;
};

Result<std::string> read_request(const std::string& path) {
  if (path != "-") return read_file(path);
  std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  return text;
}

/// What the command line says goes before what the request says.
Result<Done> override_settings(const Given& given, JointSettings& settings) {
  if (!given.method.empty()) {
    auto method = parse_plan_method(given.method);
    if (!method) return std::move(method).error().in("--method");
    settings.method = *method;
  }
  if (!given.time_limit.empty()) {
    settings.time_limit = parse_duration(given.time_limit);
    if (!settings.time_limit || *settings.time_limit <= Duration::zero())
      return Error{fmt::format("--time-limit: '{}' is not a length of time above 0, such as 500 ms",
                               given.time_limit)};
  }
  settings.seed = given.seed.value_or(settings.seed);
  settings.threads = given.threads.value_or(settings.threads);
  return Done{};
}

Result<Done> run(const Given& given) {
  const auto text = read_request(given.request);
  if (!text) return text.error();
  auto request = parse_plan_request(*text, given.request == "-" ? "stdin" : given.request);
  if (!request) return request.error();
  if (auto done = override_settings(given, request->settings); !done) return done;
  const std::string answer = answer_plan(*request, make_plan);
  if (!given.out.empty() && given.out != "-") return write_file(given.out, answer);
  fmt::print("{}", answer);
  return Done{};
}

std::string methods_text() {
  std::string text = "Methods:\n";
  for (const PlanMethod& known : plan_methods())
    text += fmt::format("  {:<6} {}\n", known.name, known.summary);
  return text;
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<Given>();
  CLI::App* command =
      app.add_subcommand("plan", "Plan jobs onto nodes at one instant: JSON in, JSON out");
  command->add_option("REQUEST", given->request, "Request (JSON), or - for stdin")->required();
  command->add_option("--method", given->method, "In place of the request's, see below");
  command->add_option("--seed", given->seed, "In place of the request's");
  command->add_option("--time-limit", given->time_limit, "Best plan within this time, as 500 ms");
  command->add_option("--threads", given->threads, "How many may search; the plan is the same")
      ->check(CLI::Range(1, 1024));
  command->add_option("--out", given->out, "Write the answer to this file");
  command->footer(methods_text() + "Example: penstock plan data/plan/one-node.json");
  command->callback([given, &exit_code] {
    const auto done = run(*given);
    if (!done) exit_code = refuse(done.error().message);
  });
}

}  // namespace penstock

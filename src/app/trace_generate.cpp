#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>

#include "app/commands.h"
#include "io/text/lines.h"
#include "io/traces/generate.h"
#include "io/traces/write.h"
#include "report/files/output_file.h"

namespace penstock {
namespace {

struct GenerateOptions {
  std::uint64_t jobs = 1000;
  std::uint64_t seed = 0;
  std::string start = "1970-01-01T00:00Z";
  std::string model = "mix";
  std::uint32_t machine = 0;
  std::string arrivals = "poisson";
  std::string gap;
  std::string median = "20 min";
  double sigma = 1.5;
  std::string like;
  std::string like_format;
  std::vector<std::string> sizes;
  std::vector<double> slack;
  double request_factor = 1;
  std::string out;
};

Result<Duration> duration_of(const std::string& text, const char* option) {
  const auto length = parse_duration(text);
  if (length) return *length;
  return Error{fmt::format("{}: '{}' is not a length of time such as '10 min'", option, text)};
}

Result<std::vector<SizeWeight>> sizes_of(const std::vector<std::string>& texts) {
  std::vector<SizeWeight> sizes;
  for (const std::string& text : texts) {
    SizeWeight size;
    const char* end = text.data() + text.size();
    const auto [colon, bad_gpus] = std::from_chars(text.data(), end, size.gpus);
    bool fine = bad_gpus == std::errc() && colon != end && *colon == ':';
    if (fine) {
      const auto [stop, bad_weight] = std::from_chars(colon + 1, end, size.weight);
      fine = bad_weight == std::errc() && stop == end;
    }
    if (!fine) return Error{fmt::format("--sizes: '{}' is not GPUS:WEIGHT such as 8:0.1", text)};
    sizes.push_back(size);
  }
  return sizes;
}

Result<Done> set_durations(const GenerateOptions& options, GeneratorSpec& spec) {
  if (options.like.empty()) {
    const auto median = duration_of(options.median, "--median");
    if (!median) return median.error();
    spec.durations = LogNormalDurations{*median, options.sigma};
    return Done{};
  }
  auto trace = read_trace(options.like, options.like_format, {.strict = false});
  if (!trace) return std::move(trace).error();
  spec.durations = fit_durations(*trace);
  return Done{};
}

/// The generator names its fields; here they are options.
Error in_options(const Error& error) {
  std::string text;
  LineReader lines(error.message);
  while (const auto line = lines.next()) {
    std::string name(line->substr(0, line->find(':')));
    const std::string_view rest = line->substr(name.size());
    if (name == "mean_gap") name = "gap";
    if (name == "durations") name = "like";
    std::ranges::replace(name, '_', '-');
    text += fmt::format("{}--{}{}", text.empty() ? "" : "\n", name, rest);
  }
  return {text};
}

/// Sets also how dense jobs come, which each model has its own word for.
Result<Done> set_model(const GenerateOptions& options, GeneratorSpec& spec) {
  const bool lublin = options.model == "lublin";
  if (!lublin && options.model != "mix")
    return Error{fmt::format("--model: no model '{}'; there are: mix lublin", options.model)};
  if (lublin && options.machine == 0)
    return Error{"--machine: is missing: --model lublin needs the processors of the machine"};
  if (!lublin && options.machine != 0) return Error{"--machine: belongs to --model lublin"};
  if (lublin) spec.lublin_machine = options.machine;
  if (lublin) spec.mean_gap = round_duration(LublinModel::mean_gap());
  if (options.gap.empty()) return Done{};
  const auto gap = duration_of(options.gap, "--gap");
  if (!gap) return gap.error();
  spec.mean_gap = *gap;
  return Done{};
}

Result<GeneratorSpec> generator_of(const GenerateOptions& options) {
  GeneratorSpec spec{
      .jobs = options.jobs, .seed = options.seed, .request_factor = options.request_factor};
  const auto start = parse_time(options.start);
  if (!start)
    return Error{
        fmt::format("--start: '{}' is not an instant such as 2022-03-01T00:00Z", options.start)};
  spec.start = *start;
  const auto arrivals = parse_arrivals(options.arrivals);
  if (!arrivals) return Error{"--arrivals: " + arrivals.error().message};
  spec.arrivals = *arrivals;
  if (auto set = set_model(options, spec); !set) return std::move(set).error();
  if (auto set = set_durations(options, spec); !set) return std::move(set).error();
  auto sizes = sizes_of(options.sizes);
  if (!sizes) return std::move(sizes).error();
  if (!sizes->empty()) spec.sizes = *std::move(sizes);
  if (!options.slack.empty()) spec.deadline_slack = {options.slack.front(), options.slack.back()};
  if (auto fine = check(spec); !fine) return in_options(fine.error());
  return spec;
}

Result<Done> write_generated(const GeneratorSpec& spec, const std::string& out) {
  GeneratedSource source(spec);
  std::ostringstream text;
  TraceCsvWriter writer(text);
  const bool to_stdout = out.empty() || out == "-";
  std::optional<AtomicFile> file;
  if (!to_stdout) {
    auto created = AtomicFile::create(out);
    if (!created) return std::move(created).error();
    file = *std::move(created);
  }
  const auto spill = [&] {
    if (file) {
      file->text() += text.str();
      file->flush_if_full();
    } else {
      std::cout << text.str();
    }
    text.str({});
  };
  for (std::uint64_t n = 1; auto job = source.next(); ++n) {
    writer.write(*job);
    if (n % 1024 == 0) spill();
  }
  spill();
  return file ? file->commit() : Result<Done>(Done{});
}

/// What `--model mix` goes by, in part also others.
void add_mix_options(CLI::App& command, GenerateOptions& options) {
  command.add_option("--arrivals", options.arrivals, "poisson, exponential, diurnal or uniform");
  command.add_option("--gap", options.gap,
                     "Mean time between submissions (1 min, or as the model has it)");
  command.add_option("--median", options.median, "Of log-normal run times (20 min)");
  command.add_option("--sigma", options.sigma, "Of their logarithm (1.5)");
  command.add_option("--like", options.like, "Draw run times as they are in this trace instead");
  command.add_option("--like-format", options.like_format, "The format of that trace")
      ->default_str("philly")
      ->default_val("philly");
  command
      .add_option("--sizes", options.sizes, "Shares by GPUs: 1:0.83,2:0.03,4:0.03,8:0.1,16:0.01")
      ->delimiter(',');
  command
      .add_option("--deadline-slack", options.slack,
                  "Deadlines at submission + run time x a number between LOW,HIGH")
      ->delimiter(',')
      ->expected(2);
  command.add_option("--request-factor", options.request_factor,
                     "Asked times are run time x a number between 1 and this (1)");
}

}  // namespace

void add_trace_generate(CLI::App& trace, int& exit_code) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App* command = trace.add_subcommand("generate", "Generate a random trace (CSV)");
  command->add_option("--jobs", options->jobs, "How many (1000)")
      ->check(
          CLI::Range(std::uint64_t{1}, std::uint64_t{std::numeric_limits<std::uint32_t>::max()}));
  command->add_option("--seed", options->seed, "The same seed makes the same trace (0)");
  command->add_option("--start", options->start,
                      "The first possible submission (1970-01-01T00:00Z)");
  command->add_option("--model", options->model,
                      "mix, by the options below, or lublin, Lublin and Feitelson's model (mix)");
  CLI::Option* machine =
      command->add_option("--machine", options->machine, "Processors, of --model lublin");
  add_mix_options(*command, *options);
  command->add_option("--out", options->out, "File to write (default: stdout)");
  for (const char* of_mix : {"--arrivals", "--median", "--sigma", "--like", "--sizes"})
    machine->excludes(of_mix);
  command->footer("Example: penstock trace generate --jobs 500 --arrivals diurnal --out made.csv");
  command->callback([options, &exit_code] {
    const auto spec = generator_of(*options);
    exit_code =
        spec ? exit_code_of(write_generated(*spec, options->out)) : refuse(spec.error().message);
  });
}

}  // namespace penstock

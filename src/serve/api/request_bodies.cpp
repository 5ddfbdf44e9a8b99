#include "serve/api/request_bodies.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "io/json/object_reader.h"
#include "serve/client/job_request.h"
#include "serve/http/text_encoding.h"

namespace penstock {
namespace {

constexpr JsonRange kCount{.least = 1, .most = 1e6};
constexpr JsonRange kSamples{.least = 0, .most = 1e18};
constexpr std::size_t kLongestText = 4096;

/// One body that is being read.
class Body {
 public:
  static Result<Body> parse(std::string_view text) {
    auto tree = JsonTree::parse(text, "body");
    if (!tree) return std::move(tree).error();
    if (tree->root().kind() != JsonKind::object)
      return Error{"body: must be a JSON object, such as {}"};
    return Body(*std::move(tree));
  }
  JsonValue root() const { return tree_.root(); }
  const std::vector<std::string>& repeated() const { return tree_.repeated(); }

 private:
  explicit Body(JsonTree tree) : tree_(std::move(tree)) {}
  JsonTree tree_;
};

std::string plain(ObjectReader& reader, std::string_view key) {
  if (!reader.has(key)) return {};
  const auto text = reader.text(key);
  if (!text) return {};
  if (text->size() > kLongestText || !is_printable_utf8(*text))
    reader.problem(
        key, fmt::format("must be at most {} bytes without control characters", kLongestText));
  return std::string(*text);
}

std::optional<std::uint32_t> count(ObjectReader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  const auto whole = reader.whole(key, kCount);
  return whole ? std::optional(static_cast<std::uint32_t>(*whole)) : std::nullopt;
}

void read_script(ObjectReader& reader, Submission& submission) {
  if (const auto script = reader.text("script")) submission.script = *script;
  if (!submission.script.starts_with("#!"))
    reader.problem("script", "must begin with #!, such as #!/bin/sh");
  submission.work_dir = plain(reader, "work_dir");
  if (!submission.work_dir.starts_with('/'))
    reader.problem("work_dir", "must be an absolute path, such as /srv/ada/runs");
}

/// A word of a comment may come as text, number or truth.
std::optional<std::string> word_of(JsonValue value) {
  if (value.kind() == JsonKind::text) return std::string(value.text());
  if (value.kind() == JsonKind::number) return fmt::format("{}", value.number());
  if (value.kind() == JsonKind::boolean) return value.number() != 0 ? "yes" : "no";
  return std::nullopt;
}

void read_word(ObjectReader& reader, std::string_view key, CommentFields& words) {
  const auto value = reader.has(key) ? reader.value(key) : std::nullopt;
  if (!value || value->kind() == JsonKind::null) return;
  if (auto word = word_of(*value))
    words.emplace_back(key, *std::move(word));
  else
    reader.problem(key, "must be a text or a number");
}

void read_bounds(ObjectReader& reader, CommentFields& words) {
  if (!reader.has("gpus_least") && !reader.has("gpus_most")) return;
  const auto least = reader.has("gpus_least") ? reader.whole("gpus_least", kCount) : 1;
  const auto most = reader.whole("gpus_most", kCount);
  if (least && most) words.emplace_back("gpus", fmt::format("{}-{}", *least, *most));
}

constexpr std::array<std::string_view, 9> kCommentFields{
    "profile", "deadline", "priority", "batch", "work", "checkpoint", "grace", "home", "files"};
constexpr std::array<std::string_view, 22> kSubmissionKeys{
    "script",     "work_dir", "name",     "partition",      "site",       "gpu_type",
    "gpus",       "account",  "std_out",  "time_limit_min", "node_count", "gpus_least",
    "gpus_most",  "profile",  "deadline", "priority",       "batch",      "work",
    "checkpoint", "grace",    "home",     "files"};
constexpr std::array<std::string_view, 3> kProgressKeys{"done", "saved", "when"};
constexpr std::array<std::string_view, 1> kPauseKeys{"reason"};

void note_repeated(const Body& body, JsonProblems& problems) {
  for (const std::string& path : body.repeated()) problems.add(path, "is there twice");
}

}  // namespace

Result<Submission> parse_submission(std::string_view body) {
  const auto read = Body::parse(body);
  if (!read) return read.error();
  JsonProblems problems("body");
  note_repeated(*read, problems);
  ObjectReader reader(read->root(), "", problems, kSubmissionKeys);
  Submission submission;
  read_script(reader, submission);
  submission.name = plain(reader, "name");
  submission.partition = plain(reader, "partition");
  submission.site = plain(reader, "site");
  submission.gpu_type = plain(reader, "gpu_type");
  submission.account = plain(reader, "account");
  submission.std_out = plain(reader, "std_out");
  submission.gpus = count(reader, "gpus");
  submission.node_count = count(reader, "node_count");
  submission.time_limit_min = count(reader, "time_limit_min");
  CommentFields words;
  read_bounds(reader, words);
  for (const std::string_view word : kCommentFields) read_word(reader, word, words);
  auto comment = write_comment(words);
  if (!comment) problems.add("", comment.error().message);
  if (!problems.empty()) return problems.as_error();
  submission.comment = *std::move(comment);
  return submission;
}

Result<ProgressReport> parse_progress(std::string_view body) {
  const auto read = Body::parse(body);
  if (!read) return read.error();
  JsonProblems problems("body");
  note_repeated(*read, problems);
  ObjectReader reader(read->root(), "", problems, kProgressKeys);
  ProgressReport report;
  report.done = reader.number("done", kSamples).value_or(0);
  if (reader.has("saved")) report.saved = reader.number("saved", kSamples);
  if (reader.has("when")) {
    const auto text = reader.text("when");
    report.when = text ? parse_time(*text) : std::nullopt;
    if (text && !report.when)
      reader.problem("when", "is not an instant, such as 2026-03-01T12:00:00Z");
  }
  if (!problems.empty()) return problems.as_error();
  return report;
}

Result<std::string> parse_pause(std::string_view body) {
  if (body.empty()) return std::string();
  const auto read = Body::parse(body);
  if (!read) return read.error();
  JsonProblems problems("body");
  note_repeated(*read, problems);
  ObjectReader reader(read->root(), "", problems, kPauseKeys);
  std::string reason = plain(reader, "reason");
  if (!problems.empty()) return problems.as_error();
  return reason;
}

}  // namespace penstock

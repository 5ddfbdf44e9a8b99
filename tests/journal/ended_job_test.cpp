#include "journal/ended_job.h"

#include <gtest/gtest.h>

#include "journal/ended_json.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

EndedJob elastic() {
  return {.ref = "12",
          .name = "train \"it\"",
          .user = "alice",
          .state = "completed",
          .submitted = Time(1000s),
          .gpus = 4,
          .gpu_type = "a100",
          .time_limit = 2h,
          .kind = "resnet50",
          .work = 1e6,
          .batch = 256,
          .deadline = Time(9000s),
          .priority = 3,
          .least = 1,
          .most = 8,
          .runs = {{.started = Time(1100s),
                    .ended = Time(1200s),
                    .gpus = 2,
                    .nodes = {"n1", "n2"},
                    .type = "a100",
                    .clock_mhz = 1200,
                    .done = 5e5}},
          .energy_j = 3.6e6,
          .cost = 0.25,
          .carbon_g = 300,
          .predicted_cost = 0.2};
}

Fault fault_of(std::string_view detail) {
  TracedJob traced;
  Row row(traced, 1);
  (void)read_ended(detail, row);
  return row.fault().value_or(Fault{});
}

TEST(EndedJob, comes_back_as_it_was_written) {
  TracedJob traced;
  Row row(traced, 1);
  const EndedJob job = elastic();
  const EndedJob back = read_ended(ended_json(job), row);
  EXPECT_TRUE(row.is_good());
  EXPECT_EQ(ended_json(back), ended_json(job));
  EXPECT_EQ(back.name, "train \"it\"");
  EXPECT_EQ(back.time_limit, 2h);
  EXPECT_EQ(back.deadline, Time(9000s));
  EXPECT_EQ(back.runs[0].nodes.size(), 2u);
}

TEST(EndedJob, is_left_out_where_it_has_no_gpus_or_no_known_end) {
  TracedJob traced;
  Row without(traced, 1);
  (void)read_ended(R"({"ref": "1", "submitted_ms": 0, "gpus": 0, "runs": []})", without);
  EXPECT_EQ(without.left_out(), "gpus: a job without GPUs");
  Row open(traced, 2);
  (void)read_ended(R"({"ref": "1", "submitted_ms": 0, "gpus": 1,
                       "runs": [{"started_ms": 5, "ended_ms": null, "gpus": 1}]})",
                   open);
  EXPECT_EQ(open.left_out(), "runs: the end of one is not known");
}

TEST(EndedJob, was_submitted_no_later_than_it_first_ran) {
  EndedJob requeued = elastic();
  requeued.submitted = Time(1150s);
  TracedJob traced;
  Row row(traced, 1);
  EXPECT_EQ(read_ended(ended_json(requeued), row).submitted, Time(1100s));
}

TEST(EndedJob, says_nothing_that_nobody_said) {
  TracedJob traced;
  Row row(traced, 1);
  const EndedJob back = read_ended(ended_json({.ref = "1"}), row);
  EXPECT_TRUE(row.is_good());
  EXPECT_FALSE(back.work || back.deadline || back.time_limit || back.priority || back.least);
}

TEST(EndedJob, names_the_field_that_cannot_be_believed) {
  const std::string good = ended_json(elastic());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    const Fault fault = fault_of(text.replace(at, from.size(), to));
    return fault.field + ": " + fault.what;
  };
  EXPECT_EQ(fault_of("{\"ref").field, "detail");
  EXPECT_EQ(fault_of("[]").what, "is not an object of JSON");
  EXPECT_EQ(with("\"submitted_ms\":1000000", "\"submitted_ms\":\"x\""),
            "submitted_ms: is not a number");
  EXPECT_EQ(with("\"submitted_ms\":1000000,", ""), "submitted_ms: is missing");
  EXPECT_EQ(with("\"gpus\":4", "\"gpus\":1.5"), "gpus: 1.5 is not a whole number");
  EXPECT_EQ(with("\"ended_ms\":1200000", "\"ended_ms\":1"),
            "runs[0].ended_ms: is before started_ms");
  EXPECT_EQ(with("\"kind\":\"resnet50\"", "\"kind\":5"), "kind: is not a text");
  EXPECT_EQ(with("\"pinned\":false", "\"pinned\":0"), "pinned: is neither true nor false");
}

}  // namespace
}  // namespace penstock

#include "journal/log.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// Keeps nothing, and may fail.
class Paper final : public JournalWriter {
 public:
  bool works = true;
  std::int64_t last = 0;
  Result<Done> write(std::span<JournalEntry> entries, std::span<JournalRequest> requests,
                     std::span<const JournalAnswer> /*answers*/) override {
    if (!works) return Error{"the disk is full"};
    for (JournalEntry& entry : entries) entry.id = ++last;
    for (JournalRequest& request : requests) request.id = ++last;
    return Done{};
  }
};

class JobLogTest : public testing::Test {
 protected:
  Result<Done> write(std::vector<JournalEntry> entries, std::vector<JournalRequest> requests = {},
                     const std::vector<JournalAnswer>& answers = {}) {
    return log_.write(entries, requests, answers);
  }
  static JournalEntry entry(const std::string& what, const std::string& detail) {
    return {.when = Time{}, .site = "east", .job = 12, .what = what, .detail = detail};
  }

  Paper paper_;
  std::string told_ = "\n";
  JobLog log_{paper_, [this](const std::string& line) { told_ += line + "\n"; }};
};

TEST_F(JobLogTest, the_log_told_of_no_single_job) {
  ASSERT_TRUE(write({entry("submitted", R"({"text":"ada asks for 2 GPUs","user":"ada"})")}));
  ASSERT_TRUE(write({}, {{.when = Time{},
                          .site = "east",
                          .job = 12,
                          .verb = "start",
                          .detail = R"({"nodes":["n1"],"gpus_per_node":2})",
                          .reason = "fifo: it is next"}}));
  ASSERT_TRUE(write({entry("runs", R"({"text":"runs on n1 with 2 GPUs"})")}, {},
                    {{.request = 2, .state = RequestState::confirmed, .text = "it runs"}}));
  ASSERT_TRUE(write({entry("run", R"({"text":"its run is over"})"),
                     entry("ended", R"({"text":"ended: completed","user":"ada","energy_j":9.5,)"
                                    R"("cost":0.25,"carbon_g":1.5,"predicted_cost":null})")}));
  EXPECT_EQ(told_, R"(
{"when":"1970-01-01T00:00:00Z","level":"info","what":"submitted","site":"east","job":12,"user":"ada","text":"ada asks for 2 GPUs"}
{"when":"1970-01-01T00:00:00Z","level":"info","what":"start","site":"east","job":12,"user":"ada","text":"start on n1 with 2 GPUs","state":"sent","reason":"fifo: it is next"}
{"when":"1970-01-01T00:00:00Z","level":"info","what":"runs","site":"east","job":12,"user":"ada","text":"runs on n1 with 2 GPUs"}
{"when":"1970-01-01T00:00:00Z","level":"info","what":"confirmed","site":"east","job":12,"user":"ada","text":"start on n1 with 2 GPUs","reason":"it runs"}
{"when":"1970-01-01T00:00:00Z","level":"info","what":"ended","site":"east","job":12,"user":"ada","text":"ended: completed","energy_j":9.5,"cost":0.25,"carbon_g":1.5,"predicted_cost":null}
)");
}

TEST_F(JobLogTest, what_is_not_in_the_journal_is_not_in_the_log) {
  paper_.works = false;
  EXPECT_FALSE(write({entry("submitted", "{}")}));
  EXPECT_EQ(told_, "\n");
}

TEST_F(JobLogTest, what_is_about_no_job_is_for_others_to_log) {
  ASSERT_TRUE(write({{.site = "east", .what = "bridge", .detail = R"({"text":"started"})"}}, {},
                    {{.request = 77, .text = "of an earlier life"}}));
  EXPECT_EQ(told_, "\n");
}

TEST_F(JobLogTest, whatever_users_write_a_line_stays_a_line) {
  ASSERT_TRUE(write({entry("submitted", R"({"text":"a\nb\u001b[31m\"","user":"x\ny"})"),
                     entry("submitted", "rubbish")}));
  EXPECT_EQ(std::count(told_.begin(), told_.end(), '\n'), 3);
}

}  // namespace
}  // namespace penstock

#include "bridge/event_line.h"

#include <gtest/gtest.h>

namespace penstock::bridge {
namespace {

TEST(EventLine, the_end_of_a_job_is_told_with_its_exit) {
  EXPECT_EQ(
      event_of("JOBID=12 ARRAYJOBID=0 ARRAYTASKID=4294967294 JOBSTATE=FAILED EXITCODE=3:9 "
               "START=100 END=160 "),
      R"({"event":"ended","job":12,"state":"failed","exit_code":3,"exit_signal":9,"started":100,"ended":160})");
}

TEST(EventLine, a_task_names_its_array) {
  EXPECT_EQ(
      event_of(
          "JOBID=13 ARRAYJOBID=12 ARRAYTASKID=0 JOBSTATE=COMPLETED EXITCODE=0:0 START=1 END=2"),
      R"({"event":"ended","job":13,"array_job":12,"array_task":0,"state":"completed","exit_code":0,)"
      R"("exit_signal":0,"started":1,"ended":2})");
}

TEST(EventLine, a_job_that_waits_again_was_requeued) {
  EXPECT_EQ(event_of("JOBID=12 JOBSTATE=PENDING"),
            R"({"event":"requeued","job":12,"state":"pending","exit_code":null,"exit_signal":null,)"
            R"("started":null,"ended":null})");
}

TEST(EventLine, what_names_no_job_is_no_event) {
  for (const char* line :
       {"", "JOBID=", "JOBID=x", "JOBID=0", "JOBID=-4", "XJOBID=5", "JOBSTATE=FAILED", "    "})
    EXPECT_FALSE(event_of(line)) << line;
}

TEST(EventLine, a_state_that_is_no_word_is_unknown) {
  EXPECT_NE(event_of("JOBID=1 JOBSTATE=\"},{")->find(R"("state":"unknown")"), std::string::npos);
}

}  // namespace
}  // namespace penstock::bridge

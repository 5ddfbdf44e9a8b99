#include "bridge/event_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace penstock::bridge {
namespace {

class EventSockets : public ::testing::Test {
 protected:
  EventSockets() { std::filesystem::remove(path_); }
  ~EventSockets() override { std::filesystem::remove(path_); }

  Descriptor call() const {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::ranges::copy(path_, static_cast<char*>(address.sun_path));
    Descriptor caller(socket(AF_UNIX, SOCK_STREAM, 0));
    EXPECT_EQ(connect(caller.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    return caller;
  }
  static void say(const Descriptor& caller, const std::string& text) {
    EXPECT_EQ(send(caller.number(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("penstock-events-" + std::to_string(getpid())))
          .string();
};

TEST_F(EventSockets, many_callers_are_heard_at_once) {
  auto events = EventSocket::listen_at(path_, geteuid());
  ASSERT_TRUE(events);
  for (int i = 1; i <= 1000; ++i) say(call(), "JOBID=" + std::to_string(i) + " JOBSTATE=FAILED\n");
  EXPECT_EQ(events->take().size(), 1000U);
  EXPECT_TRUE(events->take().empty());
}

TEST_F(EventSockets, half_a_line_waits_for_its_other_half) {
  auto events = EventSocket::listen_at(path_, geteuid());
  ASSERT_TRUE(events);
  const Descriptor caller = call();
  say(caller, "JOBID=1 JOB");
  EXPECT_TRUE(events->take().empty());
  say(caller, "STATE=FAILED\n");
  EXPECT_EQ(events->take().size(), 1U);
}

TEST_F(EventSockets, who_sends_no_line_fills_no_memory) {
  auto events = EventSocket::listen_at(path_, geteuid());
  ASSERT_TRUE(events);
  const Descriptor caller = call();
  for (int i = 0; i < 100; ++i) {
    say(caller, std::string(3000, 'x'));
    EXPECT_TRUE(events->take().empty());
  }
  say(caller, "\nJOBID=2\n");
  EXPECT_EQ(events->take().size(), 1U);
}

TEST_F(EventSockets, a_place_where_another_listens_is_left_to_it) {
  auto first = EventSocket::listen_at(path_, geteuid());
  ASSERT_TRUE(first);
  EXPECT_FALSE(EventSocket::listen_at(path_, geteuid()));
}

TEST_F(EventSockets, a_dead_socket_is_replaced_and_a_file_is_not) {
  {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::ranges::copy(path_, static_cast<char*>(address.sun_path));
    const Descriptor dead(socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(bind(dead.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  EXPECT_TRUE(EventSocket::listen_at(path_, geteuid()));
  std::ofstream(path_) << "mine";
  EXPECT_FALSE(EventSocket::listen_at(path_, geteuid()));
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(EventSockets, a_path_that_cannot_be_is_refused) {
  EXPECT_FALSE(EventSocket::listen_at(std::string(200, 'x'), geteuid()));
  EXPECT_FALSE(EventSocket::listen_at("", geteuid()));
  EXPECT_FALSE(EventSocket::listen_at("/nowhere/at/all", geteuid()));
}

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

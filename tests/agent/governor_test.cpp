#include "agent/governor.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "agent/fake_gpus.h"

namespace penstock::agent {
namespace {

using Texts = std::vector<std::string>;

class AgentGovernor : public testing::Test {
 protected:
  Governor governor(GovernorOptions options = {}) {
    auto record = ChangeRecord::open(fake_.record());
    PENSTOCK_CHECK(record);
    return Governor(nvml_, std::move(*record), std::move(options));
  }
  static ClockPlan plan(std::vector<PlannedGpu> gpus) {
    return {.valid = std::chrono::seconds(30), .gpus = std::move(gpus)};
  }
  /// A command that writes down what it is told.
  std::vector<std::string> command(const std::string& end = "exit 0") const {
    const std::string path = fake_.folder() + "/set-clock";
    std::ofstream(path) << "#!/bin/sh\necho \"$@\" >> " << fake_.folder() << "/told\n"
                        << end << "\n";
    chmod(path.c_str(), 0755);
    return {path};
  }
  std::string told() const { return text_of(fake_.folder() + "/told"); }

  FakeGpus fake_;
  Nvml nvml_ = FakeGpus::open();
};

TEST_F(AgentGovernor, does_as_planned_and_resets_what_is_planned_no_more) {
  auto governor = this->governor();
  EXPECT_EQ(
      governor.follow(plan({{.index = 0, .clock_mhz = 1200}, {.index = 1, .clock_mhz = 907}})),
      Texts{});
  EXPECT_EQ(fake_.get("lock.0"), 1200);
  EXPECT_EQ(fake_.get("lock.1"), 900);
  ASSERT_EQ(governor.applied().size(), 2U);
  EXPECT_EQ(governor.applied()[1].clock_mhz, 900U);
  EXPECT_EQ(governor.follow(plan({{.index = 0, .clock_mhz = 1005}})), Texts{});
  EXPECT_EQ(fake_.get("lock.0"), 1005);
  EXPECT_FALSE(fake_.values().contains("lock.1"));
  EXPECT_EQ(governor.reset_all(), Texts{});
  EXPECT_FALSE(fake_.values().contains("lock.0"));
  EXPECT_TRUE(governor.is_clean());
}

TEST_F(AgentGovernor, sets_again_for_another_job_and_not_for_the_same) {
  auto governor = this->governor();
  (void)governor.follow(plan({{.index = 0, .clock_mhz = 1200, .job = "7"}}));
  fake_.set("lock.0", 600);  // somebody meddles
  (void)governor.follow(plan({{.index = 0, .clock_mhz = 1200, .job = "7"}}));
  EXPECT_EQ(fake_.get("lock.0"), 600);
  (void)governor.follow(plan({{.index = 0, .clock_mhz = 1200, .job = "8"}}));
  EXPECT_EQ(fake_.get("lock.0"), 1200);
}

TEST_F(AgentGovernor, complains_of_gpus_that_are_not_there) {
  auto governor = this->governor();
  EXPECT_EQ(
      governor.follow(plan({{.index = 7, .clock_mhz = 1200}, {.index = 0, .clock_mhz = 900}})),
      Texts{"GPU 7: is in the plan, but there are only 0 to 1"});
  EXPECT_EQ(fake_.get("lock.0"), 900);
}

TEST_F(AgentGovernor, undoes_what_another_left) {
  {
    auto first = governor();
    (void)first.follow(plan({{.index = 1, .clock_mhz = 1200}}));
  }
  auto next = governor();
  EXPECT_FALSE(next.is_clean());
  EXPECT_EQ(next.reset_all(), Texts{});
  EXPECT_FALSE(fake_.values().contains("lock.1"));
  EXPECT_EQ(text_of(fake_.record()), "[]\n");
}

TEST_F(AgentGovernor, by_power_goes_back_to_the_limit_that_was) {
  fake_.set("limit.0", 350);
  auto governor = this->governor({.method = ClockMethod::power});
  EXPECT_EQ(governor.follow(plan({{.index = 0, .clock_mhz = 705}})), Texts{});
  EXPECT_EQ(fake_.get("limit.0"), 200);
  EXPECT_EQ(governor.follow(plan({{.index = 0, .limit = Watts(250)}})), Texts{});
  EXPECT_EQ(fake_.get("limit.0"), 250);
  EXPECT_EQ(governor.reset_all(), Texts{});
  EXPECT_EQ(fake_.get("limit.0"), 350);
}

TEST_F(AgentGovernor, without_rights_says_what_would_help) {
  fake_.set("fail.nvmlDeviceSetGpuLockedClocks", 4);
  auto governor = this->governor();
  EXPECT_EQ(governor.follow(plan({{.index = 0, .clock_mhz = 1200}})),
            Texts{"GPU 0: cannot be set by clock: Insufficient Permissions (NVML error 4); run as "
                  "root, or give --command"});
  EXPECT_TRUE(governor.is_clean());
  EXPECT_TRUE(governor.applied().empty());
}

TEST_F(AgentGovernor, without_rights_lets_the_command_do_it) {
  fake_.set("fail.nvmlDeviceSetGpuLockedClocks", 4);
  auto governor = this->governor({.command = command()});
  EXPECT_EQ(governor.follow(plan({{.index = 0, .clock_mhz = 1207}})), Texts{});
  EXPECT_EQ(governor.applied()[0].clock_mhz, 1200U);
  EXPECT_EQ(governor.reset_all(), Texts{});
  EXPECT_EQ(told(), "0 1200\n0 reset\n");
  EXPECT_TRUE(governor.is_clean());
}

TEST_F(AgentGovernor, tries_again_what_a_command_failed_at) {
  GovernorOptions options{.method = ClockMethod::command, .command = command("exit 3")};
  auto governor = this->governor(options);
  const Texts failed{"GPU 1: cannot be set: " + options.command[0] + ": ended with code 3"};
  EXPECT_EQ(governor.follow(plan({{.index = 1, .clock_mhz = 600}})), failed);
  EXPECT_EQ(governor.follow(plan({{.index = 1, .clock_mhz = 600}})), failed);
  (void)command();
  EXPECT_EQ(governor.reset_all(), Texts{});  // who knows how far it came
  EXPECT_EQ(told(), "1 600\n1 600\n1 reset\n");
}

TEST_F(AgentGovernor, changes_nothing_that_it_cannot_write_down) {
  auto record = ChangeRecord::open("/nowhere/record.json");
  Governor governor(nvml_, std::move(*record), {});
  EXPECT_EQ(governor.follow(plan({{.index = 0, .clock_mhz = 1200}})),
            Texts{"GPU 0: cannot be set: /nowhere/record.json.new: cannot be written: No such file "
                  "or directory"});
  EXPECT_FALSE(fake_.values().contains("lock.0"));
}

TEST_F(AgentGovernor, keeps_trying_to_reset) {
  auto governor = this->governor();
  (void)governor.follow(plan({{.index = 0, .clock_mhz = 1200}}));
  fake_.set("fail.nvmlDeviceResetGpuLockedClocks", 999);
  EXPECT_EQ(governor.reset_all(), Texts{"GPU 0: cannot be reset: Fake Error (NVML error 999)"});
  EXPECT_FALSE(governor.is_clean());
  fake_.set("fail.nvmlDeviceResetGpuLockedClocks", 0);
  EXPECT_EQ(governor.reset_all(), Texts{});
  EXPECT_TRUE(governor.is_clean());
}

TEST_F(AgentGovernor, doubts_a_gpu_that_runs_faster_than_it_was_set) {
  fake_.set("lie.lock", 1);
  fake_.set("busy.0", 1);
  auto governor = this->governor();
  EXPECT_EQ(governor.follow(plan({{.index = 0, .clock_mhz = 900}})), Texts{});
  EXPECT_EQ(governor.clock_problems(0, nvml_.read(0)),
            Texts{"GPU 0: runs at 1410 MHz though it was set to 900"});
  EXPECT_EQ(governor.clock_problems(1, nvml_.read(1)), Texts{});
}

}  // namespace

namespace {

using namespace std::chrono_literals;

std::string outcome(const std::vector<std::string>& words, Duration timeout = 60s) {
  const auto done = run_command(words, timeout);
  return done ? "fine" : done.error().message;
}

TEST(AgentCommand, ends_well_or_tells_how) {
  EXPECT_EQ(outcome({"true"}), "fine");
  EXPECT_EQ(outcome({"false"}), "false: ended with code 1");
  EXPECT_EQ(outcome({"sh", "-c", "kill -9 $$"}), "sh: was ended by signal 9");
  EXPECT_EQ(outcome({"/nowhere/set-clock"}), "/nowhere/set-clock: No such file or directory");
}

TEST(AgentCommand, that_does_not_end_is_ended) {
  EXPECT_EQ(outcome({"sleep", "1000"}, 20ms), "sleep: did not end within 0.02 s");
}

TEST(AgentCommand, is_not_a_shell) {
  EXPECT_EQ(outcome({"test", "$HOME", "=", "$HOME"}), "fine");
  EXPECT_EQ(outcome({"test", "a;false", "=", "a;false"}), "fine");
}

TEST(AgentCommand, words_are_parted_by_blanks) {
  EXPECT_EQ(split_words("  sudo -n /sbin/set-clock "),
            (std::vector<std::string>{"sudo", "-n", "/sbin/set-clock"}));
  EXPECT_TRUE(split_words(" ").empty());
}

}  // namespace

}  // namespace penstock::agent

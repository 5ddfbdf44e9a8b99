#include "bridge/command.h"

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

namespace penstock::bridge {
namespace {

template <class T>
T read(const std::string& line) {
  const Request request = parse_request(line);
  EXPECT_TRUE(request.command) << (request.command ? "" : request.command.error().message);
  return request.command ? std::get<T>(*request.command) : T{};
}

std::string problem(const std::string& line) {
  const Request request = parse_request(line);
  return request.command ? "" : request.command.error().message;
}

TEST(Request, id_comes_back_as_it_was_written) {
  EXPECT_EQ(parse_request(R"({"id":7,"do":"hello"})").id, "7");
  EXPECT_EQ(parse_request(R"({"id":"a\"b","do":"hello"})").id, R"("a\"b")");
  EXPECT_EQ(parse_request(R"({"id":-1,"do":"nonsense"})").id, "-1");
  EXPECT_EQ(parse_request("nonsense").id, "null");
}

TEST(Request, update_has_every_field) {
  const auto update = read<UpdateJob>(
      R"({"id":1,"do":"update","job":"12_3","hold":false,"nodes":["n1","n2"],"node_count":2,"gpus_per_node":4,)"
      R"("clock_mhz":1200,"start_now":true,"comment":"c","admin_comment":"a","priority":5,"time_limit_min":60})");
  EXPECT_EQ(update.job, "12_3");
  EXPECT_EQ(update.hold, false);
  EXPECT_EQ(*update.nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(update.node_count, 2);
  EXPECT_EQ(update.gpus_per_node, 4);
  EXPECT_EQ(update.clock, 1200);
  EXPECT_TRUE(update.start_now);
  EXPECT_EQ(*update.comment + *update.admin_comment, "ca");
  EXPECT_EQ(update.priority, 5);
  EXPECT_EQ(update.time_limit, 60);
}

TEST(Request, what_is_absent_or_null_stays_absent) {
  const auto update = read<UpdateJob>(R"({"id":1,"do":"update","job":12,"nodes":null})");
  EXPECT_FALSE(update.hold || update.nodes || update.node_count || update.gpus_per_node ||
               update.clock);
  EXPECT_FALSE(update.start_now || update.comment || update.admin_comment || update.priority ||
               update.time_limit);
}

TEST(Request, an_empty_list_of_nodes_is_not_an_absent_one) {
  EXPECT_TRUE(read<UpdateJob>(R"({"id":1,"do":"update","job":12,"nodes":[]})").nodes);
}

TEST(Request, hold_and_release_are_updates) {
  EXPECT_EQ(read<UpdateJob>(R"({"id":1,"do":"hold","job":12})").hold, true);
  EXPECT_EQ(read<UpdateJob>(R"({"id":1,"do":"release","job":12})").hold, false);
}

TEST(Request, a_signal_goes_to_the_batch_script_unless_said_otherwise) {
  const auto plain = read<SignalJob>(R"({"id":1,"do":"signal","job":12})");
  EXPECT_EQ(plain.number, SIGUSR1);
  EXPECT_EQ(plain.to, SignalTo::batch);
  EXPECT_EQ(read<SignalJob>(R"({"id":1,"do":"signal","job":12,"signal":"SIGTERM","to":"all"})").to,
            SignalTo::all);
}

TEST(Request, nodes_are_told_apart_by_what_is_done_to_them) {
  EXPECT_EQ(read<ChangeNodes>(R"({"id":1,"do":"drain","nodes":["a"],"reason":"r"})").change,
            NodeChange::drain);
  EXPECT_EQ(read<ChangeNodes>(R"({"id":1,"do":"resume","nodes":["a"]})").change,
            NodeChange::resume);
  EXPECT_EQ(read<ChangeNodes>(R"({"id":1,"do":"power_down","nodes":["a"]})").change,
            NodeChange::power_down);
  EXPECT_EQ(read<ChangeNodes>(R"({"id":1,"do":"power_up","nodes":["a"]})").change,
            NodeChange::power_up);
}

TEST(Request, a_submission_keeps_its_text) {
  const auto job = read<SubmitJob>(
      R"({"id":1,"do":"submit","script":"#!/bin/sh\n","work_dir":"/x","env":{"A":"b=c"},"array":"0-9%2","gpus":4,"gpu_type":"v100"})");
  EXPECT_EQ(job.script, "#!/bin/sh\n");
  EXPECT_EQ(job.environment.at("A"), "b=c");
  EXPECT_EQ(job.gpus.total, 4);
  EXPECT_EQ(job.gpus.type, "v100");
}

TEST(Request, every_problem_is_told_at_once) {
  EXPECT_EQ(problem(R"({"id":1,"do":"update","job":"x","gpus_per_node":0,"nodez":[]})"),
            "update: job: is not a job: 12, or \"12_3\" for a task of an array; gpus_per_node: is "
            "not a whole "
            "number from 1 to 1000000; nodez: is not known here; there are: admin_comment "
            "clock_mhz comment do "
            "gpus_per_node hold id job node_count nodes priority start_now time_limit_min");
}

TEST(Request, numbers_must_be_whole_and_in_range) {
  for (const char* number : {"-1", "1.5", "1e3", "18446744073709551615", "\"3\"", "true", "[3]"}) {
    const std::string line = std::string(R"({"id":1,"do":"jobs","since":)") + number + "}";
    EXPECT_NE(problem(line), "") << number;
  }
  EXPECT_EQ(read<ListJobs>(R"({"id":1,"do":"jobs","since":1700000000})").since, 1700000000);
}

TEST(Request, names_that_slurm_would_take_for_lists_are_refused) {
  for (const char* name : {"n[1-9]", "n1,n2", "", "n 1", "n1\\n", "ALL;"}) {
    const std::string line = std::string(R"({"id":1,"do":"resume","nodes":[")") + name + "\"]}";
    EXPECT_NE(problem(line), "") << name;
  }
}

TEST(Request, a_zero_byte_would_cut_the_text) {
  EXPECT_EQ(problem(R"({"id":1,"do":"update","job":1,"comment":"a\u0000b"})"),
            "update: comment: has a zero byte");
  EXPECT_NE(
      problem(R"({"id":1,"do":"submit","script":"#!/bin/sh","work_dir":"/","env":{"A":"\u0000"}})"),
      "");
}

TEST(Request, gpus_are_asked_by_node_or_in_total) {
  const std::string begin = R"({"id":1,"do":"submit","script":"#!/bin/sh","work_dir":"/",)";
  EXPECT_NE(problem(begin + R"("gpus":2,"gpus_per_node":1})"), "");
  EXPECT_NE(problem(begin + R"("gpu_type":"v100"})"), "");
}

/// What the daemon wrote by hand before commands had types.
TEST(Command, is_written_as_the_daemon_always_wrote_it) {
  EXPECT_EQ(to_json(Hello{}), R"({"do":"hello"})");
  EXPECT_EQ(to_json(ListNodes{}), R"({"do":"nodes"})");
  EXPECT_EQ(to_json(ListPartitions{}), R"({"do":"partitions"})");
  EXPECT_EQ(to_json(ListJobs{}), R"({"do":"jobs"})");
  EXPECT_EQ(to_json(ListJobs{.since = 11, .news = true}),
            R"({"do":"jobs","news":true,"since":11})");
  EXPECT_EQ(to_json(ListJobs{.job = "12_3"}), R"({"do":"jobs","job":"12_3"})");
  EXPECT_EQ(to_json(UpdateJob{.job = "1",
                              .hold = false,
                              .nodes = {{"n0", "n1"}},
                              .node_count = 2,
                              .gpus_per_node = 4,
                              .clock = 1200,
                              .start_now = true}),
            R"({"do":"update","job":"1","hold":false,"nodes":["n0","n1"],"node_count":2,)"
            R"("gpus_per_node":4,"clock_mhz":1200,"start_now":true})");
  EXPECT_EQ(to_json(UpdateJob{.job = "1", .hold = true, .admin_comment = "penstock: held"}),
            R"({"do":"update","job":"1","hold":true,"admin_comment":"penstock: held"})");
  EXPECT_EQ(to_json(UpdateJob{.job = "1", .admin_comment = "penstock: held"}),
            R"({"do":"update","job":"1","admin_comment":"penstock: held"})");
  EXPECT_EQ(to_json(UpdateJob{.job = "1",
                              .hold = false,
                              .nodes = std::vector<std::string>{},
                              .admin_comment = "penstock: released"}),
            R"({"do":"update","job":"1","hold":false,"nodes":[],)"
            R"("admin_comment":"penstock: released"})");
  EXPECT_EQ(to_json(SignalJob{.job = "1", .number = SIGUSR1, .to = SignalTo::batch}),
            R"({"do":"signal","job":"1","signal":"SIGUSR1","to":"batch"})");
  EXPECT_EQ(to_json(Requeue{.job = "1", .hold = true}),
            R"({"do":"requeue","job":"1","hold":true})");
  EXPECT_EQ(to_json(CancelJob{"1"}), R"({"do":"cancel","job":"1"})");
  EXPECT_EQ(to_json(ChangeNodes{NodeChange::power_down, {"n0"}, "penstock"}),
            R"({"do":"power_down","nodes":["n0"],"reason":"penstock"})");
  EXPECT_EQ(to_json(ChangeNodes{NodeChange::power_up, {"n0"}, ""}),
            R"({"do":"power_up","nodes":["n0"]})");
}

SubmitJob a_submission() {
  return {.script = "#!/bin/sh\necho \"\xc3\xa9\"",
          .name = "n",
          .comment = "penstock: x=1",
          .work_dir = "/data/a",
          .gpus = {.total = 2, .type = "a"},
          .node_count = 1,
          .time_limit = 60,
          .append = true};
}

TEST(Command, a_submission_has_its_members_in_the_order_of_their_names) {
  EXPECT_EQ(to_json(a_submission()),
            R"({"do":"submit","append":true,"comment":"penstock: x=1","gpu_type":"a","gpus":2,)"
            R"("name":"n","node_count":1,"script":"#!/bin/sh\necho \")"
            "\xc3\xa9"
            R"(\"","time_limit_min":60,"work_dir":"/data/a"})");
}

TEST(Command, every_command_is_read_back_as_it_was_written) {
  const std::vector<Command> all{
      Hello{},
      ListJobs{.job = "3", .since = 4, .news = true},
      ListNodes{.since = 5},
      ListPartitions{},
      UpdateJob{.job = "1", .hold = true, .comment = "c", .priority = 7, .time_limit = 8},
      Requeue{.job = "1"},
      SignalJob{.job = "1", .number = SIGTERM, .to = SignalTo::steps},
      CancelJob{"1_2"},
      ChangeNodes{NodeChange::drain, {"a", "b"}, "broken"},
      SubmitJob{.script = "#!/bin/sh",
                .work_dir = "/",
                .array = "0-3",
                .environment = {{"A", "b\"c"}},
                .gpus = {.per_node = 2},
                .nodes = {"n0"},
                .cpus = 3,
                .memory = 4,
                .clock = 5,
                .hold = true},
      a_submission()};
  for (const Command& command : all) {
    const auto again = from_json(nlohmann::json::parse(to_json(command)));
    ASSERT_TRUE(again) << to_json(command) << ": " << again.error().message;
    EXPECT_EQ(again->index(), command.index());
    EXPECT_EQ(to_json(*again), to_json(command));
  }
}

TEST(Command, members_of_a_submission_are_read_back_even_if_slurm_would_refuse_them) {
  SubmitJob job = a_submission();
  job.partition = "a,b";  // no word
  const std::string members = submit_members(job);
  EXPECT_EQ("{\"do\":\"submit\"," + members + "}", to_json(job));
  const auto again = read_submit_members(members);
  ASSERT_TRUE(again);
  EXPECT_EQ(submit_members(*again), members);
  EXPECT_FALSE(read_submit_members("\"gpus\":"));
}

}  // namespace
}  // namespace penstock::bridge

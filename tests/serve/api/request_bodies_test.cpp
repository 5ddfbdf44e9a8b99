#include "serve/api/request_bodies.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(ApiBodies, reads_a_submission_and_makes_the_comment_of_it) {
  const auto read = parse_submission(
      R"({"script":"#!/bin/sh\n","work_dir":"/w","name":"n","partition":"p","gpus":2,"gpu_type":"a100",
          "site":"east","profile":"resnet50","gpus_least":1,"gpus_most":8,"deadline":"6h","priority":3,
          "checkpoint":true,"grace":"60s"})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->script, "#!/bin/sh\n");
  EXPECT_EQ(read->gpus, 2u);
  EXPECT_EQ(read->site, "east");
  EXPECT_EQ(read->comment,
            "penstock: gpus=1-8 profile=resnet50 deadline=6h priority=3 checkpoint=yes grace=60s");
}

TEST(ApiBodies, takes_a_submission_that_says_nothing_of_itself) {
  const auto read = parse_submission(R"({"script":"#!/bin/sh","work_dir":"/w"})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->comment, "");
  EXPECT_FALSE(read->gpus);
}

TEST(ApiBodies, tells_every_problem_of_a_submission_at_once) {
  const auto read = parse_submission(
      R"({"script":"echo","work_dir":"here","gpus":0,"gpuz":1,"priority":9,"name":"a\u001bb"})");
  ASSERT_FALSE(read);
  const std::string& reason = read.error().message;
  for (const char* part :
       {"body: script: must begin with #!", "body: work_dir: must be an absolute",
        "body: gpus: ", "gpuz", "priority='9' is not possible", "body: name: "})
    EXPECT_NE(reason.find(part), std::string::npos) << reason;
}

TEST(ApiBodies, lets_nobody_smuggle_words_into_a_comment) {
  for (const char* profile : {"a gpus=1-1000", "a,b", "a;b", "a=b", "", "a\\nb"})
    EXPECT_FALSE(parse_submission(R"({"script":"#!/bin/sh","work_dir":"/w","profile":")" +
                                  std::string(profile) + "\"}"))
        << profile;
}

TEST(ApiBodies, refuses_what_is_no_object) {
  for (const char* body : {"", "[]", "3", "{", "null", R"({"done":1,"done":2})"})
    EXPECT_FALSE(parse_progress(body)) << body;
  EXPECT_FALSE(parse_pause("[]"));
}

TEST(ApiBodies, reads_progress) {
  const auto read = parse_progress(R"({"done":1200.5,"saved":1000,"when":"2026-03-01T12:00:00Z"})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->done, 1200.5);
  EXPECT_EQ(read->saved, 1000);
  EXPECT_EQ(format_time(*read->when), "2026-03-01T12:00:00Z");
  EXPECT_FALSE(parse_progress(R"({})"));
  EXPECT_FALSE(parse_progress(R"({"done":-1})"));
  EXPECT_FALSE(parse_progress(R"({"done":1,"when":"soon"})"));
}

TEST(ApiBodies, reads_why_there_is_a_pause) {
  EXPECT_EQ(*parse_pause(""), "");
  EXPECT_EQ(*parse_pause("{}"), "");
  EXPECT_EQ(*parse_pause(R"({"reason":"fans"})"), "fans");
  EXPECT_FALSE(parse_pause(R"({"reason":3})"));
}

}  // namespace
}  // namespace penstock

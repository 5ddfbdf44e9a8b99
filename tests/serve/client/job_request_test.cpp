#include "serve/client/job_request.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(CommentFields, hold_what_was_said_and_nothing_else) {
  const CommentFields fields = comment_fields({.gpus = "1-8", .grace = "2m"});
  EXPECT_EQ(fields, (CommentFields{{"gpus", "1-8"}, {"grace", "2min"}}));
}

TEST(SbatchLine, asks_for_gpus_unless_the_user_does) {
  const auto line = sbatch_line({.gpus = "2", .words = {"train.sh"}});
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(*line, (std::vector<std::string>{"sbatch", "--comment=penstock: gpus=2", "--gpus=2",
                                             "train.sh"}));
  const auto own = sbatch_line({.gpus = "2", .words = {"--gpus=4", "train.sh"}});
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ(*own, (std::vector<std::string>{"sbatch", "--comment=penstock: gpus=2", "--gpus=4",
                                            "train.sh"}));
}

TEST(WithArguments, quotes_them_for_the_shell) {
  const auto script = with_arguments("#!/bin/sh\necho\n", {"a.sh", "it's"});
  ASSERT_TRUE(script) << script.error().message;
  EXPECT_EQ(*script, "#!/bin/sh\nset -- 'it'\\''s'\necho\n");
  EXPECT_FALSE(with_arguments("#!/usr/bin/python3\n", {"a.py", "x"}));
}

}  // namespace
}  // namespace penstock

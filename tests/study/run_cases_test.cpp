#include "study/run_cases.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace penstock {
namespace {

Result<int> square(std::size_t i) {
  return static_cast<int>(i * i);
}

TEST(RunCases, keeps_the_order_of_cases_on_any_number_of_threads) {
  for (const unsigned threads : {1u, 4u}) {
    const auto cases = run_cases<int>({.count = 5, .at_once = threads, .run = square});
    ASSERT_TRUE(cases);
    EXPECT_EQ(*cases, (std::vector<int>{0, 1, 4, 9, 16}));
  }
}

TEST(RunCases, says_which_case_begins_and_which_has_ended) {
  std::string said;
  CaseLoop<int> loop{.count = 2, .run = square};
  loop.begins = [&](std::size_t i) { said += "begin " + std::to_string(i) + "; "; };
  loop.ended = [&](std::size_t i, std::size_t done) {
    said += "end " + std::to_string(i) + ", " + std::to_string(done) + " done; ";
  };
  loop.so_far = [&](const std::vector<int>& cases) -> Result<Done> {
    said += std::to_string(cases.size()) + " so far; ";
    return Done{};
  };
  ASSERT_TRUE(run_cases(loop));
  EXPECT_EQ(said, "begin 0; end 0, 1 done; 1 so far; begin 1; end 1, 2 done; 2 so far; ");
}

TEST(RunCases, begins_no_further_case_after_an_error) {
  std::size_t begun = 0;
  CaseLoop<int> loop{.count = 9, .run = [](std::size_t i) -> Result<int> {
                       if (i == 2) return Error{"the third"};
                       return 1;
                     }};
  loop.begins = [&](std::size_t) { ++begun; };
  const auto cases = run_cases(loop);
  ASSERT_FALSE(cases);
  EXPECT_EQ(cases.error().message, "the third");
  EXPECT_EQ(begun, 3u);
}

TEST(RunCases, ends_if_what_was_found_cannot_be_kept) {
  CaseLoop<int> loop{.count = 9, .run = square};
  loop.so_far = [](const std::vector<int>&) -> Result<Done> { return Error{"disk is full"}; };
  const auto cases = run_cases(loop);
  ASSERT_FALSE(cases);
  EXPECT_EQ(cases.error().message, "disk is full");
}

}  // namespace
}  // namespace penstock

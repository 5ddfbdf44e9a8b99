#include "live/bridge/bridge_answer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using nlohmann::json;

TEST(BridgeAnswer, is_fine_only_if_it_says_so) {
  EXPECT_TRUE(is_fine(json{{"ok", true}}));
  EXPECT_FALSE(is_fine(json{{"ok", false}}));
  EXPECT_FALSE(is_fine(json{{"ok", "true"}}));
  EXPECT_FALSE(is_fine(json()));
}

TEST(BridgeAnswer, tells_the_code_and_the_text_of_an_error) {
  const json answer = {{"ok", false}, {"error", {{"code", "no_job"}, {"text", "no job 7"}}}};
  EXPECT_EQ(error_code(answer), "no_job");
  EXPECT_EQ(error_text(answer), "no job 7");
}

TEST(BridgeAnswer, has_words_for_an_error_without_any) {
  EXPECT_EQ(error_code(json{{"ok", false}}), "refused");
  EXPECT_EQ(error_text(json{{"ok", false}, {"error", 7}}), "no reason was given");
}

}  // namespace
}  // namespace penstock

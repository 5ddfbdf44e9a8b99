#include "serve/api/api.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

TEST(ApiError, is_one_sentence_in_json) {
  const ApiResponse response = api_error(404, R"(there is no job "7")");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, R"({"error":"there is no job \"7\""})");
}

TEST(ApiError, says_what_is_no_utf8_all_the_same) {
  EXPECT_EQ(api_error(400, "no \xff here").body, "{\"error\":\"no \xEF\xBF\xBD here\"}");
}

TEST(JsonResponse, keeps_the_order_of_its_members) {
  const ApiResponse response = json_response({{"b", 1}, {"a", "\xff"}}, 503);
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "{\"b\":1,\"a\":\"\xEF\xBF\xBD\"}");
}

TEST(IntParameter, is_never_less_than_nought_nor_more_than_the_most) {
  const ApiQuery query{.parameters = {{"five", "5"}, {"below", "-5"}, {"many", "500"}}};
  EXPECT_EQ(int_parameter(query, "five", 7, 100), 5);
  EXPECT_EQ(int_parameter(query, "below", 7, 100), 0);
  EXPECT_EQ(int_parameter(query, "many", 7, 100), 100);
}

TEST(IntParameter, is_the_usual_number_if_none_is_given) {
  const ApiQuery query{
      .parameters = {{"word", "many"}, {"empty", ""}, {"huge", "99999999999999999999"}}};
  for (const char* name : {"absent", "word", "empty", "huge"})
    EXPECT_EQ(int_parameter(query, name, 7, 100), 7) << name;
}

TEST(TextParameter, is_empty_if_it_is_not_given) {
  const ApiQuery query{.parameters = {{"user", "ann"}}};
  EXPECT_EQ(text_parameter(query, "user"), "ann");
  EXPECT_EQ(text_parameter(query, "use"), "");
}

}  // namespace
}  // namespace penstock

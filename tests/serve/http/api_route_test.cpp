#include "serve/http/api_route.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// What became of a request, in a word: "look jobs||a=b", "submit|", "404".
std::string route_text(std::string_view method, std::string_view target) {
  const ApiRoute route = route_of(method, target);
  if (const auto* look = std::get_if<ApiQuery>(&route)) {
    std::string text = "look " + look->page + "|" + look->id;
    for (const auto& [name, value] : look->parameters) text += "|" + name + "=" + value;
    return text;
  }
  if (const auto* deed = std::get_if<ApiCommand>(&route)) return deed->verb + "|" + deed->id;
  if (const auto* refusal = std::get_if<RouteError>(&route))
    return std::to_string(refusal->response.status);
  return "page";
}

TEST(ApiRoute, finds_jobs_by_site_and_number_however_they_are_encoded) {
  EXPECT_EQ(route_text("GET", "/api/v1/jobs/12"), "look job|12");
  EXPECT_EQ(route_text("GET", "/api/v1/jobs/east/12_3"), "look job|east/12_3");
  EXPECT_EQ(route_text("GET", "/api/v1/jobs/east%2f12"), "look job|east/12");
  EXPECT_EQ(route_text("HEAD", "/api/v1/jobs/12"), "look job|12");
  EXPECT_EQ(route_text("POST", "/api/v1/jobs/east%2F12/cancel"), "cancel|east/12");
  EXPECT_EQ(route_text("POST", "/api/v1/jobs/12/progress"), "progress|12");
}

TEST(ApiRoute, knows_no_job_without_a_name) {
  for (const char* target :
       {"/api/v1/jobs/", "/api/v1/jobs//", "/api/v1/jobs/a//", "/api/v1/jobs/a/",
        "/api/v1/jobs/a/b/c", "/api/v1/agents/", "/api/v1/agents/a/b"})
    EXPECT_EQ(route_text("GET", target), "404") << target;
  EXPECT_EQ(route_text("POST", "/api/v1/jobs//cancel"), "404");
}

TEST(ApiRoute, tells_a_wrong_method_from_a_wrong_path) {
  EXPECT_EQ(route_text("POST", "/api/v1/jobs/12"), "405");
  EXPECT_EQ(route_text("GET", "/api/v1/jobs/12/cancel"), "405");
  EXPECT_EQ(route_text("PUT", "/"), "405");
  EXPECT_EQ(route_text("GET", "/api/v1/agents/n1"), "405");
  EXPECT_EQ(route_text("POST", "/api/v1/nothing"), "404");
  EXPECT_EQ(std::get<RouteError>(route_of("PUT", "/api/v1/jobs")).allowed, "GET, HEAD, POST");
  EXPECT_EQ(std::get<RouteError>(route_of("GET", "/api/v1/plan")).allowed, "POST");
}

TEST(ApiRoute, takes_only_words_that_the_page_knows) {
  EXPECT_EQ(route_text("GET", "/api/v1/jobs?user=ada+l&after=east%2F3&"),
            "look jobs||after=east/3|user=ada l");
  EXPECT_EQ(route_text("GET", "/api/v1/savings?since=2026-01-01&former=fifo"),
            "look savings||former=fifo|since=2026-01-01");
  for (const char* query :
       {"user=a&user=b", "colour=red", "limit=0", "limit=10001", "limit=-1", "limit=1e3",
        "limit=", "format=xml", "user=%0a", "user=%f", "user=%c0%80", "=x"})
    EXPECT_EQ(route_text("GET", "/api/v1/jobs?" + std::string(query)), "400") << query;
  EXPECT_EQ(route_text("GET", "/api/v1/jobs?format=columns&ids=east/1,east/2"),
            "look jobs||format=columns|ids=east/1,east/2");
  EXPECT_EQ(route_text("GET", "/api/v1/history"), "look history|");
  EXPECT_EQ(route_text("GET", "/api/v1/ended?hours=72&user=ada"), "look ended||hours=72|user=ada");
  EXPECT_EQ(route_text("GET", "/api/v1/ended?hours=0"), "400");
  EXPECT_EQ(route_text("GET", "/api/v1/ended?hours=day"), "400");
  EXPECT_EQ(route_text("GET", "/api/v1/state?limit=3"), "400");
}

TEST(ApiRoute, survives_any_bytes) {
  EXPECT_EQ(route_text("GET", ""), "400");
  EXPECT_EQ(route_text("GET", "?"), "400");
  EXPECT_EQ(route_text("GET", "*"), "400");
  EXPECT_EQ(route_text("GET", "/a/b/c/d/e/f/g/h/i/j/k"), "400");
  EXPECT_EQ(route_text("GET", "/%"), "400");
  EXPECT_EQ(route_text("GET", "/#x"), "page");
  EXPECT_EQ(route_text("GET", "/\xff"), "400");
}

}  // namespace
}  // namespace penstock

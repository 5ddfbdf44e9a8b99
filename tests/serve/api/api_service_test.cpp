#include "serve/api/api_service.h"

#include "serve/two_sites.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

class ApiServiceTest : public TwoSites {
 protected:
  ApiResponse get(const ApiQuery& query) {
    return ask([&] { return service.get(query); });
  }

  ApiService service{needs};
};

TEST_F(ApiServiceTest, makes_the_page_that_is_asked_for) {
  show(0, {waiting(7)});
  EXPECT_TRUE(parsed(get({.page = "state"})).contains("decisions"));
  EXPECT_TRUE(parsed(get({.page = "sites"})).contains("sites"));
  EXPECT_TRUE(parsed(get({.page = "ready"})).contains("ready"));
  EXPECT_EQ(parsed(get({.page = "jobs"}))["total"], 1);
  EXPECT_EQ(parsed(get({.page = "job", .id = "east/7"}))["job"]["id"], "east/7");
  EXPECT_EQ(get({.page = "moods"}).status, 404);
}

TEST_F(ApiServiceTest, keeps_a_page_for_a_moment) {
  show(0, {waiting(7)});
  EXPECT_EQ(parsed(get({.page = "jobs"}))["total"], 1);
  const ApiResponse kept = service.get({.page = "jobs"});  // nobody works meanwhile
  EXPECT_EQ(parsed(kept)["total"], 1);
  EXPECT_EQ(parsed(get({.page = "jobs", .parameters = {{"state", "running"}}}))["total"], 0)
      << "another question is another page";
  show(0, {});
  std::this_thread::sleep_for(210ms);
  EXPECT_EQ(parsed(get({.page = "jobs"}))["total"], 0);
}

TEST_F(ApiServiceTest, asks_about_savings_every_time) {
  int asked = 0;
  needs.savings = [&] { return ApiResponse{200, std::to_string(++asked)}; };
  ApiService counting(needs);
  EXPECT_EQ(counting.get({.page = "savings"}).body, "1");
  EXPECT_EQ(counting.get({.page = "savings"}).body, "2");
}

TEST_F(ApiServiceTest, reads_about_ended_jobs_without_the_scheduler) {
  EXPECT_EQ(service.get({.page = "ended"}).status, 200);
}

TEST_F(ApiServiceTest, finds_the_job_whose_decisions_are_asked_for) {
  look_at_clusters();
  EXPECT_EQ(get({.page = "decisions"}).status, 200);
  const ApiResponse unknown = get({.page = "decisions", .parameters = {{"job", "7"}}});
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(parsed(unknown)["error"], "there is no job '7'; possible: SITE/NUMBER");
  EXPECT_EQ(get({.page = "decisions", .parameters = {{"job", "west/7"}}}).status, 200);
}

TEST_F(ApiServiceTest, tells_those_who_come_after_its_end) {
  service.close();
  EXPECT_EQ(service.get({.page = "state"}).status, 503);
  EXPECT_EQ(service.post({.verb = "resume"}).status, 503);
}

}  // namespace
}  // namespace penstock

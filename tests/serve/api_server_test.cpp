#include "serve/api_server_fixture.h"

namespace penstock {
namespace {

TEST_F(ApiServerTest, shows_every_page) {
  start();
  EXPECT_EQ(get("/healthz").body, "ok\n");
  EXPECT_EQ(get("/metrics").body, "penstock_jobs{state=\"queued\"} 3\n");
  EXPECT_EQ(get("/readyz").status, 503);
  EXPECT_EQ(get("/readyz").body, R"({"error":"east does not answer"})");
  EXPECT_EQ(get("/api/v1/state").body, R"({"look":"state|"})");
  EXPECT_EQ(get("/api/v1/sites").body, R"({"look":"sites|"})");
  EXPECT_EQ(get("/api/v1/jobs?state=running&limit=5").body,
            R"({"look":"jobs||limit=5|state=running"})");
  EXPECT_EQ(get("/api/v1/jobs/east/12").body, R"({"look":"job|east/12"})");
  EXPECT_EQ(get("/api/v1/decisions?job=east%2F12").body, R"({"look":"decisions||job=east/12"})");
  EXPECT_EQ(get("/api/v1/savings").body, R"({"look":"savings|"})");
  const RawAnswer home = get("/");
  EXPECT_NE(home.body.find("Penstock"), std::string::npos);
  EXPECT_NE(home.headers.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
  EXPECT_NE(home.headers.find("X-Content-Type-Options: nosniff"), std::string::npos);
}

TEST_F(ApiServerTest, gives_its_page_one_policy_and_asks_no_token_for_it) {
  options_.host = "0.0.0.0";
  options_.home =
      "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'sha256-x='\"><p>hello";
  start();
  const RawAnswer home = get("/");
  EXPECT_EQ(home.status, 200);
  EXPECT_EQ(home.body, options_.home);
  EXPECT_NE(home.headers.find("Content-Type: text/html; charset=utf-8"), std::string::npos);
  EXPECT_NE(home.headers.find("Cache-Control: no-store"), std::string::npos);
  const auto policy = home.headers.find("Content-Security-Policy: ");
  EXPECT_EQ(home.headers.find("Content-Security-Policy: ", policy + 1), std::string::npos);
  EXPECT_EQ(home.headers.find("script-src 'sha256-x='; frame-ancestors 'none'"),
            policy + std::string("Content-Security-Policy: ").size());
  EXPECT_EQ(get("/api/v1/state").status, 401);
  EXPECT_EQ(get("/api/v1/events").status, 401);
}

TEST_F(ApiServerTest, does_every_deed_for_who_has_the_token) {
  start();
  EXPECT_EQ(post("/api/v1/jobs", kWithToken, R"({"script":"x"})").body, R"({"did":"submit|"})");
  EXPECT_EQ(source_.deeds().front().body, R"({"script":"x"})");
  EXPECT_EQ(post("/api/v1/jobs/east/12/cancel", kWithToken).body, R"({"did":"cancel|east/12"})");
  EXPECT_EQ(post("/api/v1/jobs/12/progress", kWithToken).body, R"({"did":"progress|12"})");
  EXPECT_EQ(post("/api/v1/pause", kWithToken, "").body, R"({"did":"pause|"})");
  EXPECT_EQ(post("/api/v1/resume", kWithToken).body, R"({"did":"resume|"})");
  EXPECT_EQ(post("/api/v1/plan", kWithToken).body, R"({"did":"plan|"})");
  EXPECT_EQ(post("/api/v1/agents/n1", kWithToken).body, R"({"did":"agent|n1"})");
}

TEST_F(ApiServerTest, does_nothing_without_the_token_even_on_loopback) {
  start();
  EXPECT_EQ(post("/api/v1/pause", "").status, 401);
  EXPECT_EQ(post("/api/v1/pause", "Authorization: Bearer correct-horse-batterx\r\n").status, 401);
  EXPECT_EQ(post("/api/v1/pause", "Authorization: Bearer \r\n").status, 401);
  EXPECT_EQ(post("/api/v1/pause", "Authorization: Basic correct-horse-battery\r\n").status, 401);
  const RawAnswer refused = post("/api/v1/pause", "Authorization: Bearer wrong\r\n");
  EXPECT_NE(refused.headers.find("WWW-Authenticate: Bearer"), std::string::npos);
  EXPECT_EQ(refused.body.find(kToken), std::string::npos);
  EXPECT_TRUE(source_.deeds().empty());
}

TEST_F(ApiServerTest, started_without_a_token_it_does_nothing_for_anybody) {
  options_.token_file.clear();
  start();
  EXPECT_EQ(post("/api/v1/pause", kWithToken).status, 403);
  EXPECT_EQ(post("/api/v1/pause", "Authorization: Bearer \r\n").status, 403);
  EXPECT_EQ(get("/api/v1/state").status, 200);
  EXPECT_TRUE(source_.deeds().empty());
}

TEST_F(ApiServerTest, beyond_loopback_everything_but_its_page_needs_the_token) {
  options_.host = "0.0.0.0";
  start();
  for (const char* page : {"/healthz", "/readyz", "/metrics", "/api/v1/state", "/nothing"})
    EXPECT_EQ(get(page).status, 401) << page;
  EXPECT_EQ(get("/api/v1/state", kWithToken).status, 200);
  EXPECT_EQ(get("/nothing", kWithToken).status, 404);
}

TEST_F(ApiServerTest, does_not_begin_where_it_would_be_unsafe_or_cannot) {
  options_.token_file.clear();
  options_.host = "0.0.0.0";
  EXPECT_NE(start_error().find("name a token file"), std::string::npos);
  options_.host = "127.0.0.1";
  options_.token_file = folder_ / "none";
  EXPECT_NE(start_error().find("No such file"), std::string::npos);
  options_.token_file = folder_ / "token";
  std::filesystem::permissions(folder_ / "token", std::filesystem::perms(0644));
  EXPECT_NE(start_error().find("chmod 600"), std::string::npos);
  std::filesystem::permissions(folder_ / "token", std::filesystem::perms(0600));
  start();
  options_.port = server_->port();
  EXPECT_NE(start_error().find("Address already in use"), std::string::npos) << start_error();
  options_.host = "192.0.2.1";
  EXPECT_NE(start_error().find("cannot listen on 192.0.2.1"), std::string::npos) << start_error();
}

TEST_F(ApiServerTest, answers_only_to_its_own_names_where_reading_is_free) {
  options_.names = {"gpu.example"};
  start();
  const auto status_as = [&](const std::string& host) {
    RawHttp peer(server_->port());
    peer.send("GET /api/v1/state HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n");
    return parse_raw(peer.receive()).status;
  };
  EXPECT_EQ(status_as("evil.example"), 403);
  EXPECT_EQ(status_as("127.evil.example:7323"), 403);
  EXPECT_EQ(status_as("localhost:7323"), 200);
  EXPECT_EQ(status_as("[::1]:7323"), 200);
  EXPECT_EQ(status_as("GPU.example:80"), 200);
}

TEST_F(ApiServerTest, refuses_in_json_what_it_does_not_know) {
  start();
  const RawAnswer nothing = get("/api/v2/state");
  EXPECT_EQ(nothing.status, 404);
  EXPECT_TRUE(nothing.body.starts_with(R"({"error":"there is no '/api/v2/state')")) << nothing.body;
  const RawAnswer method = post("/api/v1/state", kWithToken);
  EXPECT_EQ(method.status, 405);
  EXPECT_NE(method.headers.find("Allow: GET, HEAD"), std::string::npos);
  EXPECT_EQ(get("/api/v1/pause").status, 405);
  for (const char* verb : {"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"})
    EXPECT_EQ(ask_raw(server_->port(), std::string(verb) + " /api/v1/jobs").status, 405) << verb;
  EXPECT_EQ(ask_raw(server_->port(), "BREW /").status, 400);
  EXPECT_EQ(get("/api/v1/jobs?colour=red").status, 400);
  EXPECT_EQ(get("/%zz").status, 400);
}

TEST_F(ApiServerTest, answers_HEAD_without_a_body) {
  start();
  const RawAnswer head = ask_raw(server_->port(), "HEAD /api/v1/state");
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.headers.find("Content-Length: 17"), std::string::npos) << head.headers;
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(ask_raw(server_->port(), "HEAD /api/v1/events").status, 200);
  EXPECT_EQ(ask_raw(server_->port(), "HEAD /api/v1/pause").status, 405);
}

TEST_F(ApiServerTest, keeps_hostile_paths_out_of_its_source) {
  start();
  EXPECT_EQ(get("/api/v1/jobs/..%2f..%2fetc%2fpasswd").status, 404);
  EXPECT_EQ(get("/api/v1/jobs/a%00b").status, 400);
  EXPECT_EQ(get("/api/v1/jobs/a%0d%0aSet-Cookie:x").status, 400);
  EXPECT_EQ(get("/api/v1/jobs/%ff").status, 400);
  EXPECT_EQ(get("/api/v1/jobs/" + std::string(300, 'a')).status, 404);
  EXPECT_EQ(get("/" + std::string(9000, 'a')).status, 414);
  EXPECT_EQ(get("http://localhost/api/v1/state").status, 400);
  EXPECT_EQ(get("/api/v1/jobs/it%27s").body, R"({"look":"job|it's"})");
}

}  // namespace
}  // namespace penstock

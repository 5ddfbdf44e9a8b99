#include "serve/http/api_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "serve/http/api_server_fixture.h"

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
  EXPECT_EQ(source_.commands().front().body, R"({"script":"x"})");
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
  EXPECT_TRUE(source_.commands().empty());
}

TEST_F(ApiServerTest, started_without_a_token_it_does_nothing_for_anybody) {
  options_.token_file.clear();
  start();
  EXPECT_EQ(post("/api/v1/pause", kWithToken).status, 403);
  EXPECT_EQ(post("/api/v1/pause", "Authorization: Bearer \r\n").status, 403);
  EXPECT_EQ(get("/api/v1/state").status, 200);
  EXPECT_TRUE(source_.commands().empty());
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

namespace {

using ApiServerBounds = ApiServerTest;

TEST_F(ApiServerBounds, refuses_bodies_that_are_too_large_or_packed) {
  options_.largest_body = 1000;
  start();
  EXPECT_EQ(post("/api/v1/plan", kWithToken, std::string(1000, 'x')).status, 200);
  EXPECT_EQ(post("/api/v1/plan", kWithToken, std::string(1001, 'x')).status, 413);
  EXPECT_EQ(post("/api/v1/plan", kWithToken, std::string(400'000, 'x')).status, 413);
  const std::string chunked = std::string(kWithToken) + "Transfer-Encoding: chunked\r\n";
  RawHttp peer(server_->port());
  peer.send("POST /api/v1/plan HTTP/1.1\r\n" + chunked + "\r\n7d0\r\n" + std::string(2000, 'x') +
            "\r\n0\r\n\r\n");
  EXPECT_EQ(parse_raw(peer.receive()).status, 413);
  EXPECT_EQ(post("/api/v1/plan", std::string(kWithToken) + "Content-Encoding: gzip\r\n").status,
            415);
  EXPECT_EQ(post("/api/v1/plan",
                 std::string(kWithToken) + "Content-Type: multipart/form-data; boundary=x\r\n")
                .status,
            415);
  EXPECT_EQ(source_.commands().size(), 1u);
}

TEST_F(ApiServerBounds, refuses_bodies_of_two_lengths) {
  start();
  RawHttp peer(server_->port());
  peer.send("POST /api/v1/plan HTTP/1.1\r\n" + std::string(kWithToken) +
            "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  EXPECT_EQ(parse_raw(peer.receive()).status, 400);
  EXPECT_TRUE(source_.commands().empty());
}

TEST_F(ApiServerBounds, refuses_endless_headers) {
  start();
  RawHttp peer(server_->port());
  std::string many = "GET /healthz HTTP/1.1\r\n";
  for (int i = 0; i < 100'000; ++i) many += "X-A: 0123456789012345678901234567890123456789\r\n";
  peer.send(many);
  EXPECT_NE(parse_raw(peer.receive()).status, 200);
  EXPECT_EQ(get("/healthz").status, 200);
}

TEST_F(ApiServerBounds, never_takes_a_body_for_the_next_request) {
  start();
  RawHttp peer(server_->port());
  const std::string inner = "POST /api/v1/pause HTTP/1.1\r\n" + std::string(kWithToken) + "\r\n";
  peer.send("GET /healthz HTTP/1.1\r\nContent-Length: " + std::to_string(inner.size()) +
            "\r\n\r\n" + inner);
  const std::string answer = peer.receive();
  EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  EXPECT_TRUE(source_.commands().empty());
}

TEST_F(ApiServerBounds, answers_many_requests_on_one_connection) {
  start();
  RawHttp peer(server_->port());
  for (int i = 0; i < 50; ++i) {
    peer.forget();
    ASSERT_TRUE(peer.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    ASSERT_EQ(parse_raw(peer.receive("ok\n")).body, "ok\n") << i;
  }
}

TEST_F(ApiServerBounds, tells_who_asks_too_often) {
  options_.requests_per_second = 0.001;
  options_.burst = 3;
  start();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get("/healthz").status, 200);
  const RawAnswer refused = get("/healthz");
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(refused.headers.find("Retry-After: 1"), std::string::npos);
}

TEST_F(ApiServerBounds, follows_events_and_resumes_them) {
  start();
  feed_.push("job", R"({"n":1})");
  feed_.push("job", R"({"n":2})");
  RawHttp reader(server_->port());
  reader.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 1\r\n\r\n");
  std::string seen = reader.receive("\"n\":2");
  EXPECT_NE(seen.find("Content-Type: text/event-stream"), std::string::npos);
  EXPECT_NE(seen.find("id: 2\nevent: job\ndata: {\"n\":2}\n\n"), std::string::npos);
  EXPECT_EQ(seen.find("\"n\":1"), std::string::npos);
  feed_.push("decision", R"({"n":3})");
  EXPECT_NE(reader.receive("\"n\":3").find("id: 3\nevent: decision\n"), std::string::npos);
}

TEST_F(ApiServerBounds, tells_readers_what_they_missed) {
  start();
  for (int i = 0; i < 10; ++i) feed_.push("job", "{}");  // four are kept
  RawHttp reader(server_->port());
  reader.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 2\r\n\r\n");
  const std::string seen = reader.receive("id: 10");
  EXPECT_NE(seen.find("event: skipped\ndata: {\"skipped\":4}"), std::string::npos) << seen;
  EXPECT_NE(seen.find("id: 7\n"), std::string::npos);
}

TEST_F(ApiServerBounds, shows_readers_of_events_that_it_is_alive) {
  options_.event_beat = Duration(20);
  start();
  RawHttp reader(server_->port());
  reader.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  reader.receive(": here\n\n");
  reader.forget();
  EXPECT_NE(reader.receive(": here\n\n").find(": here"), std::string::npos);
}

TEST_F(ApiServerBounds, bounds_the_readers_of_events) {
  options_.most_event_readers = 1;
  options_.event_beat = Duration(20);
  start();
  {
    RawHttp first(server_->port());
    first.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    first.receive(": here");
    EXPECT_EQ(get("/api/v1/events").status, 503);
    EXPECT_EQ(get("/healthz").status, 200);
  }
  int status = 503;
  while (status == 503) {  // until the server has noticed that the first is gone
    RawHttp next(server_->port());
    next.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    status = parse_raw(next.receive("\r\n\r\n")).status;
  }
  EXPECT_EQ(status, 200);
}

TEST_F(ApiServerBounds, serves_others_while_64_clients_hang) {
  options_.idle_timeout = options_.request_timeout = Duration(60'000);
  start();
  std::vector<std::unique_ptr<RawHttp>> hanging;
  for (int i = 0; i < 64; ++i) {
    hanging.push_back(std::make_unique<RawHttp>(server_->port()));
    ASSERT_TRUE(hanging.back()->is_connected());
    if (i % 2 == 0) hanging.back()->send("GET /healthz HTTP/1.1\r\nX-Slow");
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(get("/healthz").status, 200);
}

TEST_F(ApiServerBounds, turns_away_who_comes_when_all_threads_are_taken) {
  options_.most_connections = 2;
  options_.idle_timeout = Duration(60'000);
  start();
  RawHttp one(server_->port());
  one.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  one.receive("ok\n");
  RawHttp two(server_->port());
  two.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  two.receive("ok\n");
  const std::string third = RawHttp(server_->port()).receive();
  EXPECT_EQ(parse_raw(third).status, 503);
  EXPECT_NE(third.find("Content-Length: " + std::to_string(parse_raw(third).body.size())),
            std::string::npos);
}

TEST_F(ApiServerBounds, hangs_up_on_who_is_too_slow) {
  options_.request_timeout = Duration(50);
  start();
  RawHttp slow(server_->port());
  slow.send("GET /healthz HTTP/1.1\r\nX-Slow: ");
  EXPECT_NE(parse_raw(slow.receive()).status, 200);
}

TEST_F(ApiServerBounds, stops_at_once_though_connections_are_open) {
  options_.idle_timeout = options_.request_timeout = Duration(60'000);
  start();
  RawHttp idle(server_->port());
  RawHttp half(server_->port());
  half.send("GET /health");
  RawHttp reader(server_->port());
  reader.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  reader.receive(": here");
  server_->stop();
  server_->stop();
  EXPECT_FALSE(RawHttp(server_->port()).is_connected());
}

TEST_F(ApiServerBounds, takes_many_clients_at_once) {
  start();
  std::atomic<int> fine = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 16; ++i)
    clients.emplace_back([&] {
      for (int k = 0; k < 20; ++k)
        fine +=
            get("/api/v1/state").status == 200 && post("/api/v1/plan", kWithToken).status == 200;
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(fine, 320);
  EXPECT_EQ(source_.commands().size(), 320u);
}

}  // namespace

namespace {

TEST(PagePolicy, is_what_the_page_says_and_no_frames) {
  EXPECT_EQ(content_policy_of("<head><meta http-equiv=\"Content-Security-Policy\" "
                              "content=\"default-src 'none'; script-src 'sha256-x='\"><b c=\"d\">"),
            "default-src 'none'; script-src 'sha256-x='; frame-ancestors 'none'");
}

TEST(PagePolicy, lets_nothing_run_in_a_page_that_says_nothing) {
  EXPECT_EQ(content_policy_of("<html>"), kDefaultContentPolicy);
  EXPECT_EQ(content_policy_of(""), kDefaultContentPolicy);
}

}  // namespace

}  // namespace penstock

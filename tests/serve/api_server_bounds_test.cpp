#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "serve/api_server_fixture.h"

namespace penstock {
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
  EXPECT_EQ(source_.deeds().size(), 1u);
}

TEST_F(ApiServerBounds, refuses_bodies_of_two_lengths) {
  start();
  RawHttp peer(server_->port());
  peer.send("POST /api/v1/plan HTTP/1.1\r\n" + std::string(kWithToken) +
            "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  EXPECT_EQ(parse_raw(peer.receive()).status, 400);
  EXPECT_TRUE(source_.deeds().empty());
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
  EXPECT_TRUE(source_.deeds().empty());
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
  EXPECT_EQ(source_.deeds().size(), 320u);
}

}  // namespace
}  // namespace penstock

#include "agent/daemon_link.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/stat.h>

#include <thread>

#include "agent/fake_gpus.h"

namespace penstock::agent {
namespace {

using namespace std::chrono_literals;

/// A daemon that answers every agent alike.
class Daemon {
 public:
  explicit Daemon(const httplib::Server::Handler& answer) {
    server_.Post("/api/v1/agents/n1", answer);
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon() {
    server_.stop();
    thread_.join();
  }
  DaemonLink link() const {
    return {.url = "http://127.0.0.1:" + std::to_string(port_), .node = "n1", .token = "secret"};
  }

 private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

std::string ask_error(const Daemon& daemon) {
  const auto plan = ask_daemon(daemon.link(), "{}");
  if (plan) return "fine";
  const std::string begin = "daemon " + daemon.link().url + ": ";
  EXPECT_EQ(plan.error().message.substr(0, begin.size()), begin);
  return plan.error().message.substr(begin.size());
}

TEST(AgentLink, brings_a_report_and_gets_a_plan) {
  std::string received;
  std::string token;
  const Daemon daemon([&](const httplib::Request& request, httplib::Response& response) {
    received = request.body;
    token = request.get_header_value("Authorization");
    response.set_content(R"({"valid_s":30,"gpus":[{"index":0,"clock_mhz":900}]})",
                         "application/json");
  });
  const auto plan = ask_daemon(daemon.link(), R"({"node":"n1"})");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->gpus[0].clock_mhz, 900U);
  EXPECT_EQ(received, R"({"node":"n1"})");
  EXPECT_EQ(token, "Bearer secret");
}

TEST(AgentLink, tells_what_a_daemon_answers_that_gives_no_plan) {
  const Daemon angry([](const httplib::Request&, httplib::Response& response) {
    response.status = 403;
    response.set_content(R"({"error":"no\u001b[31m token"})", "application/json");
  });
  EXPECT_EQ(ask_error(angry),
            "answers 403: no [31m token; possible: --token-file FILE or PENSTOCK_TOKEN_FILE");
  const Daemon confused([](const httplib::Request&, httplib::Response& response) {
    response.set_content("<html>", "text/html");
  });
  EXPECT_EQ(ask_error(confused), "plan: is not JSON");
}

TEST(AgentLink, does_not_take_an_endless_answer) {
  const Daemon endless([](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("text/plain", [](std::size_t, httplib::DataSink& sink) {
      return sink.write(std::string(65536, ' ').data(), 65536);
    });
  });
  EXPECT_EQ(ask_error(endless), "answers too much, or too slowly");
}

TEST(AgentLink, does_not_wait_for_a_daemon_that_is_silent) {
  const Daemon unresponsive(
      [](const httplib::Request&, httplib::Response&) { std::this_thread::sleep_for(500ms); });
  DaemonLink link = unresponsive.link();
  link.timeout = 50ms;
  EXPECT_EQ(ask_daemon(link, "{}").error().message,
            "daemon " + link.url + ": does not answer in time, or breaks off");
}

TEST(AgentLink, tells_when_nobody_answers) {
  const auto plan = ask_daemon({.url = "http://127.0.0.1:1", .node = "n1"}, "{}");
  ASSERT_FALSE(plan);
  EXPECT_EQ(
      plan.error().message,
      "daemon http://127.0.0.1:1: cannot be reached; possible: to start penstock serve there, "
      "another --daemon or PENSTOCK_DAEMON, or --plan FILE without one");
}

TEST(AgentLink, knows_an_address) {
  for (const char* url :
       {"http://127.0.0.1:7323", "https://penstock.example:443/", "http://[::1]:80"})
    EXPECT_TRUE(check_url(url)) << url;
  for (const char* url : {"", "127.0.0.1:7323", "http://host", "http://:80", "http://host:0",
                          "http://host:80/api", "ftp://host:80", "http://a b:80"})
    EXPECT_FALSE(check_url(url)) << url;
  EXPECT_EQ(check_url("x").error().message,
            "'x' is no address of a daemon, such as http://127.0.0.1:7323");
}

TEST(AgentLink, node_names_fit_into_a_path) {
  EXPECT_TRUE(is_node_name("gpu-01.rack_2"));
  for (const char* name : {"", "..", "a/b", "a b", "n\xc3\xa4"}) EXPECT_FALSE(is_node_name(name));
}

TEST(AgentLink, a_token_is_nobody_elses) {
  const FakeGpus folder;
  const std::string path = folder.folder() + "/token";
  std::ofstream(path) << "secret\n";
  chmod(path.c_str(), 0600);
  EXPECT_EQ(*read_token(path), "secret");
  chmod(path.c_str(), 0644);
  EXPECT_EQ(read_token(path).error().message,
            path + ": everybody may read or change this token; chmod o= it");
  std::ofstream(path) << "two words\n";
  chmod(path.c_str(), 0600);
  EXPECT_FALSE(read_token(path));
  EXPECT_FALSE(read_token("/nowhere/token"));
}

TEST(AgentLink, a_plan_may_lie_in_a_file) {
  const FakeGpus folder;
  const std::string path = folder.folder() + "/plan.json";
  EXPECT_EQ(read_plan_file(path).error().message,
            path + ": cannot be read: No such file or directory");
  std::ofstream(path) << R"({"valid_s":30,"gpus":[]})";
  EXPECT_EQ(read_plan_file(path)->valid, 30s);
  std::ofstream(path) << "{";
  EXPECT_EQ(read_plan_file(path).error().message, path + ": plan: is not JSON");
}

}  // namespace
}  // namespace penstock::agent

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "serve/http/api_server.h"
#include "serve/http/fake_handler.h"
#include "serve/http/raw_http.h"

namespace penstock {

inline constexpr auto kToken = "correct-horse-battery";
inline constexpr auto kWithToken = "Authorization: Bearer correct-horse-battery\r\n";

/// A server on any free port with a token, once start() was called.
class ApiServerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "api-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "token") << kToken << "\n";
    std::filesystem::permissions(folder_ / "token", std::filesystem::perms(0600));
    options_ = {.port = 0, .token_file = folder_ / "token"};
  }
  void TearDown() override {
    if (server_) server_->stop();
    std::filesystem::remove_all(folder_);
  }
  void start() {
    auto server = ApiServer::start(source_, feed_, options_);
    ASSERT_TRUE(server) << server.error().message;
    server_.emplace(*std::move(server));
  }
  RawAnswer get(const std::string& target, const std::string& headers = {}) const {
    return ask_raw(server_->port(), "GET " + target, headers);
  }
  RawAnswer post(const std::string& target, const std::string& headers,
                 const std::string& body = "{}") const {
    return ask_raw(server_->port(), "POST " + target, headers, body);
  }
  std::string start_error() {
    const auto server = ApiServer::start(source_, feed_, options_);
    return server ? "" : server.error().message;
  }

  FakeHandler source_;
  EventFeed feed_{4};
  ApiOptions options_;
  std::filesystem::path folder_;
  std::optional<ApiServer> server_;
};

}  // namespace penstock

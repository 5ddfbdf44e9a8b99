#include "serve/client/daemon_client.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>

#include "io/text/number.h"

namespace penstock {
namespace {

constexpr std::size_t kLargestAnswer = 256u << 20;
constexpr std::string_view kPossible = "possible: http://127.0.0.1:7323";

bool is_host(std::string_view host) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]";
  return !host.empty() && host.find_first_not_of(kLetters) == std::string_view::npos;
}

bool is_port(std::string_view port) {
  const auto number = parse_number<std::uint16_t>(port);
  return number && *number > 0;
}

/// "127.0.0.1:7323", "[::1]:7323" or without a port.
bool is_authority(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && !text.ends_with(']');
  return is_host(text.substr(0, has_port ? colon : text.size())) &&
         (!has_port || is_port(text.substr(colon + 1)));
}

}  // namespace

Result<DaemonClient> DaemonClient::make(std::string_view url, std::string token) {
  std::string_view rest = url;
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const std::string_view whole = rest;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!rest.starts_with(scheme)) continue;
    rest.remove_prefix(scheme.size());
    if (is_authority(rest)) return DaemonClient(std::string(whole), std::move(token));
  }
  return Error{fmt::format("{} is no address of a daemon; {}", in_quotes(url), kPossible)};
}

Result<ApiResponse> DaemonClient::ask(const char* method, const std::string& target,
                                      const std::string& json) const {
  constexpr std::time_t kConnect = 5;
  constexpr std::time_t kRead = 60;
  httplib::Client client(url_);
  client.set_connection_timeout(kConnect);
  client.set_read_timeout(kRead);
  ApiResponse answer;
  httplib::Request request;
  request.method = method;
  request.path = target;
  request.body = json;
  request.set_header("Accept", "application/json");
  if (!json.empty()) request.set_header("Content-Type", "application/json");
  if (!token_.empty()) request.set_header("Authorization", "Bearer " + token_);
  request.content_receiver = [&](const char* bytes, std::size_t size, std::uint64_t /*offset*/,
                                 std::uint64_t /*whole*/) {
    answer.body.append(bytes, size);
    return answer.body.size() <= kLargestAnswer;
  };
  const httplib::Result result = client.send(request);
  if (!result)
    return Error{
        fmt::format("no daemon answers at {} ({}): start one with penstock serve, or name it "
                    "with --daemon or PENSTOCK_DAEMON",
                    url_, httplib::to_string(result.error()))};
  answer.status = result->status;
  return answer;
}

}  // namespace penstock

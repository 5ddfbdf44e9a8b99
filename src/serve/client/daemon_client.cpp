#include "serve/client/daemon_client.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/text/number.h"
#include "serve/http/access_control.h"
#include "serve/http/api_server.h"
#include "serve/http/text_encoding.h"

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

namespace {

using ClientJson = nlohmann::ordered_json;

Result<DaemonClient> client_of(const DaemonAddress& address) {
  std::string token;
  if (!address.token_file.empty()) {
    auto read = read_token(address.token_file);
    if (!read) return std::move(read).error();
    token = *std::move(read);
  }
  const std::string home = fmt::format("http://127.0.0.1:{}", kDaemonPort);
  return DaemonClient::make(address.url.empty() ? home : address.url, std::move(token));
}

/// One of a text member, made fit for a terminal; empty if there is none.
std::string text_member(const ClientJson& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return {};
  return terminal_safe(object[key].get_ref<const std::string&>());
}

Result<ClientJson> parse_response(const ApiResponse& answer, const DaemonAddress& address) {
  ClientJson body = ClientJson::parse(answer.body, nullptr, false);
  if (answer.status >= 200 && answer.status < 300 && !body.is_discarded()) return body;
  std::string said = text_member(body, "error");
  if (answer.status == 401)
    said += address.token_file.empty() ? "; possible: --token-file FILE or PENSTOCK_TOKEN_FILE"
                                       : fmt::format("; {} has another", address.token_file);
  if (said.empty())
    said = fmt::format(
        "answered with status {} and nothing that can be understood: is it a "
        "Penstock daemon?",
        answer.status);
  return Error{"the daemon: " + said};
}

Result<ClientJson> parse_response(const Result<ApiResponse>& answer, const DaemonAddress& address) {
  if (!answer) return answer.error();
  return parse_response(*answer, address);
}

std::string value_text(const ClientJson& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return terminal_safe(value.get_ref<const std::string&>());
  if (!value.is_array()) return terminal_safe(value.dump(-1, ' ', true));
  std::string list;
  for (const ClientJson& each : value) list += (list.empty() ? "" : ",") + value_text(each);
  return list;
}

}  // namespace

Result<nlohmann::ordered_json> get_from_daemon(const DaemonAddress& address,
                                               const std::string& target) {
  const auto client = client_of(address);
  if (!client) return client.error();
  return parse_response(client->get(target), address);
}

Result<nlohmann::ordered_json> post_to_daemon(const DaemonAddress& address,
                                              const std::string& target,
                                              const nlohmann::ordered_json& body) {
  const auto client = client_of(address);
  if (!client) return client.error();
  return parse_response(
      client->post(target,
                   body.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace)),
      address);
}

std::string job_path(std::string_view id) {
  const std::size_t slash = id.find('/');
  if (slash == std::string_view::npos) return "/api/v1/jobs/" + encode_url(id);
  return fmt::format("/api/v1/jobs/{}/{}", encode_url(id.substr(0, slash)),
                     encode_url(id.substr(slash + 1)));
}

std::string member_text(const nlohmann::ordered_json& object, std::string_view key) {
  const auto found = object.find(std::string(key));
  const std::string text = found == object.end() ? "-" : value_text(*found);
  return text.empty() ? "-" : text;
}

}  // namespace penstock

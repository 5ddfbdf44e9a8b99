#include "app/daemon_call.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "serve/client/daemon_client.h"
#include "serve/http/access_control.h"
#include "serve/http/api_server.h"
#include "serve/http/text_encoding.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Result<DaemonClient> client_of(const DaemonAddress& choice) {
  std::string token;
  if (!choice.token_file.empty()) {
    auto read = read_token(choice.token_file);
    if (!read) return std::move(read).error();
    token = *std::move(read);
  }
  const std::string home = fmt::format("http://127.0.0.1:{}", kDaemonPort);
  return DaemonClient::make(choice.url.empty() ? home : choice.url, std::move(token));
}

/// One of a text member, made fit for a terminal; empty if there is none.
std::string text_member(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return {};
  return terminal_safe(object[key].get_ref<const std::string&>());
}

Result<Json> parse_response(const ApiResponse& answer, const DaemonAddress& choice) {
  Json body = Json::parse(answer.body, nullptr, false);
  if (answer.status >= 200 && answer.status < 300 && !body.is_discarded()) return body;
  std::string said = text_member(body, "error");
  if (answer.status == 401)
    said += choice.token_file.empty() ? "; possible: --token-file FILE or PENSTOCK_TOKEN_FILE"
                                      : fmt::format("; {} has another", choice.token_file);
  if (said.empty())
    said = fmt::format(
        "answered with status {} and nothing that can be understood: is it a "
        "Penstock daemon?",
        answer.status);
  return Error{"the daemon: " + said};
}

Result<Json> parse_response(const Result<ApiResponse>& answer, const DaemonAddress& choice) {
  if (!answer) return answer.error();
  return parse_response(*answer, choice);
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return terminal_safe(value.get_ref<const std::string&>());
  if (!value.is_array()) return terminal_safe(value.dump(-1, ' ', true));
  std::string list;
  for (const Json& each : value) list += (list.empty() ? "" : ",") + value_text(each);
  return list;
}

}  // namespace

void add_daemon_options(CLI::App& command, DaemonAddress& choice) {
  command
      .add_option("--daemon", choice.url,
                  fmt::format("Address of the daemon (else http://127.0.0.1:{})", kDaemonPort))
      ->envname("PENSTOCK_DAEMON");
  command.add_option("--token-file", choice.token_file, "File with the daemon's token")
      ->envname("PENSTOCK_TOKEN_FILE");
}

Result<Json> get_from_daemon(const DaemonAddress& choice, const std::string& target) {
  const auto client = client_of(choice);
  if (!client) return client.error();
  return parse_response(client->get(target), choice);
}

Result<Json> post_to_daemon(const DaemonAddress& choice, const std::string& target,
                            const Json& body) {
  const auto client = client_of(choice);
  if (!client) return client.error();
  return parse_response(
      client->post(target, body.dump(-1, ' ', true, Json::error_handler_t::replace)), choice);
}

std::string job_path(std::string_view id) {
  const std::size_t slash = id.find('/');
  if (slash == std::string_view::npos) return "/api/v1/jobs/" + encode_url(id);
  return fmt::format("/api/v1/jobs/{}/{}", encode_url(id.substr(0, slash)),
                     encode_url(id.substr(slash + 1)));
}

std::string member_text(const Json& object, std::string_view key) {
  const auto found = object.find(std::string(key));
  const std::string text = found == object.end() ? "-" : value_text(*found);
  return text.empty() ? "-" : text;
}

void print_json(const Json& answer) {
  fmt::print("{}\n", answer.dump(2, ' ', true, Json::error_handler_t::replace));
}

}  // namespace penstock

#include "agent/daemon_link.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace penstock::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestToken = 4096;
constexpr std::size_t kMostShown = 200;
constexpr std::string_view kAboutTokens = "; possible: --token-file FILE or PENSTOCK_TOKEN_FILE";

/// What the other side says, short and without control characters.
std::string shown(std::string_view text) {
  std::string plain(text.substr(0, kMostShown));
  std::ranges::replace_if(plain, [](char c) { return c < ' ' || c > '~'; }, ' ');
  return plain;
}

/// The sentence in {"error": "..."}; the whole if it is not that.
std::string error_in(const std::string& body) {
  const auto parsed = nlohmann::json::parse(body, nullptr, false);
  if (!parsed.is_object()) return body;
  const auto error = parsed.find("error");
  return error != parsed.end() && error->is_string() ? error->get<std::string>() : body;
}

/// Takes an answer into `body`, but neither a long nor a slow one.
httplib::Request make_request(const DaemonLink& link, const std::string& report,
                              std::string& body) {
  httplib::Request request;
  request.method = "POST";
  request.path = "/api/v1/agents/" + link.node;
  request.set_header("Content-Type", "application/json");
  if (!link.token.empty()) request.set_header("Authorization", "Bearer " + link.token);
  request.body = report;
  const auto until = Clock::now() + 2 * link.timeout;
  request.content_receiver = [&body, until](const char* bytes, std::size_t count, std::uint64_t,
                                            std::uint64_t) {
    if (body.size() + count > kLongestPlan || Clock::now() > until) return false;
    body.append(bytes, count);
    return true;
  };
  return request;
}

std::string explain(httplib::Error error) {
  using enum httplib::Error;
  if (error == Connection || error == ConnectionTimeout)
    return "cannot be reached; possible: to start penstock serve there, another --daemon or "
           "PENSTOCK_DAEMON, or --plan FILE without one";
  if (error == Read) return "does not answer in time, or breaks off";
  if (error == Canceled) return "answers too much, or too slowly";
  return "does not answer: " + httplib::to_string(error);
}

Result<ClockPlan> exchange(const DaemonLink& link, const std::string& report) {
  httplib::Client client(link.url);
  if (!client.is_valid()) return Error{"cannot be spoken to this way"};
  client.set_connection_timeout(link.timeout);
  client.set_read_timeout(link.timeout);
  client.set_write_timeout(link.timeout);
  std::string body;
  const auto answer = client.send(make_request(link, report, body));
  if (!answer) return Error{explain(answer.error())};
  if (answer->status != 200)
    return Error{fmt::format("answers {}: {}{}", answer->status, shown(error_in(body)),
                             answer->status == 401 || answer->status == 403 ? kAboutTokens : "")};
  return parse_plan(body);
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
  return fault == std::errc{} && end == text.data() + text.size() && port > 0 && port < 65536;
}

}  // namespace

bool is_node_name(std::string_view text) {
  const auto is_fine = [](unsigned char c) {
    return c < 128 && (std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-');
  };
  return !text.empty() && text.size() <= 255 && text[0] != '.' &&
         std::ranges::all_of(text, is_fine);
}

Result<Done> check_url(const std::string& url) {
  std::string_view rest = url;
  const bool known = rest.starts_with("http://") || rest.starts_with("https://");
  rest.remove_prefix(known ? rest.find("//") + 2 : 0);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const auto colon = rest.rfind(':');
  const std::string_view host = rest.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  const auto bare = bracketed ? host.substr(1, host.size() - 2) : host;
  const bool host_fine =
      is_node_name(bare) ||
      (bracketed && bare.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos);
  if (known && colon != std::string_view::npos && host_fine && is_port(rest.substr(colon + 1)))
    return Done{};
  return Error{fmt::format("'{}' is no address of a daemon, such as http://127.0.0.1:7323", url)};
}

Result<std::string> read_token(const std::string& path) {
  std::ifstream file(path);
  struct stat about{};
  if (!file || stat(path.c_str(), &about) != 0)
    return Error{fmt::format("{}: cannot be read: {}", path, std::strerror(errno))};
  if ((about.st_mode & S_IRWXO) != 0)
    return Error{path + ": everybody may read or change this token; chmod o= it"};
  std::string token;
  std::getline(file, token);
  const bool plain = std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
  if (token.empty() || token.size() > kLongestToken || !plain)
    return Error{path + ": its first line must be a token of printable characters without blanks"};
  return token;
}

Result<ClockPlan> ask_daemon(const DaemonLink& link, const std::string& report) {
  try {
    auto plan = exchange(link, report);
    if (plan) return plan;
    return std::move(plan).error().in("daemon " + link.url);
  } catch (const std::exception& error) {  // the library's own
    return Error{fmt::format("daemon {}: {}", link.url, error.what())};
  }
}

Result<ClockPlan> read_plan_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{fmt::format("{}: cannot be read: {}", path, std::strerror(errno))};
  std::string text(kLongestPlan + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  auto plan = parse_plan(text);
  if (plan) return plan;
  return std::move(plan).error().in(path);
}

}  // namespace penstock::agent

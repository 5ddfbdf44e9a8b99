#include "serve/http/api_route.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "io/text/number.h"
#include "serve/http/text_encoding.h"

namespace penstock {
namespace {

constexpr std::size_t kLongestId = 256;
constexpr std::size_t kMostSegments = 8;
constexpr std::string_view kJustGet = "GET, HEAD";

/// What a path is for, by method.
struct PathRoutes {
  std::optional<ApiRoute> get{};
  std::optional<ApiRoute> post{};
};

struct FixedPage {
  std::string_view path;
  ServerPage page;
};
constexpr std::array<FixedPage, 4> kFixedPages{{
    {"/", ServerPage::home},
    {"/healthz", ServerPage::health},
    {"/metrics", ServerPage::metrics},
    {"/api/v1/events", ServerPage::events},
}};

struct QueryPage {
  std::string_view path;
  std::string_view page;
};
constexpr std::array<QueryPage, 8> kQueryPages{{
    {"/readyz", "ready"},
    {"/api/v1/state", "state"},
    {"/api/v1/sites", "sites"},
    {"/api/v1/history", "history"},
    {"/api/v1/jobs", "jobs"},
    {"/api/v1/ended", "ended"},
    {"/api/v1/decisions", "decisions"},
    {"/api/v1/savings", "savings"},
}};

struct CommandPath {
  std::string_view path;
  std::string_view verb;
};
constexpr std::array<CommandPath, 4> kCommandPaths{{
    {"/api/v1/jobs", "submit"},
    {"/api/v1/pause", "pause"},
    {"/api/v1/resume", "resume"},
    {"/api/v1/plan", "plan"},
}};

/// The words that a page knows behind '?'.
struct PageParameters {
  std::string_view page;
  std::span<const std::string_view> words;
};
constexpr std::array<std::string_view, 7> kJobsParameters{"state", "user",   "site", "limit",
                                                          "after", "format", "ids"};
constexpr std::array<std::string_view, 4> kEndedParameters{"hours", "user", "site", "limit"};
constexpr std::array<std::string_view, 2> kDecisionsParameters{"limit", "job"};
constexpr std::array<std::string_view, 4> kSavingsParameters{"since", "former", "policy", "site"};
constexpr std::array<PageParameters, 4> kPageParameters{{
    {"jobs", kJobsParameters},
    {"ended", kEndedParameters},
    {"decisions", kDecisionsParameters},
    {"savings", kSavingsParameters},
}};

RouteError refuse(int status, std::string_view message) {
  return {api_error(status, message), {}};
}

/// "/jobs/east%2F12" is "jobs" and "east/12". Nothing if it is badly encoded or has too many.
std::optional<std::vector<std::string>> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  if (!path.starts_with('/')) return std::nullopt;
  while (!path.empty() && segments.size() <= kMostSegments) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    auto segment = decode_url(path.substr(0, end), false);
    if (!segment) return std::nullopt;
    segments.push_back(*std::move(segment));
    path.remove_prefix(end);
  }
  return segments.size() <= kMostSegments ? std::optional(segments) : std::nullopt;
}

std::string joined(std::span<const std::string> segments) {
  return fmt::format("{}", fmt::join(segments, "/"));
}

/// "12" or "east/12".
bool is_job_id(std::string_view id) {
  const auto slashes = std::ranges::count(id, '/');
  return !id.empty() && id.size() <= kLongestId && slashes <= 1 && !id.starts_with('/') &&
         !id.ends_with('/');
}

/// Behind "/api/v1/jobs/".
PathRoutes job_routes(std::span<const std::string> rest) {
  const bool acts = rest.size() > 1 && (rest.back() == "cancel" || rest.back() == "progress");
  const std::string id = joined(acts ? rest.first(rest.size() - 1) : rest);
  if (!is_job_id(id)) return {};
  if (acts) return {.post = ApiCommand{rest.back(), id, {}}};
  return {.get = ApiQuery{"job", id, {}}};
}

PathRoutes agent_routes(std::span<const std::string> rest) {
  if (rest.size() != 1 || rest[0].empty() || rest[0].size() > kLongestId) return {};
  return {.post = ApiCommand{"agent", rest[0], {}}};
}

PathRoutes fixed_routes(std::string_view path) {
  PathRoutes routes;
  for (const FixedPage& known : kFixedPages)
    if (known.path == path) routes.get = known.page;
  for (const QueryPage& known : kQueryPages)
    if (known.path == path) routes.get = ApiQuery{std::string(known.page), {}, {}};
  for (const CommandPath& known : kCommandPaths)
    if (known.path == path) routes.post = ApiCommand{std::string(known.verb), {}, {}};
  return routes;
}

PathRoutes routes_of(std::span<const std::string> segments) {
  const bool versioned = segments.size() > 3 && segments[0] == "api" && segments[1] == "v1";
  if (versioned && segments[2] == "jobs") return job_routes(segments.subspan(3));
  if (versioned && segments[2] == "agents") return agent_routes(segments.subspan(3));
  return fixed_routes("/" + joined(segments));
}

/// Of those words that are counts.
std::optional<std::string> wrong_number(std::string_view name, const std::string& value) {
  constexpr std::uint32_t kLargestLimit = 10'000;
  constexpr std::uint32_t kLargestHours = 24 * 366;
  if (name != "limit" && name != "hours") return std::nullopt;
  const std::uint32_t most = name == "limit" ? kLargestLimit : kLargestHours;
  const auto number = parse_number<std::uint32_t>(value);
  if (number && *number >= 1 && *number <= most) return std::nullopt;
  return fmt::format("{}: {} is not a whole number from 1 to {}", name, in_quotes(value), most);
}

std::optional<std::string> wrong_parameter(const std::string& page,
                                           const UrlParameters& parameters) {
  const auto* known = std::ranges::find(kPageParameters, page, &PageParameters::page);
  const auto words =
      known == kPageParameters.end() ? std::span<const std::string_view>{} : known->words;
  for (const auto& [name, value] : parameters) {
    if (std::ranges::find(words, name) == words.end())
      return fmt::format("{} is not known here; possible are: {}", in_quotes(name),
                         words.empty() ? "none" : fmt::format("{}", fmt::join(words, " ")));
    if (auto wrong = wrong_number(name, value)) return wrong;
    if (name == "format" && value != "rows" && value != "columns")
      return fmt::format("format: {} is not known; possible are: rows columns", in_quotes(value));
  }
  return std::nullopt;
}

ApiRoute with_query(ApiRoute route, std::string_view query) {
  auto parameters = parse_query(query);
  if (!parameters) return refuse(400, parameters.error().message);
  auto* const query_page = std::get_if<ApiQuery>(&route);
  if (query_page == nullptr) return route;
  if (const auto wrong = wrong_parameter(query_page->page, *parameters)) return refuse(400, *wrong);
  query_page->parameters = *std::move(parameters);
  return route;
}

}  // namespace

ApiRoute route_of(std::string_view method, std::string_view target) {
  target = target.substr(0, target.find('#'));
  const std::size_t mark = std::min(target.find('?'), target.size());
  const auto segments = segments_of(target.substr(0, mark));
  if (!segments) return refuse(400, "the path is not well encoded");
  PathRoutes routes = routes_of(*segments);
  if (!routes.get && !routes.post)
    return refuse(404, fmt::format("there is no {}; see docs/formats/api.md for all paths",
                                   in_quotes("/" + joined(*segments))));
  const bool gets = method == "GET" || method == "HEAD";
  auto& wanted = method == "POST" ? routes.post : routes.get;
  if ((!gets && method != "POST") || !wanted) {
    const std::string_view allowed = !routes.post  ? kJustGet
                                     : !routes.get ? "POST"
                                                   : "GET, HEAD, POST";
    return RouteError{api_error(405, fmt::format("possible here: {}", allowed)), allowed};
  }
  return with_query(*std::move(wanted), target.substr(std::min(mark + 1, target.size())));
}

}  // namespace penstock

#include "serve/http/api_server.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "serve/http/access_control.h"
#include "serve/http/api_route.h"
#include "serve/http/event_feed.h"
#include "serve/http/http_server.h"

namespace penstock {
namespace {

/// GET / of a program that was built without the dashboard.
constexpr std::string_view kHomePage = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Penstock</title>
<h1>Penstock</h1>
<p>The daemon is running; its dashboard was not built. Ask it with <code>penstock queue</code>, or read
<a href="/api/v1/state">its state</a>, <a href="/api/v1/sites">sites</a>,
<a href="/api/v1/jobs">jobs</a>, <a href="/api/v1/decisions">decisions</a> and
<a href="/metrics">metrics</a>.</p>
</html>
)";

using httplib::Request;
using httplib::Response;

constexpr auto kJson = "application/json";
constexpr std::size_t kLargestHeaders = 32 << 10;

void put(Response& response, ApiResponse&& answer) {
  response.status = answer.status;
  if (answer.status == 429 || answer.status == 503) response.set_header("Retry-After", "1");
  if (answer.status == 401) response.set_header("WWW-Authenticate", "Bearer");
  response.set_content("", kJson);
  response.body = std::move(answer.body);
}

double steady_seconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

httplib::Headers safe_headers() {
  return {{"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Content-Security-Policy", std::string(kDefaultContentPolicy)},
          {"Cache-Control", "no-store"}};
}

HttpLimits limits_of(const ApiOptions& options) {
  // A body in chunks has the length of each beside it; this leaves room for chunks of a few bytes.
  return {.largest_request = kLargestHeaders + 2 * options.largest_body,
          .idle = options.idle_timeout,
          .request = options.request_timeout,
          .write = options.write_timeout};
}

/// Of what the library itself refuses.
std::string_view reason_of(int status) {
  if (status == 404) return "there is no such page";
  if (status == 413) return "the body is too large";
  if (status == 414) return "the address is too long";
  if (status == 416) return "parts of a page are not to be had";
  if (status == 500) return "something went wrong here";
  return "this is no request that can be understood";
}

}  // namespace

class ApiServer::Running {
 public:
  Running(ApiHandler& handler, EventFeed& feed, const ApiOptions& options, AccessControl access)
      : handler_(handler),
        feed_(feed),
        options_(options),
        access_(std::move(access)),
        rate_(options.requests_per_second, options.burst),
        slots_(options.most_event_readers),
        http_(limits_of(options), options.most_connections) {
    http_.set_default_headers(safe_headers());
    http_.set_payload_max_length(options.largest_body);
    http_.set_pre_routing_handler([this](const Request& request, Response& response) {
      using enum httplib::Server::HandlerResponse;
      return answer_without_body(request, response) ? Handled : Unhandled;
    });
    http_.Post(R"([\s\S]*)", [this](const Request& request, Response& response,
                                    const httplib::ContentReader& read) {
      read_command(request, response, read);
    });
    http_.set_error_handler([](const Request& /*request*/, Response& response) {
      if (response.body.empty())
        put(response, api_error(response.status, reason_of(response.status)));
    });
    http_.set_exception_handler(
        [](const Request& /*request*/, Response& response, const std::exception_ptr& /*what*/) {
          put(response, api_error(500, reason_of(500)));
        });
  }

  Result<Done> begin() {
    auto port = http_.begin(options_.host, options_.port);
    if (!port) return std::move(port).error();
    port_ = *port;
    return Done{};
  }
  void stop() {
    ending_ = true;
    feed_.wake();
    http_.end();
  }
  std::uint16_t port() const { return port_; }

 private:
  /// Everything but what is to be done; that is false, and its body is read next.
  bool answer_without_body(const Request& request, Response& response) {
    if (!rate_.admit(request.remote_addr, steady_seconds())) {
      put(response, api_error(429, "too many requests: ask less often"));
      return true;
    }
    ApiRoute route = route_of(request.method, request.target);
    auto refusal = access_.refusal({.host = as_view(request, "Host"),
                                    .authorization = as_view(request, "Authorization"),
                                    .writes = std::holds_alternative<ApiCommand>(route),
                                    .is_shell = is_home(route)});
    if (refusal) {
      put(response, *std::move(refusal));
      return true;
    }
    if (const auto* command = std::get_if<ApiCommand>(&route))
      return answer_at_once(*command, request, response);
    std::visit([&](auto& found) { respond(found, request, response); }, route);
    return true;
  }

  static bool is_home(const ApiRoute& route) {
    const auto* page = std::get_if<ServerPage>(&route);
    return page != nullptr && *page == ServerPage::home;
  }

  static std::string_view as_view(const Request& request, const char* header) {
    const auto found = request.headers.find(header);
    return found == request.headers.end() ? std::string_view() : found->second;
  }

  /// Whether the body need not be read: there is none, or it is not to be had.
  bool answer_at_once(const ApiCommand& command, const Request& request, Response& response) {
    const bool has_length = request.has_header("Content-Length");
    const bool has_chunks = request.has_header("Transfer-Encoding");
    if (!has_length && !has_chunks)
      put(response, handler_.post(command));
    else if (has_length && has_chunks)
      put(response, api_error(400, "send either Content-Length or Transfer-Encoding, not both"));
    else if (request.get_header_value<std::uint64_t>("Content-Length") > options_.largest_body)
      put(response, too_large());
    else if (request.has_header("Content-Encoding") || request.is_multipart_form_data())
      put(response, api_error(415, "send JSON as it is, neither packed nor in parts"));
    else
      return false;
    return true;
  }

  ApiResponse too_large() const {
    return api_error(
        413, fmt::format("the body is too large: possible are {} bytes", options_.largest_body));
  }

  void read_command(const Request& request, Response& response,
                    const httplib::ContentReader& read) {
    ApiRoute route = route_of(request.method, request.target);
    auto& command = std::get<ApiCommand>(route);
    bool fits = true;
    const bool whole = read([&](const char* bytes, std::size_t size) {
      fits = command.body.size() + size <= options_.largest_body;
      if (fits) command.body.append(bytes, size);
      return fits;
    });
    if (!fits || (!whole && response.status == 413))
      put(response, too_large());
    else if (!whole)
      put(response, api_error(400, "the body ended before it was complete"));
    else
      put(response, handler_.post(command));
  }

  void respond(ServerPage page, const Request& request, Response& response) {
    switch (page) {
      case ServerPage::home:
        respond_home(response);
        break;
      case ServerPage::health:
        response.set_content("ok\n", "text/plain; charset=utf-8");
        break;
      case ServerPage::metrics:
        response.set_content(handler_.metrics(), "text/plain; version=0.0.4; charset=utf-8");
        break;
      case ServerPage::events:
        follow(request, response);
        break;
    }
  }
  void respond_home(Response& response) const {
    const std::string_view page = options_.home.empty() ? kHomePage : options_.home;
    response.headers.erase("Content-Security-Policy");
    response.set_header("Content-Security-Policy", content_policy_of(page));
    response.set_content(std::string(page), "text/html; charset=utf-8");
  }
  void respond(const ApiQuery& query, const Request& /*request*/, Response& response) {
    put(response, handler_.get(query));
  }
  static void respond(RouteError& refusal, const Request& /*request*/, Response& response) {
    if (!refusal.allowed.empty()) response.set_header("Allow", std::string(refusal.allowed));
    put(response, std::move(refusal.response));
  }
  static void respond(const ApiCommand& /*command*/, const Request& /*request*/,
                      Response& /*response*/) {}

  void follow(const Request& request, Response& response) {
    constexpr auto kEvents = "text/event-stream";
    if (request.method == "HEAD") return response.set_content("", kEvents);
    auto slot = slots_.take();
    if (!slot) return put(response, api_error(503, "too many follow the events: try again later"));
    auto seen = resume_point(as_view(request, "Last-Event-ID"), feed_);
    response.set_chunked_content_provider(
        kEvents,
        [this, slot, seen, begun = false](std::size_t /*offset*/, httplib::DataSink& sink) mutable {
          const auto update =
              feed_.wait_after(seen, begun ? options_.event_beat : Duration::zero());
          begun = true;
          const std::string text = event_stream_text(update, seen);
          return !ending_ && sink.write(text.data(), text.size());
        });
  }

  ApiHandler& handler_;
  EventFeed& feed_;
  ApiOptions options_;
  AccessControl access_;
  RateLimit rate_;
  ReaderSlots slots_;
  std::atomic<bool> ending_ = false;
  std::uint16_t port_ = 0;
  HttpServer http_;
};

Result<ApiServer> ApiServer::start(ApiHandler& handler, EventFeed& feed,
                                   const ApiOptions& options) {
  AccessControl::Rules rules{.host = options.host, .names = options.names};
  if (!options.token_file.empty()) {
    auto token = read_token(options.token_file);
    if (!token) return std::move(token).error();
    rules.token = *std::move(token);
  }
  auto access = AccessControl::make(std::move(rules));
  if (!access) return std::move(access).error();
  auto running = std::make_unique<Running>(handler, feed, options, *std::move(access));
  if (auto begun = running->begin(); !begun) return std::move(begun).error();
  return ApiServer(std::move(running));
}

ApiServer::ApiServer(std::unique_ptr<Running> running) : running_(std::move(running)) {}
ApiServer::ApiServer(ApiServer&&) noexcept = default;

ApiServer& ApiServer::operator=(ApiServer&& other) noexcept {
  stop();
  running_ = std::move(other.running_);
  return *this;
}

ApiServer::~ApiServer() {
  stop();
}

std::uint16_t ApiServer::port() const {
  return running_->port();
}

void ApiServer::stop() {
  if (running_) running_->stop();
}

std::string content_policy_of(std::string_view page) {
  constexpr std::string_view kBegin = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
  const std::size_t begin = page.find(kBegin);
  if (begin == std::string_view::npos) return std::string(kDefaultContentPolicy);
  page.remove_prefix(begin + kBegin.size());
  return std::string(page.substr(0, page.find('"'))) + "; frame-ancestors 'none'";
}

}  // namespace penstock

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace penstock {

/// The response to a request; the body is JSON.
struct ApiResponse {
  int status = 200;
  std::string body{};
};

/// {"error": message}: one sentence that says what is wrong and what is possible.
ApiResponse api_error(int status, std::string_view message);

/// A GET request of the API.
struct ApiQuery {
  std::string page{};  ///< state sites history jobs job decisions savings ready
  std::string id{};    ///< of a job, "east/12" or "12"; empty on other pages
  /// The query behind '?', decoded: only parameters that the page knows, each at most once.
  std::map<std::string, std::string, std::less<>> parameters{};
};

/// A POST request of the API, by a client that has the token.
struct ApiCommand {
  std::string verb{};  ///< submit cancel progress pause resume plan agent
  std::string id{};    ///< the job of cancel and progress, the node of agent; else empty
  std::string body{};  ///< JSON, or empty; not parsed yet
};

/// Answers the requests of the API. Called by many threads at once; ids, parameters and bodies come
/// from outside and may be anything that is UTF-8 without control characters (bodies: any bytes).
class ApiHandler {
 public:
  virtual ~ApiHandler() = default;
  virtual ApiResponse get(const ApiQuery& query) = 0;
  virtual ApiResponse post(const ApiCommand& command) = 0;
  /// In the text format of Prometheus.
  virtual std::string metrics() = 0;
};

/// JSON as a response; bytes that are no UTF-8 are replaced.
ApiResponse json_response(const nlohmann::ordered_json& body, int status = 200);

/// A parameter that is a whole number from 0 to `most`; `otherwise` if it is not given.
std::int64_t int_parameter(const ApiQuery& query, const std::string& name, std::int64_t otherwise,
                           std::int64_t most);

/// A parameter as it was given; empty if it was not.
std::string text_parameter(const ApiQuery& query, const std::string& name);

}  // namespace penstock

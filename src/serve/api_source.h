#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace penstock {

/// What is answered to a request; the body is JSON.
struct ApiAnswer {
  int status = 200;
  std::string body{};
};

/// {"error": message}: one sentence that says what is wrong and what is possible.
ApiAnswer api_error(int status, std::string_view message);

/// Somebody wants to see something.
struct ApiLook {
  std::string page{};  ///< state sites history jobs job decisions savings ready
  std::string id{};    ///< of a job, "east/12" or "12"; empty on other pages
  /// What stands behind '?', decoded: only words that the page knows, each at most once.
  std::map<std::string, std::string, std::less<>> parameters{};
};

/// Somebody who has the token wants something done.
struct ApiDeed {
  std::string verb{};  ///< submit cancel progress pause resume plan agent
  std::string id{};    ///< the job of cancel and progress, the node of agent; else empty
  std::string body{};  ///< JSON, or empty; not looked into yet
};

/// What stands behind the API. Called by many threads at once; ids, parameters and bodies come from
/// outside and may be anything that is UTF-8 without control characters (bodies: any bytes).
class ApiSource {
 public:
  virtual ~ApiSource() = default;
  virtual ApiAnswer look(const ApiLook& look) = 0;
  virtual ApiAnswer act(const ApiDeed& deed) = 0;
  /// In the text format of Prometheus.
  virtual std::string metrics() = 0;
};

}  // namespace penstock

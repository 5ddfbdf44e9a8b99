#pragma once

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
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

inline ApiAnswer as_answer(const nlohmann::ordered_json& body, int status = 200) {
  return {status, body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

/// A parameter that is a whole number from 0 to `most`.
inline std::int64_t whole_in(const ApiLook& look, const std::string& name, std::int64_t otherwise,
                             std::int64_t most) {
  const auto found = look.parameters.find(name);
  std::int64_t number = otherwise;
  if (found != look.parameters.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return std::clamp<std::int64_t>(number, 0, most);
}

/// A parameter as it was given; empty if it was not.
inline std::string text_in(const ApiLook& look, const std::string& name) {
  const auto found = look.parameters.find(name);
  return found == look.parameters.end() ? "" : found->second;
}

}  // namespace penstock

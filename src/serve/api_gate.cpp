#include "serve/api_gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/text/letter_case.h"
#include "serve/token.h"

namespace penstock {
namespace {

/// "[::1]:7323" is "::1", "localhost:7323" is "localhost".
std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

}  // namespace

bool is_loopback(std::string_view host) {
  constexpr std::string_view kDigits = "0123456789.";
  if (host == "localhost" || host == "::1") return true;
  return host.starts_with("127.") && host.find_first_not_of(kDigits) == std::string_view::npos;
}

Result<ApiGate> ApiGate::make(Rules rules) {
  const bool loopback = is_loopback(rules.host);
  if (!loopback && rules.token.empty())
    return Error{
        fmt::format("listening on {} lets others than this machine in: name a token file, "
                    "or listen on 127.0.0.1",
                    rules.host)};
  return ApiGate(std::move(rules), loopback);
}

bool ApiGate::is_ours(std::string_view host) const {
  const std::string_view name = without_port(host);
  const auto is_name = [&](std::string_view known) { return same_but_for_case(name, known); };
  if (name.empty() || is_loopback(name) || is_name("localhost") || is_name(rules_.host))
    return true;
  return std::ranges::any_of(rules_.names, is_name);
}

std::optional<ApiAnswer> ApiGate::refusal(const Asking& asking) const {
  constexpr std::string_view kScheme = "Bearer ";
  // A page on the web can give its own name the address of loopback and then read what is free.
  if (reading_is_free_ && !is_ours(asking.host))
    return api_error(403, "this daemon does not go by that name: ask for localhost");
  if (asking.is_shell || (reading_is_free_ && !asking.writes)) return std::nullopt;
  if (rules_.token.empty())
    return api_error(403, "nothing can be changed here: the daemon was started without a token");
  if (asking.authorization.empty())
    return api_error(401, "a token is needed: send the header 'Authorization: Bearer TOKEN'");
  if (!asking.authorization.starts_with(kScheme) ||
      !is_same_secret(asking.authorization.substr(kScheme.size()), rules_.token))
    return api_error(401, "the token is wrong: send the one of the daemon's token file");
  return std::nullopt;
}

}  // namespace penstock

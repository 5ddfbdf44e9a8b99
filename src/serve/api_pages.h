#pragma once

#include <string_view>

namespace penstock {

/// What a browser may do with it: show it, and nothing else.
inline constexpr std::string_view kPolicy =
    "default-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

/// GET /, until there is a dashboard.
inline constexpr std::string_view kHomePage = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Penstock</title>
<h1>Penstock</h1>
<p>The daemon is running. Ask it with <code>penstock queue</code>, or read
<a href="/api/v1/state">its state</a>, <a href="/api/v1/sites">sites</a>,
<a href="/api/v1/jobs">jobs</a>, <a href="/api/v1/decisions">decisions</a> and
<a href="/metrics">metrics</a>.</p>
</html>
)";

}  // namespace penstock

#pragma once

#include <string_view>

namespace penstock {

/// GET / of a program that was built without the dashboard.
inline constexpr std::string_view kHomePage = R"(<!doctype html>
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

}  // namespace penstock

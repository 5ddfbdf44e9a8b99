#pragma once

namespace CLI {
class App;
}

namespace penstock {

/// Adds `trace generate`.
void add_trace_generate(CLI::App& trace, int& exit_code);

}  // namespace penstock

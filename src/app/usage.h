#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace penstock {

/// What is wrong with a command line that could not be understood: which command
/// or option there is not, those that there are, and where to read on.
std::string explain_usage(const CLI::App& app, const CLI::ParseError& error);

}  // namespace penstock

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace penstock::agent {

/// Runs a program without a shell and waits for it. Fails where it cannot be started, ends with
/// another code than 0, or takes longer than `patience`; then it is killed.
Result<Done> run_command(const std::vector<std::string>& words, Duration patience);

/// "sudo -n /usr/local/sbin/set-clock" as three words; blanks part them and nothing is quoted.
std::vector<std::string> split_words(const std::string& text);

}  // namespace penstock::agent

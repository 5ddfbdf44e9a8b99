#pragma once

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::slurm {

/// Deletes what libslurm handed out by the function that belongs to it.
template <auto free_it>
struct FreeWith {
  template <class T>
  void operator()(T* what) const {
    free_it(what);
  }
};

using JobsMessage = std::unique_ptr<job_info_msg_t, FreeWith<slurm_free_job_info_msg>>;
using NodesMessage = std::unique_ptr<node_info_msg_t, FreeWith<slurm_free_node_info_msg>>;
using PartitionsMessage =
    std::unique_ptr<partition_info_msg_t, FreeWith<slurm_free_partition_info_msg>>;
using ArrayMessage = std::unique_ptr<job_array_resp_msg_t, FreeWith<slurm_free_job_array_resp>>;
using SubmitMessage =
    std::unique_ptr<submit_response_msg_t, FreeWith<slurm_free_submit_response_response_msg>>;
using ConfMessage = std::unique_ptr<slurm_conf_t, FreeWith<slurm_free_ctl_conf>>;

/// The records of one job ("12": of an array, all), or of the array of which it is a task ("12_3");
/// `number` is Slurm's error, 0 if there was none.
JobsMessage load_job(const std::string& name, int& number);

/// The record that describes a job: for a task that waits together with others, their common
/// record. May be null.
slurm_job_info_t* record_of(const job_info_msg_t& found, const std::string& name);

/// "" if the system knows no such user.
std::string user_name(uid_t user);

/// "n[1-2],n5" as single names.
std::vector<std::string> names_of(const char* hosts);

/// "a,b" as single words.
std::vector<std::string> split_list(const char* list);

/// Names as Slurm takes them: "a,b".
std::string joined(const std::vector<std::string>& names);

/// "" where libslurm has nothing.
inline std::string_view or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

/// Nothing for the numbers by which Slurm says that there is none, or no limit.
inline std::optional<std::int64_t> unless_special(std::uint32_t value) {
  return value == NO_VAL || value == INFINITE ? std::nullopt : std::optional<std::int64_t>(value);
}

/// The text as `char*`: libslurm declares its input so, and does not change it.
inline char* c_string(const std::string& text) {
  return const_cast<char*>(text.c_str());
}

}  // namespace penstock::slurm

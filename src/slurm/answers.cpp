#include "slurm/answers.h"

#include <fmt/format.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <type_traits>
#include <utility>

#include "slurm/api.h"

namespace penstock::slurm {
namespace {

constexpr auto kCodes = std::to_array<std::pair<int, const char*>>({
    {SLURM_COMMUNICATIONS_CONNECTION_ERROR, "unreachable"},
    {SLURM_COMMUNICATIONS_SEND_ERROR, "unreachable"},
    {SLURM_COMMUNICATIONS_RECEIVE_ERROR, "unreachable"},
    {SLURM_COMMUNICATIONS_SHUTDOWN_ERROR, "unreachable"},
    {SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR, "unreachable"},
    {SLURMCTLD_COMMUNICATIONS_SEND_ERROR, "unreachable"},
    {SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR, "unreachable"},
    {SLURMCTLD_COMMUNICATIONS_SHUTDOWN_ERROR, "unreachable"},
    {SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT, "unreachable"},
    {SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT, "unreachable"},
    {SLURM_PROTOCOL_AUTHENTICATION_ERROR, "unreachable"},
    {ESLURM_IN_STANDBY_MODE, "unreachable"},
    {SLURM_UNEXPECTED_MSG_ERROR, "unreachable"},  // slurm_update_job2's word for no answer at all
    {ESLURM_INVALID_JOB_ID, "no_such_job"},
    {ESLURM_INVALID_NODE_NAME, "no_such_node"},
    {ESLURM_ALREADY_DONE, "already_done"},
    {ESLURM_JOB_FINISHED, "already_done"},
    {ESLURM_ACCESS_DENIED, "denied"},
    {ESLURM_USER_ID_MISSING, "denied"},
    {ESLURM_JOB_NOT_PENDING, "not_pending"},
    {ESLURM_JOB_NOT_RUNNING, "not_running"},
    {ESLURM_JOB_PENDING, "not_running"},
    {ESLURM_TRANSITION_STATE_NO_UPDATE, "try_again"},
    {ESLURM_JOB_SETTING_DB_INX, "try_again"},
});

template <class Command>
std::optional<CommandFailure> answer_to(const Command& command, bridge::ReportedJobs& reported,
                                        bridge::JsonWriter& out) {
  if constexpr (std::is_same_v<Command, bridge::ListJobs>)
    return answer(command, reported, out);
  else
    return answer(command, out);
}

/// "head:6817": where the first of its slurmctlds listens; empty if nobody says.
std::string controller_of(const slurm_conf_t& conf) {
  if (conf.control_cnt == 0 || conf.control_machine == nullptr ||
      conf.control_machine[0] == nullptr)
    return "";
  return fmt::format("{}:{}", conf.control_machine[0], conf.slurmctld_port);
}

}  // namespace

CommandFailure failure_of(int number) {
  const auto found = std::ranges::find(kCodes, number, &std::pair<int, const char*>::first);
  return {.code = found == kCodes.end() ? "refused" : found->second,
          .text = slurm_strerror(number),
          .number = number};
}

std::string reply_to(const bridge::Request& request, bridge::ReportedJobs& reported) {
  bridge::JsonWriter out;
  out.open_object().name("id").raw(request.id).name("ok").boolean(true);
  const std::optional<CommandFailure> failure =
      request.command
          ? std::visit([&](const auto& command) { return answer_to(command, reported, out); },
                       *request.command)
          : std::optional<CommandFailure>{
                CommandFailure{.code = "bad_request", .text = request.command.error().message}};
  if (!failure) return out.close_object().written();
  bridge::JsonWriter failed;
  failed.open_object()
      .name("id")
      .raw(request.id)
      .name("ok")
      .boolean(false)
      .name("error")
      .open_object();
  failed.name("code")
      .text(std::string_view(failure->code))
      .name("text")
      .text(std::string_view(failure->text));
  failed.name("slurm").number(failure->number).close_object();
  return failed.close_object().written();
}

std::optional<CommandFailure> answer(const bridge::Hello& /*request*/, bridge::JsonWriter& out) {
  slurm_conf_t* loaded = nullptr;
  if (slurm_load_ctl_conf(0, &loaded) != 0) return failure_of(errno);
  const ConfMessage conf(loaded);
  out.name("protocol").number(std::int64_t{bridge::kProtocol}).name("slurm").text(conf->version);
  out.name("cluster").text(conf->cluster_name);
  const std::string controller = controller_of(*conf);
  out.name("controller").text(controller.empty() ? nullptr : controller.c_str());
  const std::string user = user_name(geteuid());
  out.name("user").text(user.empty() ? nullptr : user.c_str());
  out.name("message_timeout_s").number(std::int64_t{conf->msg_timeout});
  return {};
}

}  // namespace penstock::slurm

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "slurm/answers.h"
#include "slurm/api.h"

namespace penstock::slurm {
namespace {

/// "head:6817": where the first of its slurmctlds listens; empty if nobody says.
std::string controller_of(const slurm_conf_t& conf) {
  if (conf.control_cnt == 0 || conf.control_machine == nullptr ||
      conf.control_machine[0] == nullptr)
    return "";
  return fmt::format("{}:{}", conf.control_machine[0], conf.slurmctld_port);
}

}  // namespace

Outcome answer(const bridge::Hello& /*request*/, bridge::JsonWriter& out) {
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

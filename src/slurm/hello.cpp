#include <unistd.h>

#include <cerrno>

#include "slurm/answers.h"
#include "slurm/api.h"

namespace penstock::slurm {

Outcome answer(const bridge::Hello& /*request*/, bridge::JsonWriter& out) {
  slurm_conf_t* loaded = nullptr;
  if (slurm_load_ctl_conf(0, &loaded) != 0) return failure_of(errno);
  const ConfMessage conf(loaded);
  out.name("protocol").number(std::int64_t{bridge::kProtocol}).name("slurm").text(conf->version);
  out.name("cluster").text(conf->cluster_name);
  const std::string user = user_name(geteuid());
  out.name("user").text(user.empty() ? nullptr : user.c_str());
  out.name("message_timeout_s").number(std::int64_t{conf->msg_timeout});
  return {};
}

}  // namespace penstock::slurm

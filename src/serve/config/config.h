#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "live/fence.h"
#include "live/site/site_options.h"
#include "serve/http/api_server.h"

namespace penstock {

/// A series that is fetched over HTTP into a file, which signals then read.
struct FetchSpec {
  std::string url{};
  std::filesystem::path file{};
  Duration every = std::chrono::minutes(15);
};

/// `[site.slurm]`: how one cluster is reached and governed.
struct SlurmSpec {
  SiteOptions options{};                  ///< but for its number and its nodes
  std::vector<std::string> partitions{};  ///< as the site names them; a fence may name others
  std::vector<std::string> bridge{};
  std::vector<std::string> events{};  ///< options of the bridge by which it learns of ends at once
  Duration timeout = std::chrono::seconds(20);  ///< for an answer of the bridge
  std::optional<Duration> stale_after{};  ///< age at which its price and carbon files do not count
};

/// The configuration of `penstock serve`. The rest of the file is a scenario without jobs.
struct ServeConfig {
  std::filesystem::path file{};
  ApiOptions api{};
  std::filesystem::path journal{};
  Duration retention = std::chrono::hours(24 * 90);
  Duration fail_open_after = std::chrono::minutes(5);
  std::optional<std::filesystem::path> heartbeat{};
  FenceOptions fence{};
  std::vector<std::string> fence_partitions{};  ///< as the fence names them
  bool log_jobs = true;                         ///< also what happens to single jobs is logged
  bool refit = true;
  bool clocks = false;  ///< agents set them
  std::string former = "fifo";
  std::map<std::string, std::string, std::less<>> former_options{{"backfill", "easy"}};
  std::vector<SlurmSpec> sites{};  ///< in the order of `[[site]]`
  std::vector<FetchSpec> fetches{};
  toml::table scenario{};            ///< the rest; sites still lack their nodes
  std::vector<std::string> notes{};  ///< what stands in the file and has no effect
};

/// Reads the file alone. The error lists every problem.
Result<ServeConfig> read_serve_config(const std::filesystem::path& path);

/// Reads as much of a file with problems as is needed to reach its clusters: the journal and the
/// sites that can be made out. The problems become notes. An error if no cluster can be made out.
Result<ServeConfig> read_clusters(const std::filesystem::path& path);

/// Which GPU types a configuration may name: those of the catalogue, and those it describes itself.
class GpuNames {
 public:
  /// `root` is the whole file.
  explicit GpuNames(const toml::table& root);

  /// The name in the form in which types are compared.
  static std::string plain(std::string name);
  /// Nothing if there is such a type, else the message.
  std::optional<std::string> lack(const std::string& name) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace penstock

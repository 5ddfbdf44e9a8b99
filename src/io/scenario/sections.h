#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "io/scenario/scenario.h"
#include "io/scenario/table_reader.h"
#include "io/signals/series.h"

namespace penstock {

/// A place where money of some currency is named.
struct CurrencyUse {
  std::string currency{};
  const toml::node* node = nullptr;
  std::string key{};
};

/// Another currency that is converted.
struct ExchangeRate {
  double worth = 1;  ///< of one unit, in the scenario's currency
  std::size_t uses = 0;
};

/// Where a site lies, by its index.
struct SitePlace {
  std::string name{};
  std::string region{};        ///< of the built-in table of links; empty if none is named
  std::string cloud_region{};  ///< of the matrix of fees
  std::optional<LocalClock> clock{};
  const toml::table* table = nullptr;
};

/// A scenario while it is being read.
struct ScenarioDraft {
  std::filesystem::path dir{};
  ProblemList problems;
  Scenario scenario{};
  std::vector<GpuType> types{};  ///< those that can be named: the catalogue and the user's own
  std::vector<CurrencyUse> currencies{};
  std::map<std::string, ExchangeRate, std::less<>> exchange{};
  std::vector<SitePlace> places{};
  std::optional<std::uint32_t> share{};  ///< of each GPU, once nodes have been read
  bool has_jobs = true;                  ///< otherwise they come from a live cluster
};

/// To be called first: money is converted as it is read.
void read_currency(TableReader& root, ScenarioDraft& draft);
void read_workload(TableReader& root, ScenarioDraft& draft);
void read_gpu_types(TableReader& root, ScenarioDraft& draft);
void read_sites(TableReader& root, ScenarioDraft& draft);
/// To be called when sites and workload have been read: `load` is a share of all GPUs.
void read_generator(TableReader& root, ScenarioDraft& draft);
/// To be called when sites and workload have been read.
void read_workflows(TableReader& root, ScenarioDraft& draft);
/// Jobs drawn from a table. To be called when sites and workload have been read: what can run
/// depends on the machines.
void read_drawn_jobs(TableReader& root, ScenarioDraft& draft);
/// To be called when all models have been read: counts them in slices where GPUs are shared.
void read_sharing(TableReader& root, ScenarioDraft& draft);
/// Of all sites, in their order.
std::vector<std::string_view> site_names(const ScenarioDraft& draft);
/// The following to be called when sites have been read.
void read_network(TableReader& root, ScenarioDraft& draft);
void read_origins(TableReader& root, ScenarioDraft& draft);
/// How many slices each GPU of the nodes has.
std::uint32_t read_share(TableReader& nodes, ScenarioDraft& draft);
SiteSignals read_signals(TableReader& site, const std::string& name, ScenarioDraft& draft);
SiteForecasts read_forecasts(TableReader& site, const std::string& name, ScenarioDraft& draft);
void read_costs(TableReader& root, ScenarioDraft& draft);
void read_utility(TableReader& root, ScenarioDraft& draft);
void read_failures(TableReader& root, ScenarioDraft& draft);
void read_policies(TableReader& root, const PolicyCheck& check, ScenarioDraft& draft);
void read_sweep(TableReader& root, ScenarioDraft& draft);
/// Finds the scenario's one currency, and notes what was converted; to be called when all else has
/// been read.
void settle_currency(ScenarioDraft& draft);

/// A type by name; nullptr if there is none. no_such_type() is the message then.
const GpuType* find_type(const std::vector<GpuType>& types, std::string_view name);
std::string no_such_type(const std::vector<GpuType>& types, std::string_view name);
void read_watts(TableReader& table, std::string_view key, Watts& watts);

/// Reads a path, which begins at the scenario's folder.
bool read_path(TableReader& table, std::string_view key, const ScenarioDraft& draft,
               std::filesystem::path& path);
/// What one unit of the currency of a price is worth in the scenario's. Keeps the currency for
/// settle_currency(); none is fine too.
double note_currency(TableReader& table, std::string_view key, const std::string& currency,
                     ScenarioDraft& draft);

}  // namespace penstock

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
struct Foreign {
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
struct Draft {
  std::filesystem::path dir{};
  ProblemList problems;
  Scenario scenario{};
  std::vector<GpuType> types{};  ///< those that can be named: the catalogue and the user's own
  std::vector<CurrencyUse> currencies{};
  std::map<std::string, Foreign, std::less<>> exchange{};
  std::vector<SitePlace> places{};
  std::optional<std::uint32_t> share{};  ///< of each GPU, once nodes have been read
  bool has_jobs = true;                  ///< otherwise they come from a live cluster
};

/// To be called first: money is converted as it is read.
void read_currency(TableReader& root, Draft& draft);
void read_workload(TableReader& root, Draft& draft);
void read_gpu_types(TableReader& root, Draft& draft);
void read_sites(TableReader& root, Draft& draft);
/// To be called when sites and workload have been read: `load` is a share of all GPUs.
void read_generator(TableReader& root, Draft& draft);
/// The same for a stream of workflows.
void read_workflows(TableReader& root, Draft& draft);
/// The same for jobs drawn from a table: what runs depends on the machines.
void read_drawn_jobs(TableReader& root, Draft& draft);
/// To be called when all models have been read: counts them in slices where GPUs are shared.
void read_sharing(TableReader& root, Draft& draft);
/// Of all sites, in their order.
std::vector<std::string_view> site_names(const Draft& draft);
/// The following to be called when sites have been read.
void read_network(TableReader& root, Draft& draft);
void read_origins(TableReader& root, Draft& draft);
void read_nodes(TableReader& site, const std::string& name, Draft& draft);
/// What nodes of so many GPUs cost by used ones. What is wrong is left out.
NodeTables read_node_tables(TableReader& nodes, std::uint32_t gpus, Draft& draft);
/// How many slices each GPU of the nodes has.
std::uint32_t read_share(TableReader& nodes, Draft& draft);
/// Regions, clock and outages of a site.
void read_place(TableReader& site, const std::string& name, Draft& draft);
SiteSignals read_signals(TableReader& site, const std::string& name, Draft& draft);
SiteForecasts read_forecasts(TableReader& site, const std::string& name, Draft& draft);
void read_costs(TableReader& root, Draft& draft);
void read_utility(TableReader& root, Draft& draft);
void read_failures(TableReader& root, Draft& draft);
void read_policies(TableReader& root, const PolicyCheck& check, Draft& draft);
void read_sweep(TableReader& root, Draft& draft);
/// Finds the scenario's one currency, and notes what was converted; to be called when all else has
/// been read.
void settle_currency(Draft& draft);

/// A type by name; nullptr if there is none. no_such_type() is the message then.
const GpuType* find_type(const std::vector<GpuType>& types, std::string_view name);
std::string no_such_type(const std::vector<GpuType>& types, std::string_view name);
void read_watts(TableReader& table, std::string_view key, Watts& watts);

/// Reads a path, which begins at the scenario's folder.
bool read_path(TableReader& table, std::string_view key, const Draft& draft,
               std::filesystem::path& path);
/// What one unit of the currency of a price is worth in the scenario's. Keeps the currency for
/// settle_currency(); none is fine too.
double note_currency(TableReader& table, std::string_view key, const std::string& currency,
                     Draft& draft);

}  // namespace penstock

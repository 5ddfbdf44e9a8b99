#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

/// A scenario while it is being read.
struct Draft {
  std::filesystem::path dir{};
  ProblemList problems;
  Scenario scenario{};
  std::vector<GpuType> types{};  ///< those that can be named: the catalogue and the user's own
  std::vector<CurrencyUse> currencies{};
  std::optional<std::uint32_t> share{};  ///< of each GPU, once nodes have been read
};

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
void read_nodes(TableReader& site, const std::string& name, Draft& draft);
/// What nodes of so many GPUs cost by used ones. What is wrong is left out.
NodeTables read_node_tables(TableReader& nodes, std::uint32_t gpus, Draft& draft);
/// How many slices each GPU of the nodes has.
std::uint32_t read_share(TableReader& nodes, Draft& draft);
SiteSignals read_signals(TableReader& site, const std::string& name, Draft& draft);
SiteForecasts read_forecasts(TableReader& site, const std::string& name, Draft& draft);
void read_costs(TableReader& root, Draft& draft);
void read_utility(TableReader& root, Draft& draft);
void read_failures(TableReader& root, Draft& draft);
void read_policies(TableReader& root, const PolicyCheck& check, Draft& draft);
void read_sweep(TableReader& root, Draft& draft);
/// Finds the scenario's one currency; to be called when all else has been read.
void settle_currency(Draft& draft);

/// A type by name; nullptr if there is none. no_such_type() is the message then.
const GpuType* find_type(const std::vector<GpuType>& types, std::string_view name);
std::string no_such_type(const std::vector<GpuType>& types, std::string_view name);
void read_watts(TableReader& table, std::string_view key, Watts& watts);

/// Reads a path, which begins at the scenario's folder.
bool read_path(TableReader& table, std::string_view key, const Draft& draft,
               std::filesystem::path& path);
/// Keeps the currency of a price for settle_currency(); none is fine too.
void note_currency(TableReader& table, std::string_view key, const std::string& currency,
                   Draft& draft);

}  // namespace penstock

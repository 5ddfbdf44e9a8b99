// [network]: what joins the sites.
#include <fmt/format.h>

#include <algorithm>

#include "io/scenario/fees.h"
#include "io/scenario/regions.h"
#include "io/scenario/sections.h"
#include "io/text/nearest.h"

namespace penstock {
namespace {

constexpr double kUsualEnergy = 0.06 * kJoulesPerKwh;  ///< for a gigabyte; SustainCluster
constexpr double kFasterThanBelievable = 1e9;          ///< Mbps
constexpr Duration kSlowerThanBelievable = std::chrono::hours(24);

/// What is known of one direction between two sites.
struct Way {
  std::optional<double> megabits_per_second{};
  std::optional<Duration> round_trip{};
  std::optional<Money> per_gigabyte{};
  bool closed = false;
  bool listed = false;  ///< by a [[network.link]]
};

class NetworkReader {
 public:
  NetworkReader(TableReader& network, Draft& draft)
      : network_(network), draft_(draft), count_(draft.places.size()), ways_(count_ * count_) {}

  Network read() {
    Network net{.sites = static_cast<std::uint32_t>(count_),
                .energy_per_gigabyte = Joules(kUsualEnergy)};
    if (const auto energy = network_.quantity("energy", Measure::transfer, 0))
      net.energy_per_gigabyte = Joules(energy->value);
    for (TableReader& table : network_.tables("link")) read_link(table);
    fill_from_regions();
    read_fee();
    network_.finish();
    for (std::size_t from = 0; from < count_; ++from)
      for (std::size_t to = 0; to < count_; ++to) net.links.push_back(settled(from, to));
    return net;
  }

 private:
  Way& way(std::size_t from, std::size_t to) { return ways_[from * count_ + to]; }

  std::optional<std::size_t> read_end(TableReader& table, std::string_view key) {
    std::string name;
    if (!table.require(key, "the name of a site") || !table.text(key, name)) return std::nullopt;
    const auto names = site_names(draft_);
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    table.problem(key, fmt::format("there is no site '{}'; there are: {}{}", name,
                                   fmt::join(names, " "), did_you_mean(name, names)));
    return std::nullopt;
  }

  void read_link(TableReader& table) {
    const auto from = read_end(table, "from");
    const auto to = read_end(table, "to");
    Way given{.listed = true};
    bool both = true;
    table.flag("closed", given.closed);
    table.flag("both", both);
    read_speed(table, given);
    if (const auto fee = table.quantity("fee", Measure::fee, 0))
      given.per_gigabyte = Money(fee->value * note_currency(table, "fee", fee->currency, draft_));
    table.finish();
    if (!from || !to) return;
    if (*from == *to) return table.problem("to", "is where it comes from");
    keep(table, given, *from, *to);
    if (both) keep(table, given, *to, *from);
  }

  static void read_speed(TableReader& table, Way& given) {
    if (const auto speed = table.quantity("throughput", Measure::throughput)) {
      if (speed->value > 0 && speed->value <= kFasterThanBelievable)
        given.megabits_per_second = speed->value;
      else
        table.problem("throughput",
                      "must be more than 0 and at most 1000000 Gbps; possible: closed = true where "
                      "nothing may be sent");
    }
    Duration round_trip{};
    if (table.duration("round_trip", round_trip)) given.round_trip = round_trip;
    if (round_trip > kSlowerThanBelievable) table.problem("round_trip", "must be at most a day");
  }

  void keep(TableReader& table, const Way& given, std::size_t from, std::size_t to) {
    if (way(from, to).listed)
      table.problem("to", fmt::format("there are two links from '{}' to '{}'",
                                      draft_.places[from].name, draft_.places[to].name));
    way(from, to) = given;
  }

  void fill_from_regions() {
    for (std::size_t from = 0; from < count_; ++from)
      for (std::size_t to = 0; to < count_; ++to) {
        const auto usual = link_between(draft_.places[from].region, draft_.places[to].region);
        if (!usual || from == to) continue;
        Way& ours = way(from, to);
        if (!ours.megabits_per_second) ours.megabits_per_second = usual->megabits_per_second;
        if (!ours.round_trip) ours.round_trip = usual->round_trip;
      }
  }

  /// One fee for all, or a matrix by the cloud's regions.
  void read_fee() {
    const toml::node* node = network_.get("fee");
    if (!node) return;
    if (node->is_table()) {
      auto table = network_.table("fee");
      return read_matrix(*table);
    }
    const auto fee = network_.quantity("fee", Measure::fee, 0);
    if (!fee) return;
    const Money all(fee->value * note_currency(network_, "fee", fee->currency, draft_));
    for (Way& each : ways_)
      if (!each.per_gigabyte) each.per_gigabyte = all;
  }

  void read_matrix(TableReader& table) {
    std::filesystem::path path;
    std::string unit = "USD/GB";
    const bool named = table.require("file") && read_path(table, "file", draft_, path);
    table.text("unit", unit);
    table.finish();
    const auto known = parse_unit(unit, Measure::fee);
    if (!known) table.problem("unit", known.error().message);
    if (!named || !known) return;
    const auto matrix = read_fees(path);
    if (!matrix) return table.problem("file", matrix.error().message);
    const double worth = known->factor * note_currency(network_, "fee", known->currency, draft_);
    for (const SitePlace& place : draft_.places) check_cloud_region(place, *matrix);
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const double* fee = matrix->find(draft_.places[i / count_].cloud_region,
                                       draft_.places[i % count_].cloud_region);
      if (fee != nullptr && !ways_[i].per_gigabyte) ways_[i].per_gigabyte = Money(*fee * worth);
    }
  }

  void check_cloud_region(const SitePlace& place, const FeeMatrix& matrix) {
    TableReader site(*place.table, "site", draft_.problems);
    if (place.cloud_region.empty())
      return site.problem("cloud_region", fmt::format("of '{}' is missing, but network.fee goes by "
                                                      "it; there are: {}",
                                                      place.name, fmt::join(matrix.regions, " ")));
    if (matrix.find(place.cloud_region, place.cloud_region) != nullptr) return;
    const std::vector<std::string_view> names(matrix.regions.begin(), matrix.regions.end());
    site.problem("cloud_region",
                 fmt::format("network.fee has no region '{}'; there are: {}{}", place.cloud_region,
                             fmt::join(names, " "), did_you_mean(place.cloud_region, names)));
  }

  Link settled(std::size_t from, std::size_t to) {
    const Way& known = way(from, to);
    if (from == to || known.closed) return {};
    if (!known.megabits_per_second || !known.round_trip) {
      // Of two directions that both lack it, one is told.
      const Way& back = way(to, from);
      if (from < to || (back.megabits_per_second && back.round_trip))
        network_.problem(
            "", fmt::format("nothing says how files get from '{}' to '{}'; possible: site.region "
                            "of both (the built-in table has no EU-SA), or a [[network.link]] with "
                            "throughput and round_trip",
                            draft_.places[from].name, draft_.places[to].name));
      return {};
    }
    return {.megabits_per_second = *known.megabits_per_second,
            .round_trip = *known.round_trip,
            .per_gigabyte = known.per_gigabyte.value_or(Money{})};
  }

  TableReader& network_;
  Draft& draft_;
  std::size_t count_;
  std::vector<Way> ways_;
};

}  // namespace

void read_network(TableReader& root, Draft& draft) {
  auto table = root.table("network", R"({ energy = "0.06 kWh/GB" })");
  if (!table) return;
  draft.scenario.cluster.network = NetworkReader(*table, draft).read();
}

}  // namespace penstock

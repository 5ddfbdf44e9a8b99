#include "io/scenario/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/scenario/sections.h"
#include "io/text/csv.h"
#include "io/text/file.h"
#include "io/text/nearest.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr auto kRegions = std::to_array<std::string_view>({"US", "EU", "AP", "SA"});

struct RegionLink {
  std::string_view one{};
  std::string_view other{};
  double megabits_per_second = 0;
  int round_trip_ms = 0;
};

/// Between regions of a large cloud, as SustainCluster (green-dcc) tabulates them. It has none for
/// EU-SA, and neither have we.
constexpr auto kLinks = std::to_array<RegionLink>({
    {"EU", "US", 160, 70},
    {"EU", "AP", 50, 190},
    {"US", "AP", 50, 240},
    {"US", "SA", 100, 120},
    {"SA", "AP", 40, 350},
});
/// Within a region; our choice.
constexpr Link kNear{.megabits_per_second = 1000, .round_trip = std::chrono::milliseconds(20)};

}  // namespace

std::vector<std::string_view> all_regions() {
  return {kRegions.begin(), kRegions.end()};
}

bool is_region(std::string_view name) {
  return std::ranges::find(kRegions, name) != kRegions.end();
}

std::optional<Link> link_between(std::string_view from, std::string_view to) {
  if (!is_region(from) || !is_region(to)) return std::nullopt;
  if (from == to) return kNear;
  for (const RegionLink& link : kLinks) {
    const bool there = link.one == from && link.other == to;
    const bool back = link.one == to && link.other == from;
    if (there || back)
      return Link{.megabits_per_second = link.megabits_per_second,
                  .round_trip = std::chrono::milliseconds(link.round_trip_ms)};
  }
  return std::nullopt;
}

namespace {

/// What one region pays to send.
Result<Done> read_fee_row(const CsvTable& table, FeeMatrix& matrix) {
  const std::string from(table.cell(0));
  if (!table.is_whole()) return Error{"has not as many cells as the head"};
  for (std::size_t i = 1; i < table.columns().size(); ++i) {
    const std::string& to = table.columns()[i];
    auto fee = parse_number<double>(table.cell(i));
    if (!fee) return std::move(fee).error().in(to);
    if (*fee < 0) return Error{fmt::format("{}: a fee of {} is negative", to, *fee)};
    if (!matrix.fees.try_emplace({from, to}, *fee).second)
      return Error{fmt::format("there are two fees from '{}' to '{}'", from, to)};
  }
  return Done{};
}

}  // namespace

Result<FeeMatrix> parse_fees(std::string_view text, const std::string& file) {
  auto table = CsvTable::open(text, file);
  if (!table) return std::move(table).error();
  const std::vector<std::string>& head = table->columns();
  FeeMatrix matrix{.regions = {head.begin() + 1, head.end()}};
  while (table->next())
    if (auto read = read_fee_row(*table, matrix); !read)
      return std::move(read).error().in(table->where());
  if (matrix.fees.empty()) return Error{file + ": has no fees"};
  return matrix;
}

Result<FeeMatrix> read_fees(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_fees(*text, path.string());
}

// [network]: what joins the sites.
namespace {

constexpr double kUsualEnergy = 0.06 * kJoulesPerKwh;  ///< for a gigabyte; SustainCluster
constexpr double kFasterThanBelievable = 1e9;          ///< Mbps
constexpr Duration kSlowerThanBelievable = std::chrono::hours(24);

/// What is known of one direction between two sites.
struct LinkDraft {
  std::optional<double> megabits_per_second{};
  std::optional<Duration> round_trip{};
  std::optional<Money> per_gigabyte{};
  bool closed = false;
  bool listed = false;  ///< by a [[network.link]]
};

class NetworkReader {
 public:
  NetworkReader(TableReader& network, ScenarioDraft& draft)
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
  LinkDraft& way(std::size_t from, std::size_t to) { return ways_[from * count_ + to]; }

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
    LinkDraft given{.listed = true};
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

  static void read_speed(TableReader& table, LinkDraft& given) {
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

  void keep(TableReader& table, const LinkDraft& given, std::size_t from, std::size_t to) {
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
        LinkDraft& ours = way(from, to);
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
    for (LinkDraft& each : ways_)
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
    const LinkDraft& known = way(from, to);
    if (from == to || known.closed) return {};
    if (!known.megabits_per_second || !known.round_trip) {
      // Of two directions that both lack it, one is told.
      const LinkDraft& back = way(to, from);
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
  ScenarioDraft& draft_;
  std::size_t count_;
  std::vector<LinkDraft> ways_;
};

}  // namespace

void read_network(TableReader& root, ScenarioDraft& draft) {
  auto table = root.table("network", R"({ energy = "0.06 kWh/GB" })");
  if (!table) return;
  draft.scenario.cluster.network = NetworkReader(*table, draft).read();
}

}  // namespace penstock

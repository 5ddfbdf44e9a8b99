// Random operations on packings, each compared with a table of who holds which GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "policy/place/gpu_table.h"
#include "policy/place/one_site.h"
#include "policy/place/packing.h"

namespace penstock {
namespace {

struct World {
  std::vector<NodeGroup> groups;
  std::uint32_t largest_job = 0;
  bool powers_of_two = true;  ///< all nodes and jobs
  bool alike = true;          ///< all nodes have the same size
};

class PackingAndTable {
 public:
  PackingAndTable(World world, std::uint64_t seed)
      : world_(std::move(world)),
        cluster_(cluster_of(world_.groups)),
        rng_(seed),
        packing_(cluster_, SiteId{0}, GpuTypeId{0}),
        table_(cluster_),
        asleep_(cluster_.nodes.size(), false) {}

  void step() {
    const std::uint64_t dice = rng_.below(32);
    if (dice < 14) start(size());
    if (dice >= 14 && dice < 22 && !jobs_.empty()) release(rng_.below(jobs_.size()));
    if (dice >= 22 && dice < 27 && !jobs_.empty()) resize(jobs_[rng_.below(jobs_.size())], size());
    if (dice == 27) toggle(node());
    if (dice == 28) sleep(node());
    if (dice >= 29 && dice < 31) make_room(size());
    if (dice == 31) empty_nodes();
    require(packing_.free() == table_.free(), "free() counts what is free");
  }
  const std::string& broken() const { return broken_; }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(rng_.below(n)); }
  std::uint32_t node() { return below(static_cast<std::uint32_t>(cluster_.nodes.size())); }
  std::uint32_t size() {
    if (!world_.powers_of_two) return 1 + below(world_.largest_job);
    return 1u << below(static_cast<std::uint32_t>(std::bit_width(world_.largest_job)));
  }
  void require(bool holds, const char* what) {
    if (!holds && broken_.empty()) broken_ = what;
  }
  bool plain() const { return world_.powers_of_two && world_.alike; }
  std::uint32_t largest_node() const { return packing_.pool().largest_node(); }

  void take(JobId job, const Placement& where) {
    check(where);
    if (!broken_.empty()) return;  // taking it would end the program
    packing_.take(job, where);
    table_.set(where, job.index);
    require(*packing_.of(job) == where, "a job has what it took");
  }
  void give(JobId job) {
    table_.set(*packing_.of(job), GpuTable::kNobody);
    packing_.give(job);
  }
  /// All its GPUs can be used; a small job is on one node and, where all sizes are
  /// powers of two, aligned.
  void check(const Placement& where) {
    const std::uint32_t gpus = gpu_count(where);
    std::uint32_t past = 0;
    for (const GpuRange& range : where) {
      require(range.count > 0 && range.first.index >= past, "ranges are in order");
      past = range.first.index + range.count;
      for (std::uint32_t i = range.first.index; i < past; ++i)
        require(table_.usable(i), "no GPU is held twice or down");
      require(cluster_.node_of[range.first.index] == cluster_.node_of[past - 1],
              "no range crosses a node");
    }
    const Node& node = cluster_.node(where.front().first);
    if (gpus <= largest_node())
      require(&node == &cluster_.node(GpuId{past - 1}), "a small job is on one node");
    if (gpus <= largest_node() && world_.powers_of_two)
      require(where.size() == 1 && (where[0].first.index - node.first.index) % gpus == 0,
              "blocks are aligned");
  }

  void start(std::uint32_t gpus) {
    const auto where = packing_.place(gpus);
    check_found(where, gpus);
    if (!where) return;
    require(gpu_count(*where) == gpus, "a job gets what it asked for");
    if (plain()) check_choice(*where, gpus);
    jobs_.push_back(JobId{next_++});
    take(jobs_.back(), *where);
  }
  /// It is found if and only if looking at everything finds it.
  void check_found(const std::optional<Placement>& where, std::uint32_t gpus) {
    if (!world_.powers_of_two) return;
    if (gpus <= largest_node())
      require(where.has_value() == (table_.best(gpus).block != GpuTable::kNobody),
              "free blocks coalesce");
    if (gpus > largest_node() && world_.alike) {
      std::uint32_t idle = 0;
      for (const std::uint32_t nodes : table_.idle_by_rack()) idle += nodes;
      require(where.has_value() == (idle * largest_node() >= gpus), "idle nodes are found");
    }
  }
  void check_choice(const Placement& where, std::uint32_t gpus) {
    if (gpus > largest_node()) return check_switches(where, gpus);
    const Node& chosen = cluster_.node(where[0].first);
    const std::uint32_t offset = where[0].first.index - chosen.first.index;
    require(GpuTable::Choice{table_.maximal(chosen, offset, gpus), table_.free_on(chosen)} ==
                table_.best(gpus),
            "the smallest block of the fullest node is split");
    if (!asleep(chosen) || !table_.idle(chosen)) return;
    for (const Node& node : cluster_.nodes)
      require(!table_.idle(node) || asleep(node), "nodes that are awake come first");
  }
  bool asleep(const Node& node) const {
    return asleep_[static_cast<std::size_t>(&node - cluster_.nodes.data())];
  }
  void check_switches(const Placement& where, std::uint32_t gpus) {
    std::uint32_t missing = gpus / largest_node();
    std::size_t fewest = 0;
    for (const std::uint32_t idle : table_.idle_by_rack()) {
      if (missing == 0) break;
      missing -= std::min(missing, idle);
      ++fewest;
    }
    std::set<RackId> used;
    for (const GpuRange& range : where) used.insert(cluster_.node(range.first).rack);
    require(used.size() == fewest, "it is under the fewest switches");
  }

  void release(std::size_t i) {
    give(jobs_[i]);
    jobs_[i] = jobs_.back();
    jobs_.pop_back();
  }

  void resize(JobId job, std::uint32_t gpus) {
    const auto where = packing_.place_instead(job, gpus);
    const Placement own = *packing_.of(job);
    require(*packing_.of(job) == own && packing_.free() == table_.free(), "asking changes nothing");
    require(gpus != gpu_count(own) || where == own, "the same size is the same place");
    give(job);
    check_found(where, gpus);
    require(where.has_value() || !packing_.place(gpus), "its own GPUs count as free");
    if (where) require(gpu_count(*where) == gpus, "a job gets what it asked for");
    if (where && gpus <= gpu_count(own) && gpus <= largest_node() && plain())
      require(is_part(*where, own), "it shrinks to a part of its place");
    take(job, where.value_or(own));
  }
  void toggle(std::uint32_t node) {
    if (!table_.up(node)) {
      packing_.node_up(NodeId{node});
      table_.set_up(node, true);
    } else if (table_.idle(cluster_.nodes[node])) {
      packing_.node_down(NodeId{node});
      table_.set_up(node, false);
    }
    std::uint32_t capacity = 0;
    for (std::uint32_t i = 0; i < cluster_.nodes.size(); ++i)
      capacity += table_.up(i) ? cluster_.nodes[i].gpus : 0;
    require(packing_.capacity() == capacity, "capacity() counts what is up");
  }
  void sleep(std::uint32_t node) {
    asleep_[node] = !asleep_[node];
    packing_.set_asleep(NodeId{node}, asleep_[node]);
  }

  static double cost(JobId job) { return 1 + job.index % 7; }
  void apply(const std::vector<Move>& moves) {
    std::set<JobId> moved;
    for (const Move& move : moves) {
      if (!broken_.empty()) return;
      require(moved.insert(move.job).second, "no job moves twice");
      require(gpu_count(move.to) == gpu_count(*packing_.of(move.job)), "a move keeps the size");
      check(move.to);  // free before the job leaves its own place
      give(move.job);
      take(move.job, move.to);
    }
  }
  /// Of two GPUs that are buddies and held by nobody or by jobs of one GPU.
  double cheapest_pair() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < cluster_.gpu_count(); i += 2)
      if (table_.up(cluster_.node_of[i].index)) least = std::min(least, price(i) + price(i + 1));
    return least;
  }
  double price(std::uint32_t gpu) const {
    if (table_.usable(gpu)) return 0;
    const JobId job{table_.holder(gpu)};
    const bool small = gpu_count(*packing_.of(job)) == 1;
    return small ? cost(job) : std::numeric_limits<double>::infinity();
  }
  void make_room(std::uint32_t gpus) {
    const auto moves = packing_.make_room(gpus, cost);
    const bool enough = gpus <= table_.free();
    require(enough || !moves, "there is no room if too few GPUs are free");
    if (plain())
      require(moves.has_value() == enough, "there is always room if enough GPUs are free");
    if (!moves) return;
    double paid = 0;
    for (const Move& move : *moves) {
      paid += cost(move.job);
      require(gpu_count(*packing_.of(move.job)) < std::min(gpus, largest_node()),
              "only smaller jobs move");
    }
    require(!plain() || gpus != 2 || paid == cheapest_pair(), "the cheapest jobs move");
    apply(*moves);
    require(packing_.place(gpus).has_value(), "moves make room");
  }

  std::uint32_t idle_nodes() const {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(cluster_.nodes, [&](const Node& n) { return table_.idle(n); }));
  }
  void empty_nodes() {
    const auto worth = [](NodeId id) { return 2.0 + id.index % 5; };
    const std::uint32_t before = idle_nodes();
    const auto moves = packing_.empty_nodes(cost, worth);
    double paid = 0;
    std::set<NodeId> left;
    for (const Move& move : moves) {
      paid += cost(move.job);
      left.insert(cluster_.node_of[packing_.of(move.job)->front().first.index]);
      require(!table_.idle(cluster_.node(move.to.front().first)), "idle nodes stay idle");
    }
    double saved = 0;
    for (const NodeId id : left) saved += worth(id);
    apply(moves);
    require(idle_nodes() == before + left.size(), "every node that a job left is idle");
    require(moves.empty() || saved > paid, "it is worth the moves");
  }

  World world_;
  Cluster cluster_;
  Rng rng_;
  Packing packing_;
  GpuTable table_;
  std::vector<bool> asleep_;  ///< indexed by NodeId
  std::vector<JobId> jobs_;
  std::uint32_t next_ = 0;
  std::string broken_;
};

void run(const World& world, std::uint64_t seeds, int steps) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    PackingAndTable both(world, seed);
    for (int i = 0; i < steps && both.broken().empty(); ++i) {
      both.step();
      ASSERT_EQ(both.broken(), "") << "seed " << seed << ", step " << i;
    }
  }
}

TEST(PackingRandom, keeps_its_promises_where_all_sizes_are_powers_of_two) {
  run({.groups = {{.count = 5, .gpus = 8, .rack = 2}}, .largest_job = 32}, 10, 25'000);
  run({.groups = {{.count = 7, .gpus = 4, .rack = 3}}, .largest_job = 16}, 10, 25'000);
  run({.groups = {{.count = 3, .gpus = 16, .rack = 1}}, .largest_job = 16}, 10, 15'000);
}

TEST(PackingRandom, keeps_its_promises_where_nodes_differ) {
  const World mixed{.groups = {{.count = 2, .gpus = 8, .rack = 1}, {.count = 4, .gpus = 4}},
                    .largest_job = 16,
                    .alike = false};
  run(mixed, 8, 20'000);
}

TEST(PackingRandom, keeps_its_promises_for_odd_sizes) {
  const World sixes{
      .groups = {{.count = 5, .gpus = 6, .rack = 2}}, .largest_job = 15, .powers_of_two = false};
  run(sixes, 8, 20'000);
  const World motley{
      .groups = {{.count = 2, .gpus = 6}, {.count = 2, .gpus = 3}, {.count = 1, .gpus = 8}},
      .largest_job = 14,
      .powers_of_two = false,
      .alike = false};
  run(motley, 8, 20'000);
}

}  // namespace
}  // namespace penstock

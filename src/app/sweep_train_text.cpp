#include "app/sweep_train_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "report/files/csv_line.h"
#include "report/terminal/text.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json score_json(const TrainingScore& score) {
  return {{"networks", score.networks},          {"updates", score.updates},
          {"first_return", score.first},         {"best_return", score.best},
          {"reference_return", score.reference}, {"margin", score.margin()}};
}

Json facts_json(const SweepPoint& point) {
  Json facts = Json::object();
  for (const auto& [name, value] : point.facts) facts[name] = value;
  return facts;
}

std::string written(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

const Training& best_of(const std::vector<Training>& trainings) {
  return *std::ranges::max_element(trainings, {},
                                   [](const Training& t) { return t.score.margin(); });
}

}  // namespace

std::string training_json(const SweepPoint& point, const TrainingScore& score) {
  return written({{"version", kVersion},
                  {"point", facts_json(point)},
                  {"training", score_json(score)},
                  {"runs", Json::array()}});
}

Result<TrainingScore> parse_training(std::string_view text) {
  const Json root = Json::parse(text, nullptr, false);
  const auto training = root.is_object() ? root.find("training") : root.end();
  if (!root.is_object() || training == root.end() || !training->is_object())
    return Error{"is not the summary of a training"};
  const auto number = [&](const char* name) {
    const auto found = training->find(name);
    return found != training->end() && found->is_number() ? found->get<double>() : 0.0;
  };
  return TrainingScore{.networks = static_cast<std::size_t>(number("networks")),
                       .updates = static_cast<std::uint64_t>(number("updates")),
                       .first = number("first_return"),
                       .best = number("best_return"),
                       .reference = number("reference_return")};
}

std::string trainings_json(const std::vector<Training>& trainings) {
  Json all = Json::array();
  for (const Training& training : trainings) {
    Json one = score_json(training.score);
    one["point"] = facts_json(*training.point);
    one["weights"] = training.weights.string();
    all.push_back(std::move(one));
  }
  return written({{"version", kVersion},
                  {"best", best_of(trainings).weights.string()},
                  {"trainings", std::move(all)},
                  {"runs", Json::array()}});
}

std::string trainings_csv(const std::vector<Training>& trainings) {
  std::string text;
  {
    CsvLine head(text);
    for (const char* name : {"point", "policy"}) head.text(name);
    for (const auto& change : trainings.front().changes) head.text(change.first);
    for (const char* name : {"networks", "updates", "first_return", "best_return",
                             "reference_return", "margin", "best", "weights"})
      head.text(name);
  }
  for (const Training& training : trainings) {
    CsvLine line(text);
    line.text(training.point->folder);
    line.text(training.point->policy.name);
    for (const auto& change : training.changes) line.text(change.second);
    const TrainingScore& score = training.score;
    line.count(score.networks);
    line.count(score.updates);
    for (const double value : {score.first, score.best, score.reference, score.margin()})
      line.number(value);
    line.count(&training == &best_of(trainings) ? 1 : 0);
    line.text(training.weights.string());
  }
  return text;
}

std::string trainings_table(const std::vector<Training>& trainings) {
  std::vector<const Training*> order;
  order.reserve(trainings.size());
  for (const Training& training : trainings) order.push_back(&training);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const Training* t) { return t->score.margin(); });
  std::size_t width = 8;
  for (const Training* t : order) width = std::max(width, display_width(t->point->label));
  std::string text =
      fmt::format("{}{:>9}{:>10}{:>10}{:>10}{:>10}\n", left_aligned("training", width), "updates",
                  "at first", "best", "rival", "margin");
  for (const Training* t : order)
    text += fmt::format("{}{:>9}{:>10.3f}{:>10.3f}{:>10.3f}{:>+10.3f}\n",
                        left_aligned(t->point->label, width), t->score.updates, t->score.first,
                        t->score.best, t->score.reference, t->score.margin());
  return text +
         fmt::format(
             "mean returns in validation over the networks of a training; the margin is what the "
             "best is above the rival\nTrainings with another seed are judged by other episodes.\n"
             "best: {}\n",
             best_of(trainings).weights.string());
}

}  // namespace penstock

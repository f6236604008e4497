#include "tests/bench/series.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace cellblock::bench {

double Rounded(double value) {
  double rounded = 0;
  return absl::SimpleAtod(absl::StrFormat("%.3g", value), &rounded) ? rounded : value;
}

double Series::Quantile(double part) const {
  if (values_.empty()) return 0;
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)];
}

nlohmann::ordered_json Series::ToJson() const {
  return {{"count", values_.size()},
          {"p50", Rounded(Quantile(0.5))},
          {"p95", Rounded(Quantile(0.95))},
          {"min", Rounded(Quantile(0))},
          {"max", Rounded(Quantile(1))}};
}

nlohmann::ordered_json SideBySide(const Series& ours, const char* peer_name, const Series& peer) {
  nlohmann::ordered_json json;
  json["cellblock"] = ours.ToJson();
  json[peer_name] = peer.ToJson();
  json["ratio_of_p50"] = peer.Median() > 0 ? Rounded(ours.Median() / peer.Median()) : 0;
  return json;
}

}  // namespace cellblock::bench

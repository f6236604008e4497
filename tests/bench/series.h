// Measured values of one kind and what is reported of them.
#ifndef CELLBLOCK_TESTS_BENCH_SERIES_H_
#define CELLBLOCK_TESTS_BENCH_SERIES_H_

#include <nlohmann/json.hpp>
#include <vector>

#include "absl/time/time.h"

namespace cellblock::bench {

class Series {
 public:
  void Add(double value) { values_.push_back(value); }
  double Median() const { return Quantile(0.5); }
  // count, p50, p95, min and max.
  nlohmann::ordered_json ToJson() const;

 private:
  double Quantile(double part) const;

  std::vector<double> values_;
};

// Two series, the second of which is what the first is compared with, and the ratio of their
// medians.
nlohmann::ordered_json SideBySide(const Series& ours, const char* peer_name, const Series& peer);

// Three significant digits are more than any of these numbers repeats.
double Rounded(double value);

}  // namespace cellblock::bench

#endif  // CELLBLOCK_TESTS_BENCH_SERIES_H_

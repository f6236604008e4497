// run_seeds FOLDER...: every file of the folders through the fuzz target, whole, and cut at many
// lengths, and with bytes changed. The same on every run.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>

#include "sandbox/base/io.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kCuts = 64;
constexpr size_t kLargeFile = 64 << 10;  // only run as it is

void Run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

void RunVariants(const std::string& text) {
  Run(text);
  if (text.size() > kLargeFile) return;
  std::mt19937 random(5);
  for (size_t cut = 1; cut < kCuts; ++cut) Run(text.substr(0, text.size() * cut / kCuts));
  for (size_t round = 0; round < kCuts && !text.empty(); ++round) {
    std::string changed = text;
    changed[random() % changed.size()] = static_cast<char>(random());
    Run(changed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      const absl::StatusOr<std::string> text = cellblock::ReadFile(entry.path());
      if (!text.ok()) return 1;
      printf("%s\n", entry.path().c_str());
      fflush(stdout);
      RunVariants(*text);
      ++files;
    }
  }
  return files > 0 ? 0 : 1;
}

#include "tools/cli/rootfs/oci.h"

#include <sys/utsname.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "tools/cli/rootfs/digest.h"

namespace cellblock::cli {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxJson = 4 << 20;
constexpr int kMaxIndexes = 4;

absl::StatusOr<Json> Parse(const std::string& path) {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxJson));
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return absl::DataLossError(absl::StrCat(path, ": is no JSON object"));
  return json;
}

std::string Text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<Json> List(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return {};
  std::vector<Json> items;
  for (const Json& item : *found) {
    if (item.is_object()) items.push_back(item);
  }
  return items;
}

// A digest becomes a path: 64 hex digits and nothing else.
absl::StatusOr<std::string> Blob(const std::string& layout, const std::string& digest) {
  absl::string_view hex = digest;
  const bool sound = absl::ConsumePrefix(&hex, "sha256:") && hex.size() == 64 &&
                     std::all_of(hex.begin(), hex.end(), [](unsigned char c) {
                       return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
                     });
  if (!sound) return absl::DataLossError(absl::StrCat("no digest that is known here: ", digest));
  const std::string path = absl::StrCat(layout, "/blobs/sha256/", hex);
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string actual, FileSha256(path));
  if (actual == hex) return path;
  return absl::DataLossError(absl::StrCat(path, ": its bytes are not what its name says"));
}

std::string Architecture() {
  utsname system = {};
  uname(&system);
  const std::string machine = system.machine;
  if (machine == "x86_64") return "amd64";
  return machine == "aarch64" ? "arm64" : machine;
}

bool ForThisMachine(const Json& descriptor) {
  const auto platform = descriptor.find("platform");
  if (platform == descriptor.end() || !platform->is_object()) return true;
  const std::string os = Text(*platform, "os"), architecture = Text(*platform, "architecture");
  return (os.empty() || os == "linux") && (architecture.empty() || architecture == Architecture());
}

}  // namespace

absl::StatusOr<OciImage> ReadOciLayout(const std::string& layout) {
  CELLBLOCK_ASSIGN_OR_RETURN(Json json, Parse(layout + "/index.json"));
  OciImage image;
  for (int depth = 0; json.find("manifests") != json.end(); ++depth) {
    if (depth == kMaxIndexes) return absl::DataLossError("indexes within indexes");
    const std::vector<Json> choices = List(json, "manifests");
    const auto chosen = std::find_if(choices.begin(), choices.end(), ForThisMachine);
    if (chosen == choices.end()) {
      return absl::FailedPreconditionError(
          absl::StrCat(layout, ": holds no image for linux/", Architecture()));
    }
    image.digest = Text(*chosen, "digest");
    CELLBLOCK_ASSIGN_OR_RETURN(const std::string path, Blob(layout, image.digest));
    CELLBLOCK_ASSIGN_OR_RETURN(json, Parse(path));
  }
  for (const Json& layer : List(json, "layers")) {
    CELLBLOCK_ASSIGN_OR_RETURN(std::string path, Blob(layout, Text(layer, "digest")));
    image.layers.push_back(std::move(path));
  }
  if (image.layers.empty()) return absl::DataLossError(absl::StrCat(layout, ": names no layers"));
  return image;
}

}  // namespace cellblock::cli

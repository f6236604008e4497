#include "daemon/service/stored_images.h"

#include <google/protobuf/util/json_util.h>

#include <filesystem>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cellblock/v1/runtime.pb.h"
#include "daemon/service/convert.h"
#include "internal/rootfs.pb.h"
#include "sandbox/base/io.h"

namespace cellblock {
namespace {

constexpr size_t kMaxManifest = 1 << 20;

void AddImage(const std::string& store, const std::string& name, v1::ServerInfo* info) {
  const absl::StatusOr<std::string> text =
      ReadFile(absl::StrCat(store, "/", name, "/manifest.json"), kMaxManifest);
  internal::Manifest manifest;
  if (!text.ok() || !google::protobuf::util::JsonStringToMessage(*text, &manifest).ok()) return;
  v1::ImageInfo* image = info->add_images();
  image->set_name(Utf8(name));
  image->set_digest(manifest.digest());
  image->set_python_version(manifest.python_version());
  for (const internal::Package& package : manifest.python_packages()) {
    v1::ImageLibrary* library = image->add_libraries();
    library->set_name(package.name());
    library->set_version(package.version());
  }
}

}  // namespace

void ListStoredImages(const std::string& store, v1::ServerInfo* info) {
  std::error_code error;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(store, error)) {
    const std::string name = entry.path().filename();
    if (!absl::StartsWith(name, ".")) names.insert(name);
  }
  for (const std::string& name : names) AddImage(store, name, info);
}

}  // namespace cellblock

#include "tools/cli/rootfs/store.h"

#include <fcntl.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "internal/rootfs.pb.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "tools/cli/rootfs/digest.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kBuilding[] = ".building-";
constexpr char kOld[] = ".removing-";
constexpr char kManifest[] = "/manifest.json";
constexpr char kSeal[] = "/seal.textproto";
constexpr size_t kMaxName = 64;

absl::Status WriteOut(const std::string& path, const std::string& text) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.valid()) return ErrnoStatus("create", path, errno);
  CELLBLOCK_RETURN_IF_ERROR(WriteAll(file.get(), text));
  return fsync(file.get()) == 0 ? absl::OkStatus() : ErrnoStatus("write", path, errno);
}

absl::Status RemoveTree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  return error ? ErrnoStatus("remove", path, error.value()) : absl::OkStatus();
}

absl::Status RemoveLeftovers(const std::string& store) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(store, error)) {
    const std::string name = entry.path().filename();
    if (absl::StartsWith(name, kBuilding) || absl::StartsWith(name, kOld)) {
      CELLBLOCK_RETURN_IF_ERROR(RemoveTree(entry.path()));
    }
  }
  return error ? ErrnoStatus("read folder", store, error.value()) : absl::OkStatus();
}

absl::Status LeaveHostMounts() {
  if (geteuid() != 0) return absl::OkStatus();
  if (unshare(CLONE_NEWNS) != 0) return ErrnoStatus("unshare", "mount namespace", errno);
  // Private, not slave: nothing of what is mounted here is seen outside.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return ErrnoStatus("make mounts private", "/", errno);
  }
  return absl::OkStatus();
}

absl::Status Broken(const std::string& name, absl::string_view why) {
  return absl::DataLossError(absl::StrCat("image \"", name, "\" is damaged: ", why,
                                          "; remove it (cellblock rootfs remove ", name,
                                          ") and build it again"));
}

}  // namespace

std::string DefaultStore() {
  const char* given = std::getenv("CELLBLOCK_IMAGES");
  if (given != nullptr && *given == '/') return given;
  if (geteuid() == 0) return "/var/lib/cellblock/images";
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data == '/') return absl::StrCat(data, "/cellblock/images");
  const char* home = std::getenv("HOME");
  return absl::StrCat(home == nullptr ? "" : home, "/.local/share/cellblock/images");
}

absl::Status CheckImageName(const std::string& name) {
  const bool fine =
      !name.empty() && name.size() <= kMaxName && name != "host" && absl::ascii_isalnum(name[0]) &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '.' || c == '_' || c == '-';
      });
  if (fine) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "an image's name has at most 64 small letters, digits, '.', '_' and '-', begins with a "
      "letter or digit, and is not \"host\"");
}

absl::StatusOr<StoreLock> StoreLock::Take(const std::string& store) {
  std::error_code error;
  fs::create_directories(store, error);
  if (error) return ErrnoStatus("make folder", store, error.value());
  const std::string path = store + "/.lock";
  // Inherited by the tools: while one of a killed command still runs, the store stays locked.
  UniqueFd lock(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  if (!lock.valid()) return ErrnoStatus("open", path, errno);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return ErrnoStatus("lock", path, errno);
    return absl::FailedPreconditionError(
        absl::StrCat("another cellblock rootfs command is changing ", store, "; wait for its end"));
  }
  CELLBLOCK_RETURN_IF_ERROR(RemoveLeftovers(store));
  CELLBLOCK_RETURN_IF_ERROR(LeaveHostMounts());
  return StoreLock(store, std::move(lock));
}

absl::StatusOr<std::string> StoreLock::BeginImage(const std::string& name) const {
  const std::string folder = absl::StrCat(store_, "/", kBuilding, name);
  if (mkdir(folder.c_str(), 0755) != 0) return ErrnoStatus("make folder", folder, errno);
  return folder;
}

absl::Status StoreLock::Publish(const std::string& building, const std::string& name) const {
  const std::string target = absl::StrCat(store_, "/", name);
  const std::string old = absl::StrCat(store_, "/", kOld, name);
  if (rename(target.c_str(), old.c_str()) != 0 && errno != ENOENT) {
    return ErrnoStatus("move away", target, errno);
  }
  if (rename(building.c_str(), target.c_str()) != 0) return ErrnoStatus("rename", target, errno);
  return RemoveTree(old);
}

absl::Status StoreLock::Remove(const std::string& name) const {
  const std::string target = absl::StrCat(store_, "/", name);
  const std::string old = absl::StrCat(store_, "/", kOld, name);
  if (rename(target.c_str(), old.c_str()) != 0) {
    if (errno == ENOENT)
      return absl::NotFoundError(absl::StrCat("no image \"", name, "\" in ", store_));
    return ErrnoStatus("remove", target, errno);
  }
  return RemoveTree(old);
}

absl::StatusOr<std::vector<std::string>> ImageNames(const std::string& store) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(store, error)) {
    const std::string name = entry.path().filename();
    if (name[0] != '.' && entry.is_directory(error)) names.push_back(name);
  }
  if (error && error.value() != ENOENT) return ErrnoStatus("read folder", store, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::unique_ptr<internal::Manifest>> ReadManifest(const std::string& store,
                                                                 const std::string& name) {
  CELLBLOCK_RETURN_IF_ERROR(CheckImageName(name));
  const std::string folder = absl::StrCat(store, "/", name);
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return absl::NotFoundError(absl::StrCat("no image \"", name, "\" in ", store,
                                            "; `cellblock rootfs list` shows what there is"));
  }
  const absl::StatusOr<std::string> text = ReadFile(folder + kManifest);
  if (!text.ok()) return Broken(name, text.status().message());
  auto manifest = std::make_unique<internal::Manifest>();
  const auto parsed = google::protobuf::util::JsonStringToMessage(*text, manifest.get());
  if (!parsed.ok()) return Broken(name, absl::StrCat("manifest.json: ", parsed.ToString()));
  const std::string& file = manifest->file();
  if (file != "root" && file != "root.erofs" && file != "root.squashfs") {
    return Broken(name, "manifest.json names no known image file");
  }
  return manifest;
}

absl::Status WriteManifest(const std::string& folder, const internal::Manifest& manifest) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto printed = google::protobuf::util::MessageToJsonString(manifest, &text, options);
  if (!printed.ok()) return absl::InternalError(absl::StrCat("manifest: ", printed.ToString()));
  CELLBLOCK_RETURN_IF_ERROR(WriteOut(folder + kManifest, text));
  internal::Seal seal;
  seal.set_digest(manifest.digest());
  seal.set_file(manifest.file());
  seal.set_file_bytes(manifest.file_bytes());
  google::protobuf::TextFormat::PrintToString(seal, &text);
  return WriteOut(folder + kSeal, text);
}

absl::Status VerifyImage(const std::string& store, const std::string& name) {
  CELLBLOCK_ASSIGN_OR_RETURN(const auto manifest, ReadManifest(store, name));
  const std::string folder = absl::StrCat(store, "/", name);
  const std::string image = absl::StrCat(folder, "/", manifest->file());
  internal::Seal seal;
  const absl::StatusOr<std::string> text = ReadFile(folder + kSeal);
  if (!text.ok() || !google::protobuf::TextFormat::ParseFromString(*text, &seal) ||
      seal.digest() != manifest->digest() || seal.file() != manifest->file() ||
      seal.file_bytes() != manifest->file_bytes()) {
    return Broken(name, "seal.textproto does not agree with manifest.json");
  }
  if (manifest->file() == "root") {
    const absl::StatusOr<TreeFacts> facts = ExamineTree(image);
    if (!facts.ok()) return Broken(name, facts.status().message());
    if (facts->digest == manifest->digest()) return absl::OkStatus();
    return Broken(name, absl::StrCat("the files below ", image, " have changed"));
  }
  const absl::StatusOr<std::string> digest = FileSha256(image);
  if (!digest.ok()) return Broken(name, digest.status().message());
  if (*digest == manifest->file_sha256()) return absl::OkStatus();
  return Broken(name, absl::StrCat("the bytes of ", image, " have changed"));
}

}  // namespace cellblock::cli

#include "sandbox/launcher/image.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/launcher/copy_tree.h"
#include "sandbox/launcher/failure.h"

namespace cellblock::launcher {
namespace {

namespace fs = std::filesystem;

// Of /etc, only what programs need. Names ending in * are prefixes.
constexpr const char* kEtcEntries[] = {
    "alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "fonts",     "matplotlibrc",
    "python3*",     "mime.types",  "services",   "protocols",    "localtime",
};
constexpr char kCertificates[] = "ssl/certs";
constexpr const char* kMergedLinks[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32"};
constexpr char kPackageDatabase[] = "/var/lib/dpkg/status";
constexpr char kDirPrefix[] = "dir:";

bool Wanted(const std::string& name) {
  for (absl::string_view entry : kEtcEntries) {
    if (entry.back() == '*' ? absl::StartsWith(name, entry.substr(0, entry.size() - 1))
                            : name == entry) {
      return true;
    }
  }
  return false;
}

absl::Status CopyEtc(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/etc", error)) {
    const std::string name = entry.path().filename();
    if (Wanted(name)) CELLBLOCK_RETURN_IF_ERROR(CopyTree(entry.path(), folder + "/etc/" + name));
  }
  const fs::path certificates = fs::path("/etc") / kCertificates;
  if (!fs::exists(certificates, error)) return absl::OkStatus();
  return CopyTree(certificates, fs::path(folder) / "etc" / kCertificates);
}

absl::StatusOr<std::string> Sha256(absl::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (EVP_Digest(data.data(), data.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("SHA-256 failed");
  }
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), size));
}

std::string IdentityOf(int dir, const char* name) {
  struct stat status;
  if (fstatat(dir, name, &status, 0) != 0) return "-";
  return absl::StrCat(status.st_dev, ":", status.st_ino, ":", status.st_size, ":",
                      status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec, ":",
                      status.st_ctim.tv_sec, ".", status.st_ctim.tv_nsec);
}

// `path` with every link resolved must lie at or below an approved root, also resolved.
absl::StatusOr<std::string> ApprovedFolder(const std::string& path, const Settings& settings) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return Refused(path, "no such folder");
  for (const std::string& root : settings.image_roots) {
    const fs::path real_root = fs::canonical(root, error);
    if (error) continue;
    const fs::path inside = real.lexically_relative(real_root);
    if (!inside.empty() && *inside.begin() != "..") return real.string();
  }
  return Refused(path, "not at or below an approved image root (image_roots in the configuration)");
}

absl::StatusOr<Image> OpenFolderImage(const std::string& name, const Settings& settings) {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::string path,
                             ApprovedFolder(name.substr(sizeof kDirPrefix - 1), settings));
  Image image;
  image.name = name;
  image.lower = UniqueFd(open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!image.lower.valid()) return StepFailed("open image", path, errno);
  const std::string identity = absl::StrCat(IdentityOf(image.lower.get(), "."), " ",
                                            IdentityOf(image.lower.get(), "usr/bin/python3"));
  CELLBLOCK_ASSIGN_OR_RETURN(image.digest, Sha256(identity));
  return image;
}

}  // namespace

absl::Status BuildHostRoot(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder + "/usr", error);
  for (const char* name : kMergedLinks) {
    const fs::path target = fs::read_symlink(fs::path("/") / name, error);
    if (error) continue;  // not merged, or not there
    fs::create_symlink(target, fs::path(folder) / name, error);
    if (error) return StepFailed("make link", name, error.value());
  }
  return CopyEtc(folder);
}

absl::StatusOr<std::string> HostImageDigest() {
  CELLBLOCK_ASSIGN_OR_RETURN(std::string material, ReadFile(kPackageDatabase));
  utsname system;
  if (uname(&system) == 0) material += system.machine;
  material += "layout 1";
  return Sha256(material);
}

absl::StatusOr<Image> OpenImage(const std::string& name, const Settings& settings,
                                const std::string& host_folder, const std::string& host_digest) {
  if (absl::StartsWith(name, kDirPrefix)) return OpenFolderImage(name, settings);
  if (name != "host")
    return Refused(name, "no such image; known: host, dir:/PATH, and the names of built images");
  if (!settings.host_image) return Refused(name, "the host image is switched off (host_image)");
  Image image;
  image.name = name;
  image.digest = host_digest;
  image.lower = UniqueFd(open(host_folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  image.usr = UniqueFd(open("/usr", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!image.lower.valid() || !image.usr.valid()) return StepFailed("open image", name, errno);
  return image;
}

}  // namespace cellblock::launcher

#include "sandbox/runtime/artifacts.h"

#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "sandbox/base/status.h"

namespace cellblock {
namespace {

constexpr int64_t kMaxEntries = 10000;
constexpr size_t kMaxReported = 1000;
constexpr int64_t kMaxDigestedFile = 64 << 20;
constexpr int64_t kMaxDigestedCell = 256 << 20;

// Raw SHA-256, "" if it is not a regular file, is larger than `limit` or cannot be read.
std::string DigestOf(InitClient& files, const std::string& path, int64_t limit) {
  const absl::StatusOr<UniqueFd> fd = files.OpenRead(path);
  struct stat status;
  if (!fd.ok() || fstat(fd->get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) return "";
  std::array<char, 65536> buffer;
  for (int64_t total = 0;;) {
    const ssize_t count = read(fd->get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return "";
    if (count == 0) break;
    total += count;
    if (total > limit) return "";  // it grows while it is read
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<size_t>(count));
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &size);
  return std::string(reinterpret_cast<const char*>(digest.data()), size);
}

}  // namespace

absl::StatusOr<FolderSnapshot> TakeSnapshot(InitClient& files) {
  CELLBLOCK_ASSIGN_OR_RETURN(FileListing listing, files.List("", true, kMaxEntries));
  FolderSnapshot snapshot;
  snapshot.truncated = listing.truncated;
  for (FileEntry& entry : listing.entries) {
    if (entry.type != EntryType::kRegular) continue;
    snapshot.files[std::move(entry.path)] = {entry.inode, entry.size,
                                             absl::ToUnixNanos(entry.modified), entry.ctime_ns};
  }
  return snapshot;
}

void CompareSnapshots(const FolderSnapshot& before, const FolderSnapshot& after, InitClient& files,
                      CellResult* result) {
  result->artifacts_truncated = before.truncated || after.truncated;
  int64_t budget = kMaxDigestedCell;
  for (const auto& [path, identity] : after.files) {
    const auto old = before.files.find(path);
    if (old != before.files.end() && old->second == identity) continue;
    if (result->artifacts.size() == kMaxReported) {
      result->artifacts_truncated = true;
      break;
    }
    Artifact artifact;
    artifact.path = path;
    artifact.size = std::get<1>(identity);
    artifact.created = old == before.files.end();
    if (artifact.size <= kMaxDigestedFile && artifact.size <= budget) {
      budget -= artifact.size;
      artifact.sha256 = DigestOf(files, path, artifact.size);
    }
    result->artifacts.push_back(std::move(artifact));
  }
  // A listing that was cut short does not tell what is gone.
  if (after.truncated) return;
  for (const auto& [path, identity] : before.files) {
    if (after.files.count(path) != 0) continue;
    if (result->removed_files.size() == kMaxReported) {
      result->artifacts_truncated = true;
      break;
    }
    result->removed_files.push_back(path);
  }
}

}  // namespace cellblock

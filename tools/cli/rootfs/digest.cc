#include "tools/cli/rootfs/digest.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "sandbox/base/status.h"
#include "sandbox/base/unique_fd.h"

namespace cellblock::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBlock = 1 << 18;

class Hasher {
 public:
  Hasher() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void Add(absl::string_view data) { EVP_DigestUpdate(context_.get(), data.data(), data.size()); }
  std::string Finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
    return absl::BytesToHexString(
        absl::string_view(reinterpret_cast<const char*>(digest.data()), size));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

// One entry's line; names are escaped, so that no name can pass for another line.
absl::StatusOr<std::string> Describe(const std::string& root, const std::string& path,
                                     const struct stat& status) {
  const std::string full = absl::StrCat(root, "/", path);
  std::string kind, content;
  int64_t size = 0;
  if (S_ISDIR(status.st_mode)) {
    kind = "d";
  } else if (S_ISLNK(status.st_mode)) {
    kind = "l";
    std::error_code error;
    content = absl::CEscape(fs::read_symlink(full, error).string());
    if (error) return ErrnoStatus("read link", full, error.value());
  } else if (S_ISREG(status.st_mode)) {
    kind = "f";
    size = status.st_size;
    CELLBLOCK_ASSIGN_OR_RETURN(content, FileSha256(full));
  } else {
    return absl::FailedPreconditionError(
        absl::StrCat(full, ": an image holds files, folders and links only"));
  }
  return absl::StrCat(absl::CEscape(path), " ", kind, " ", status.st_mode & 07777, " ",
                      status.st_uid, ":", status.st_gid, " ", size, " ", content, "\n");
}

absl::StatusOr<std::vector<std::string>> SortedPaths(const std::string& root) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::recursive_directory_iterator entry(root, error), end;
  if (error) return ErrnoStatus("read folder", root, error.value());
  for (; entry != end; entry.increment(error)) {
    paths.push_back(entry->path().string().substr(root.size() + 1));
  }
  if (error) return ErrnoStatus("read folder", root, error.value());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::string Sha256(absl::string_view data) {
  Hasher hasher;
  hasher.Add(data);
  return hasher.Finish();
}

absl::StatusOr<std::string> FileSha256(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid()) return ErrnoStatus("open", path, errno);
  posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  Hasher hasher;
  std::string block(kBlock, '\0');
  while (true) {
    const ssize_t count = read(file.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus("read", path, errno);
    if (count == 0) return hasher.Finish();
    hasher.Add(absl::string_view(block.data(), count));
  }
}

absl::StatusOr<TreeFacts> ExamineTree(const std::string& root) {
  CELLBLOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SortedPaths(root));
  TreeFacts facts;
  Hasher hasher;
  for (const std::string& path : paths) {
    struct stat status;
    const std::string full = absl::StrCat(root, "/", path);
    if (lstat(full.c_str(), &status) != 0) return ErrnoStatus("stat", full, errno);
    CELLBLOCK_ASSIGN_OR_RETURN(const std::string line, Describe(root, path, status));
    hasher.Add(line);
    ++facts.entries;
    if (S_ISREG(status.st_mode)) facts.bytes += status.st_size;
  }
  facts.digest = hasher.Finish();
  return facts;
}

}  // namespace cellblock::cli

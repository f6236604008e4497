#include "tools/cli/files/work_dir.h"

#include <sys/stat.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cellblock/v1/runtime.pb.h"
#include "sandbox/base/status.h"
#include "tools/cli/output/neutralize.h"

namespace cellblock::cli {
namespace {

struct Inside {
  Stamps stamps;
  std::map<std::string, uint32_t> modes;
  std::vector<std::string> left_out;
};

// Caches that Python makes by itself are nobody's result.
bool InLeftOutFolder(absl::string_view path) {
  const std::vector<absl::string_view> parts = absl::StrSplit(path, '/');
  return std::any_of(parts.begin(), parts.end() - 1, IsLeftOut);
}

absl::StatusOr<Inside> ListInside(SandboxClient* client, const std::string& session_id) {
  Inside inside;
  CELLBLOCK_RETURN_IF_ERROR(
      client->ListFiles(session_id, "", /*recursive=*/true, [&](const v1::FileInfo& file) {
        if (file.type() == v1::DIRECTORY || InLeftOutFolder(file.path())) return;
        if (file.type() != v1::REGULAR) {
          inside.left_out.push_back(OneLine(file.path()) + ": not a regular file");
          return;
        }
        inside.stamps[file.path()] = {
            file.size(), file.modified_at().seconds() * 1000000000 + file.modified_at().nanos()};
        inside.modes[file.path()] = file.mode();
      }));
  return inside;
}

absl::Status WithName(const std::string& name, const absl::Status& status) {
  if (status.ok()) return status;
  absl::Status named(status.code(), absl::StrCat(OneLine(name), ": ", status.message()));
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& data) { named.SetPayload(type, data); });
  return named;
}

}  // namespace

Changes Compare(const Stamps& before, const Stamps& after) {
  Changes changes;
  for (const auto& [path, stamp] : after) {
    const auto old = before.find(path);
    if (old == before.end() || !(old->second == stamp)) changes.written.push_back(path);
  }
  for (const auto& [path, stamp] : before) {
    if (after.count(path) == 0) changes.deleted.push_back(path);
  }
  return changes;
}

absl::StatusOr<WorkDir> WorkDir::Open(const std::string& folder) {
  CELLBLOCK_ASSIGN_OR_RETURN(LocalTree tree, LocalTree::Open(folder));
  CELLBLOCK_ASSIGN_OR_RETURN(LocalListing listing, tree.List());
  return WorkDir(std::move(tree), std::move(listing));
}

absl::Status WorkDir::Stage(SandboxClient* client, const std::string& session_id) {
  for (const LocalFile& file : listing_.files) {
    const absl::StatusOr<UniqueFd> fd = tree_.OpenFile(file.path);
    if (!fd.ok()) {
      // It was there a moment ago.
      listing_.left_out.push_back(absl::StrCat(OneLine(file.path), ": gone"));
      continue;
    }
    struct stat status;
    if (fstat(fd->get(), &status) != 0) return ErrnoStatus("stat", OneLine(file.path), errno);
    v1::FileInfo info;
    CELLBLOCK_RETURN_IF_ERROR(WithName(
        file.path,
        client->UploadFile(session_id, file.path, status.st_mode & 0777, fd->get(), &info)));
  }
  CELLBLOCK_ASSIGN_OR_RETURN(Inside inside, ListInside(client, session_id));
  staged_ = std::move(inside.stamps);
  return absl::OkStatus();
}

absl::StatusOr<BroughtBack> WorkDir::BringBack(SandboxClient* client, const std::string& session_id,
                                               Deleted deleted) {
  CELLBLOCK_ASSIGN_OR_RETURN(Inside inside, ListInside(client, session_id));
  Changes changes = Compare(staged_, inside.stamps);
  BroughtBack done;
  done.left_out = std::move(inside.left_out);
  for (const std::string& path : changes.written) {
    if (!IsSafeName(path)) {
      done.left_out.push_back(OneLine(path) + ": unsafe name");
      continue;
    }
    v1::FileInfo info;
    CELLBLOCK_RETURN_IF_ERROR(WithName(path, tree_.Replace(path, inside.modes[path], [&](int fd) {
      return client->DownloadFile(session_id, path, fd, &info);
    })));
    done.written.push_back(path);
  }
  for (const std::string& path : changes.deleted) {
    if (deleted == Deleted::kRemove) CELLBLOCK_RETURN_IF_ERROR(tree_.Remove(path));
    done.deleted.push_back(path);
  }
  return done;
}

}  // namespace cellblock::cli

#include "sandbox/launcher/session_disk.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "sandbox/launcher/failure.h"
#include "sandbox/launcher/mounts.h"

namespace cellblock::launcher {
namespace {

constexpr uint64_t kWritable = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr uint64_t kReadOnly = kWritable | MOUNT_ATTR_RDONLY;

// On the session's tmpfs.
constexpr char kUpper[] = "upper";
constexpr char kOverlayWork[] = "overlay-work";
constexpr char kWorkLayer[] = "work";  // the current layer of the work folder
constexpr char kHomeLayer[] = "home";
constexpr char kTmpLayer[] = "tmp";

// Real folders in the upper layer hide whatever the image has under these names, so that no link of
// an image is ever followed when mounts are attached.
constexpr const char* kFolders[] = {
    "proc",
    "dev",
    "tmp",
    "work",
    "home",
    "home/cell",
    "opt",
    "opt/cellblock",
    "opt/cellblock/worker",
    "opt/cellblock/cache",
    "etc",
    "mnt",
    "run",
    "var",
    "usr",
};
constexpr char kShown[] = "data";
constexpr mode_t kFolderMode = 0755;
constexpr mode_t kSharedMode = 01777;

struct EtcFile {
  const char* name;
  const char* text;
};
constexpr EtcFile kEtc[] = {
    {"passwd",
     "root:x:0:0:root:/root:/usr/sbin/nologin\ncell:x:1000:1000:cell:/home/cell:/bin/sh\n"
     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
    {"group", "root:x:0:\ncell:x:1000:\nnogroup:x:65534:\n"},
    {"hosts", "127.0.0.1 localhost cellblock\n::1 localhost\n"},
    {"hostname", "cellblock\n"},
    {"nsswitch.conf",
     "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n"},
    // No name server: a look-up ends at once.
    {"resolv.conf", ""},
};

absl::Status MakeFolder(int dir, const char* name, mode_t mode) {
  if (mkdirat(dir, name, mode) != 0) return StepFailed("make folder", name, errno);
  return fchmodat(dir, name, mode, 0) == 0 ? absl::OkStatus() : StepFailed("set mode", name, errno);
}

absl::Status GiveToCell(int dir, const char* name, const UidPair& uids) {
  return fchownat(dir, name, uids.cell, uids.cell, AT_SYMLINK_NOFOLLOW) == 0
             ? absl::OkStatus()
             : StepFailed("give to the session", name, errno);
}

absl::Status MakeFile(int dir, const EtcFile& file) {
  const UniqueFd fd(
      openat(dir, file.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd.valid()) return StepFailed("make file", file.name, errno);
  return AtStep("write generated file", WriteAll(fd.get(), file.text));
}

absl::Status MakeShownFolders(int upper, const std::vector<ShownFolder>& shown) {
  if (shown.empty()) return absl::OkStatus();
  CELLBLOCK_RETURN_IF_ERROR(MakeFolder(upper, kShown, kFolderMode));
  for (const ShownFolder& folder : shown) {
    CELLBLOCK_RETURN_IF_ERROR(
        MakeFolder(upper, absl::StrCat(kShown, "/", folder.name).c_str(), kFolderMode));
  }
  return absl::OkStatus();
}

absl::Status FillUpper(int disk, const std::vector<ShownFolder>& shown) {
  CELLBLOCK_RETURN_IF_ERROR(MakeFolder(disk, kUpper, kFolderMode));
  const UniqueFd upper(openat(disk, kUpper, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!upper.valid()) return StepFailed("open folder", kUpper, errno);
  for (const char* name : kFolders) {
    CELLBLOCK_RETURN_IF_ERROR(MakeFolder(upper.get(), name, kFolderMode));
  }
  CELLBLOCK_RETURN_IF_ERROR(MakeFolder(upper.get(), "var/tmp", kSharedMode));
  CELLBLOCK_RETURN_IF_ERROR(MakeShownFolders(upper.get(), shown));
  // Where models expect a user's files to be.
  if (symlinkat(kWorkDir, upper.get(), "mnt/data") != 0) {
    return StepFailed("make link", "mnt/data", errno);
  }
  const UniqueFd etc(openat(upper.get(), "etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!etc.valid()) return StepFailed("open folder", "etc", errno);
  for (const EtcFile& file : kEtc) CELLBLOCK_RETURN_IF_ERROR(MakeFile(etc.get(), file));
  return absl::OkStatus();
}

absl::Status FillDisk(int disk, const UidPair& uids, const std::vector<ShownFolder>& shown) {
  CELLBLOCK_RETURN_IF_ERROR(FillUpper(disk, shown));
  CELLBLOCK_RETURN_IF_ERROR(MakeFolder(disk, kOverlayWork, 0700));
  for (const char* name : {kWorkLayer, kHomeLayer}) {
    CELLBLOCK_RETURN_IF_ERROR(MakeFolder(disk, name, kFolderMode));
    CELLBLOCK_RETURN_IF_ERROR(GiveToCell(disk, name, uids));
  }
  return MakeFolder(disk, kTmpLayer, kSharedMode);
}

absl::Status AddMount(SessionDisk& session, int dir, const std::string& path, uint64_t attributes,
                      std::string target) {
  CELLBLOCK_ASSIGN_OR_RETURN(UniqueFd mount, CloneMount(dir, path, attributes));
  session.mounts.push_back({std::move(mount), std::move(target)});
  return absl::OkStatus();
}

absl::Status AddImageMounts(SessionDisk& session, const Image& image, const Stage& stage) {
  if (!image.usr.valid()) return absl::OkStatus();
  CELLBLOCK_RETURN_IF_ERROR(AddMount(session, image.usr.get(), "", kReadOnly, "usr"));
  struct stat status;
  if (fstatat(image.usr.get(), "local", &status, AT_SYMLINK_NOFOLLOW) != 0) return absl::OkStatus();
  return AddMount(session, AT_FDCWD, stage.empty, kReadOnly | MOUNT_ATTR_NOEXEC, "usr/local");
}

absl::Status AddOwnMounts(SessionDisk& session, const DiskSpec& spec, const Stage& stage,
                          const std::string& disk) {
  const uint64_t writable = kWritable | (spec.executable ? 0 : MOUNT_ATTR_NOEXEC);
  CELLBLOCK_RETURN_IF_ERROR(AddMount(session, AT_FDCWD, stage.dev,
                                     MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
                                     "dev"));
  for (const auto& [layer, target] : {std::pair<const char*, const char*>{kWorkLayer, "work"},
                                      {kHomeLayer, "home/cell"},
                                      {kTmpLayer, "tmp"}}) {
    CELLBLOCK_RETURN_IF_ERROR(
        AddMount(session, AT_FDCWD, absl::StrCat(disk, "/", layer), writable, target));
  }
  CELLBLOCK_RETURN_IF_ERROR(
      AddMount(session, AT_FDCWD, spec.worker_dir, kReadOnly, "opt/cellblock/worker"));
  for (const ShownFolder& shown : spec.shown) {
    CELLBLOCK_RETURN_IF_ERROR(AddMount(session, shown.folder.get(), "",
                                       kReadOnly | MOUNT_ATTR_NOEXEC,
                                       absl::StrCat(kShown, "/", shown.name)));
  }
  if (spec.cache_dir.empty()) return absl::OkStatus();
  return AddMount(session, AT_FDCWD, spec.cache_dir, kReadOnly | MOUNT_ATTR_NOEXEC,
                  "opt/cellblock/cache");
}

// Relative option paths, resolved in the current folder: none of the host shows in mountinfo.
absl::StatusOr<UniqueFd> MakeOverlay() {
  return NewMount("overlay",
                  {{"source", "cellblock"},
                   {"lowerdir", "lower"},
                   {"upperdir", absl::StrCat("disk/", kUpper)},
                   {"workdir", absl::StrCat("disk/", kOverlayWork)}},
                  kWritable);
}

}  // namespace

absl::StatusOr<SessionDisk> MakeSessionDisk(const Image& image, const DiskSpec& spec,
                                            const Stage& stage, const UidPair& uids) {
  const std::string disk_path = absl::StrCat(stage.build, "/disk");
  const std::string lower_path = absl::StrCat(stage.build, "/lower");
  mkdir(disk_path.c_str(), kFolderMode);
  mkdir(lower_path.c_str(), kFolderMode);
  CELLBLOCK_ASSIGN_OR_RETURN(const UniqueFd tmpfs,
                             NewMount("tmpfs",
                                      {{"mode", "0755"},
                                       {"size", absl::StrCat(spec.bytes)},
                                       {"nr_inodes", absl::StrCat(spec.inodes)}},
                                      kWritable));
  // Layers must be attached while the overlay is made (before Linux 6.15), and only then.
  CELLBLOCK_RETURN_IF_ERROR(Attach(tmpfs.get(), disk_path));
  const auto detach_disk = absl::MakeCleanup([&] { Detach(disk_path).IgnoreError(); });
  CELLBLOCK_ASSIGN_OR_RETURN(const UniqueFd lower, CloneMount(image.lower.get(), "", kReadOnly));
  CELLBLOCK_RETURN_IF_ERROR(Attach(lower.get(), lower_path));
  const auto detach_lower = absl::MakeCleanup([&] { Detach(lower_path).IgnoreError(); });
  CELLBLOCK_RETURN_IF_ERROR(FillDisk(tmpfs.get(), uids, spec.shown));

  SessionDisk session;
  if (chdir(stage.build.c_str()) != 0) return StepFailed("enter stage", stage.build, errno);
  const auto leave = absl::MakeCleanup([] {
    if (chdir("/") != 0) _exit(1);
  });
  CELLBLOCK_ASSIGN_OR_RETURN(session.root, MakeOverlay());
  CELLBLOCK_RETURN_IF_ERROR(AddImageMounts(session, image, stage));
  CELLBLOCK_RETURN_IF_ERROR(AddOwnMounts(session, spec, stage, disk_path));
  return session;
}

}  // namespace cellblock::launcher

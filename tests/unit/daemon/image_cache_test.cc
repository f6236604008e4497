// The prepared font list: made whole or not at all, and only of names that cannot leave its folder.
#include "daemon/startup/image_cache.h"

#include <sys/stat.h>

#include <filesystem>
#include <iterator>

#include "sandbox/base/io.h"
#include "sandbox/base/status.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/scripted_runner.h"

namespace cellblock {
namespace {

namespace fs = std::filesystem;

struct Rig {
  Rig() {
    char folder[] = "/tmp/cellblock-cache-XXXXXX";
    state_dir = mkdtemp(folder);
  }
  ~Rig() { fs::remove_all(state_dir); }
  // Puts files where the preparing cell would.
  void Put(const std::string& name, const std::string& content) {
    const auto upload = runner->StartUpload("prepared/" + name, 0644);
    REQUIRE(upload.ok());
    REQUIRE(WriteAll((*upload)->pipe(), content).ok());
    REQUIRE((*upload)->Finish().ok());
  }
  std::shared_ptr<Record> record = std::make_shared<Record>();
  std::unique_ptr<CellRunner> runner = MakeScriptedRunner(record);
  std::string state_dir;
};

TEST_CASE("font lists are taken, readable by all; anything else is left behind") {
  Rig rig;
  const absl::Status status =
      PrepareImageCache(rig.state_dir, rig.runner.get(), [&](absl::string_view) {
        rig.Put("fontlist-v330.json", "{}");
        rig.Put("other.json", "{}");
        rig.Put("fontlist-bad name.json", "{}");
        return absl::OkStatus();
      });
  REQUIRE(status.ok());
  CHECK(HasImageCache(rig.state_dir, "ab12"));
  const std::string folder = rig.state_dir + "/cache/ab12/matplotlib";
  CHECK(*ReadFile(folder + "/fontlist-v330.json") == "{}");
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 1);
  struct stat file;
  REQUIRE(stat((folder + "/fontlist-v330.json").c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0644);
  CHECK(std::distance(fs::directory_iterator(rig.state_dir + "/cache"), fs::directory_iterator()) ==
        1);
}

TEST_CASE("a cell that failed leaves no cache") {
  Rig rig;
  const absl::Status status = PrepareImageCache(
      rig.state_dir, rig.runner.get(), [](absl::string_view) { return absl::InternalError("no"); });
  CHECK_FALSE(status.ok());
  CHECK_FALSE(HasImageCache(rig.state_dir, "ab12"));
}

TEST_CASE("what the cell leaves is no folder: no cache, and nothing half made") {
  Rig rig;
  const absl::Status status = PrepareImageCache(rig.state_dir, rig.runner.get(),
                                                [](absl::string_view) { return absl::OkStatus(); });
  CHECK_FALSE(status.ok());
  CHECK_FALSE(HasImageCache(rig.state_dir, "ab12"));
}

TEST_CASE("a digest that is none is refused") {
  CHECK_FALSE(HasImageCache("/tmp", ".."));
  CHECK_FALSE(HasImageCache("/tmp", ""));
}

}  // namespace
}  // namespace cellblock

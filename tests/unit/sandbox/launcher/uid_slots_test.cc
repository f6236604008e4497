#include "sandbox/launcher/uid_slots.h"

#include <set>

#include "tests/support/catch.h"
#include "tests/support/temp_dir.h"

namespace cellblock::launcher {
namespace {

constexpr uint32_t kBase = 100000;

TEST_CASE("uids are pairs above the daemon's own slot, and never given twice") {
  const TempDir dir;
  absl::StatusOr<UidSlots> slots = UidSlots::Open(dir.path() + "/lock", kBase, 8);
  REQUIRE(slots.ok());
  std::set<uint32_t> uids;
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<UidPair> pair = slots->Take();
    REQUIRE(pair.ok());
    CHECK(pair->inner_root >= kBase + 2);
    CHECK(pair->cell < kBase + 8);
    uids.insert({pair->inner_root, pair->cell});
  }
  CHECK(uids.size() == 6);
  CHECK(slots->Take().status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("a released slot is free again") {
  const TempDir dir;
  absl::StatusOr<UidSlots> slots = UidSlots::Open(dir.path() + "/lock", kBase, 4);
  REQUIRE(slots.ok());
  const absl::StatusOr<UidPair> first = slots->Take();
  REQUIRE(first.ok());
  CHECK_FALSE(slots->Take().ok());
  slots->Release(*first);
  CHECK(slots->Take().ok());
}

TEST_CASE("two launchers share one range") {
  const TempDir dir;
  absl::StatusOr<UidSlots> one = UidSlots::Open(dir.path() + "/lock", kBase, 6);
  absl::StatusOr<UidSlots> other = UidSlots::Open(dir.path() + "/lock", kBase, 6);
  REQUIRE(one.ok());
  REQUIRE(other.ok());
  const absl::StatusOr<UidPair> first = one->Take();
  const absl::StatusOr<UidPair> second = other->Take();
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK(first->slot != second->slot);
  CHECK_FALSE(one->Take().ok());
}

}  // namespace
}  // namespace cellblock::launcher

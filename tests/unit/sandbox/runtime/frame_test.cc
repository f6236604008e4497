// The codec, and the golden frames that the Python side checks too.
#include "sandbox/runtime/frame.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "absl/strings/numbers.h"
#include "internal/worker.pb.h"
#include "sandbox/base/io.h"
#include "tests/support/catch.h"

namespace cellblock {
namespace {

TEST_CASE("a header survives the wire") {
  const FrameHeader header{FrameType::kDone, kFlagMore, 0x01020304, 0x1122334455667788};
  const std::string bytes = EncodeFrameHeader(header);
  CHECK(bytes ==
        std::string("\x16\x00\x01\x00\x04\x03\x02\x01\x88\x77\x66\x55\x44\x33\x22\x11", 16));
  const auto decoded = DecodeFrameHeader(bytes + "payload");
  REQUIRE(decoded.has_value());
  CHECK(decoded->type == header.type);
  CHECK(decoded->flags == header.flags);
  CHECK(decoded->incarnation == header.incarnation);
  CHECK(decoded->cell == header.cell);
}

TEST_CASE("datagrams that are no frames") {
  const std::string good = EncodeFrameHeader({FrameType::kReady});
  for (size_t size = 0; size < kFrameHeaderSize; ++size) {
    CHECK_FALSE(DecodeFrameHeader(good.substr(0, size)).has_value());
  }
  CHECK(DecodeFrameHeader(good + std::string(kMaxFramePayload, 'x')).has_value());
  CHECK_FALSE(DecodeFrameHeader(good + std::string(kMaxFramePayload + 1, 'x')).has_value());
  for (int type = 0; type < 65536; ++type) {
    std::string bytes = good;
    bytes[0] = static_cast<char>(type & 0xff);
    bytes[1] = static_cast<char>(type >> 8);
    const bool known = (type >= 1 && type <= 3) || type == 16 || (type >= 18 && type <= 22);
    if (DecodeFrameHeader(bytes).has_value() != known) FAIL("type " << type);
  }
  for (int flags = 2; flags < 65536; ++flags) {
    std::string bytes = good;
    bytes[2] = static_cast<char>(flags & 0xff);
    bytes[3] = static_cast<char>(flags >> 8);
    if (DecodeFrameHeader(bytes).has_value()) FAIL("flags " << flags);
  }
}

TEST_CASE("random bytes never break the decoder") {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 64, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    const auto header = DecodeFrameHeader(bytes);
    if (header.has_value() && EncodeFrameHeader(*header) != bytes.substr(0, kFrameHeaderSize)) {
      FAIL("not what was sent");
    }
  }
}

std::unique_ptr<google::protobuf::Message> NewMessage(const std::string& name) {
  const auto* descriptor =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
          "cellblock.internal." + name);
  if (descriptor == nullptr) return nullptr;
  return std::unique_ptr<google::protobuf::Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
}

void CheckPayload(const google::protobuf::Struct& expected, const std::string& payload) {
  const std::string& name = expected.fields().at("message").string_value();
  if (name.empty()) return;  // a part of a message
  const auto message = NewMessage(name);
  REQUIRE(message != nullptr);
  REQUIRE(message->ParseFromString(payload));
  const auto wanted = NewMessage(name);
  const auto found = expected.fields().find("payload");
  if (found != expected.fields().end()) {
    std::string json;
    REQUIRE(google::protobuf::util::MessageToJsonString(found->second, &json).ok());
    REQUIRE(google::protobuf::util::JsonStringToMessage(json, wanted.get()).ok());
  }
  CHECK(google::protobuf::util::MessageDifferencer::Equals(*message, *wanted));
}

TEST_CASE("golden frames") {
  internal::RunCell::descriptor();  // links the messages
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CELLBLOCK_TEST_DATA "/frames")) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    CAPTURE(entry.path().string());
    google::protobuf::Struct expected;
    const auto json = ReadFile(entry.path().string());
    REQUIRE(json.ok());
    REQUIRE(google::protobuf::util::JsonStringToMessage(*json, &expected).ok());
    const auto datagram =
        ReadFile(std::filesystem::path(entry.path()).replace_extension(".bin").string());
    REQUIRE(datagram.ok());
    const auto header = DecodeFrameHeader(*datagram);
    REQUIRE(header.has_value());
    const auto& fields = expected.fields().at("header").struct_value().fields();
    CHECK(static_cast<double>(header->type) == fields.at("type").number_value());
    CHECK(header->flags == fields.at("flags").number_value());
    CHECK(header->incarnation == fields.at("incarnation").number_value());
    uint64_t cell = 0;
    REQUIRE(absl::SimpleAtoi(fields.at("cell").string_value(), &cell));
    CHECK(header->cell == cell);
    CheckPayload(expected, datagram->substr(kFrameHeaderSize));
  }
  CHECK(count >= 10);
}

}  // namespace
}  // namespace cellblock

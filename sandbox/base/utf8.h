// Whether bytes are text.
#ifndef CELLBLOCK_SANDBOX_BASE_UTF8_H_
#define CELLBLOCK_SANDBOX_BASE_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace cellblock {

// How many bytes from the start are valid UTF-8: no overlong forms, no surrogates.
size_t ValidUtf8Prefix(absl::string_view text);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_BASE_UTF8_H_

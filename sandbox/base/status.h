// Errors that name the operation, the object and the kernel's answer, and the two macros that pass
// them on (the packaged Abseil has none).
#ifndef CELLBLOCK_SANDBOX_BASE_STATUS_H_
#define CELLBLOCK_SANDBOX_BASE_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cellblock {

// "open /x/y: No such file or directory", with the code that fits the errno.
absl::Status ErrnoStatus(absl::string_view operation, absl::string_view object, int error);

}  // namespace cellblock

#define CELLBLOCK_RETURN_IF_ERROR(expression)                               \
  do {                                                                      \
    if (absl::Status status_ = (expression); !status_.ok()) return status_; \
  } while (0)

#define CELLBLOCK_CONCAT_INNER(a, b) a##b
#define CELLBLOCK_CONCAT(a, b) CELLBLOCK_CONCAT_INNER(a, b)
#define CELLBLOCK_ASSIGN_OR_RETURN(declaration, expression) \
  CELLBLOCK_ASSIGN_OR_RETURN_IMPL(CELLBLOCK_CONCAT(status_or_, __LINE__), declaration, expression)
#define CELLBLOCK_ASSIGN_OR_RETURN_IMPL(temporary, declaration, expression) \
  auto temporary = (expression);                                            \
  if (!temporary.ok()) return std::move(temporary).status();                \
  declaration = *std::move(temporary)

#endif  // CELLBLOCK_SANDBOX_BASE_STATUS_H_

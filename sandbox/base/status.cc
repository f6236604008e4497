#include "sandbox/base/status.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace cellblock {
namespace {

absl::StatusCode CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ESRCH:
      return absl::StatusCode::kNotFound;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case EXDEV:
      return absl::StatusCode::kPermissionDenied;
    case EINVAL:
    case ENAMETOOLONG:
      return absl::StatusCode::kInvalidArgument;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EFBIG:
      return absl::StatusCode::kResourceExhausted;
    case EAGAIN:
    case EPIPE:
    case ECONNRESET:
    case ECONNREFUSED:
    case ENOTCONN:
      return absl::StatusCode::kUnavailable;
    case ENOSYS:
    case EOPNOTSUPP:
      return absl::StatusCode::kUnimplemented;
    case EISDIR:
    case ENOTEMPTY:
    case ENXIO:
    case EBUSY:
    case ETXTBSY:
      return absl::StatusCode::kFailedPrecondition;
    case ETIMEDOUT:
      return absl::StatusCode::kDeadlineExceeded;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status ErrnoStatus(absl::string_view operation, absl::string_view object, int error) {
  return absl::Status(CodeOf(error), absl::StrCat(operation, object.empty() ? "" : " ", object,
                                                  ": ", strerror(error)));
}

}  // namespace cellblock

// Uploads: a pipe's bytes become a file, under a temporary name until the daemon commits. init
// writes, so that the session's quota and memory group pay for the pages.
#ifndef CELLBLOCK_SANDBOX_CHILD_INIT_UPLOAD_H_
#define CELLBLOCK_SANDBOX_CHILD_INIT_UPLOAD_H_

#include <stdint.h>

#include "sandbox/child/init_protocol.h"

namespace cellblock::init {

struct UploadSlot {
  uint32_t tag = 0;  // 0 = free
  int pipe = -1;     // -1 once it has ended
  int folder = -1;
  int file = -1;
  uint32_t mode = 0;
  int64_t written = 0;
  bool committed = false;
  int64_t promised = 0;  // what the commit said; -1 = until the pipe's end
  char temporary[64];
  char name[256];
};

// Takes `pipe` over. errno, 0 = the slot is in use.
int BeginUpload(int root, const Request& request, int pipe, UploadSlot* slot);

// Copies what the pipe holds now. errno, 0 = well (the slot's pipe is -1 at its end).
int ContinueUpload(UploadSlot* slot);

// Renames if the pipe has ended and the commit's size is right. errno (EPROTO: another size).
int FinishUpload(UploadSlot* slot);

// Closes what is open and removes the temporary file if it is still there.
void DropUpload(UploadSlot* slot);

}  // namespace cellblock::init

#endif  // CELLBLOCK_SANDBOX_CHILD_INIT_UPLOAD_H_

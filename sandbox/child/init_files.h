// What init does with files on the daemon's order: list and remove. Both are bounded in depth and
// use no heap; links are never followed.
#ifndef CELLBLOCK_SANDBOX_CHILD_INIT_FILES_H_
#define CELLBLOCK_SANDBOX_CHILD_INIT_FILES_H_

#include <stdint.h>

#include "sandbox/child/init_protocol.h"

namespace cellblock::init {

// Sends a datagram to the daemon, with a descriptor if it is not -1. Ends init if the daemon is
// gone.
void Send(const Message& message, int fd = -1);
// The same without waiting for room: false if there is none.
bool TrySend(const Message& message);

// Sends the entries; fills in `reply` (error, value).
void ListFolder(int root, const Request& request, Message* reply);

// errno, 0 = well.
int RemovePath(int root, const char* path, bool recursive);

}  // namespace cellblock::init

#endif  // CELLBLOCK_SANDBOX_CHILD_INIT_FILES_H_

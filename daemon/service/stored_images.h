// The images of the store, as their manifests describe them.
#ifndef CELLBLOCK_DAEMON_SERVICE_STORED_IMAGES_H_
#define CELLBLOCK_DAEMON_SERVICE_STORED_IMAGES_H_

#include <string>

namespace cellblock::v1 {
class ServerInfo;
}

namespace cellblock {

// Adds those with a sound manifest, in the order of names; images come and go while a daemon
// serves, so the store is read at every call. The launcher decides whether one can be used.
// Thread-safe.
void ListStoredImages(const std::string& store, v1::ServerInfo* info);

}  // namespace cellblock

#endif  // CELLBLOCK_DAEMON_SERVICE_STORED_IMAGES_H_

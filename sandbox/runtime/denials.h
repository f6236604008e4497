// Refusals as data: what a model can read, and repair. The evidence is the exception that ended the
// cell, which is the worker's claim about its own session.
#ifndef CELLBLOCK_SANDBOX_RUNTIME_DENIALS_H_
#define CELLBLOCK_SANDBOX_RUNTIME_DENIALS_H_

#include <vector>

#include "sandbox/runtime/cell.h"
#include "sandbox/spec/limits.h"

namespace cellblock {

// Empty where the exception speaks of no refusal. `limits` are the session's.
std::vector<Denial> DenialsOf(const CellError& error, const Limits& limits);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_RUNTIME_DENIALS_H_

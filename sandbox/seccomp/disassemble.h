// A compiled filter as text, one instruction a line, for people.
#ifndef CELLBLOCK_SANDBOX_SECCOMP_DISASSEMBLE_H_
#define CELLBLOCK_SANDBOX_SECCOMP_DISASSEMBLE_H_

#include <string>

#include "sandbox/seccomp/program.h"

namespace cellblock {

// "   12  if == write go to 14 else 13": jumps name the line that they lead to, and
// numbers that are compared with the call's own are shown as its name.
std::string Disassemble(const SeccompProgram& program);

}  // namespace cellblock

#endif  // CELLBLOCK_SANDBOX_SECCOMP_DISASSEMBLE_H_

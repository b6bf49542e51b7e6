// Ctrl-C and SIGTERM: the work under way ends at its next step, its results so far are shown, and no half
// file stays. Work that does not get to its next step within two seconds is ended all the same.
#ifndef PBDR_CLI_INTERRUPT_H
#define PBDR_CLI_INTERRUPT_H

#include <stdbool.h>

// From now on. command is what the message of a forced end names; the caller keeps it.
void catchInterrupts(const char* command);
bool isInterrupted(void);

// While on, an interrupt ends the process at once: for work that cannot be told to stop.
void setInterruptsAtOnce(bool on);

#endif

// Text that came from outside (files, plug-ins, names of files), made fit for a terminal.
#ifndef PBDR_BENCH_TEXT_H
#define PBDR_BENCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// Replaces by '?' what a terminal would act upon, not print: control characters (but line ends and tabs) and
// bytes that are no UTF-8. In place.
void benchMakePrintable(char* text);

// Prints a message on stderr, made printable. What programs tell their users goes through here, so that a
// file that is quoted in a message cannot drive the terminal.
void benchPrintMessage(const char* format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 1, 2)))
#endif
    ;

#endif

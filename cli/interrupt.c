// Signal handlers. They call nothing that a handler may not: kill, unlink, write, alarm and _exit.
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include "command.h"
#include "output.h"

#include "isolate.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE 2 // [s]

static volatile sig_atomic_t interrupted, atOnce;
static const char* commandName;

static void say(const char* text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; // there is nobody left to tell
}

static void endNow(int signal)
{
    (void)signal;
    benchEndIsolated();
    removeTemporaries();
    say("\npbdr ");
    say(commandName);
    say(": interrupted\n");
    _exit(EXIT_INTERRUPTED);
}

static void onInterrupt(int signal)
{
    interrupted = 1;
    if (atOnce != 0) {
        endNow(signal);
    }
    alarm(PATIENCE);
}

void catchInterrupts(const char* command)
{
    commandName = command;
    struct sigaction action = {.sa_handler = onInterrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = endNow;
    sigaction(SIGALRM, &action, NULL);
}

bool isInterrupted(void)
{
    return interrupted != 0;
}

void setInterruptsAtOnce(bool on)
{
    atOnce = on;
}

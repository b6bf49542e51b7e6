// fork, a pipe, and waiting for both.
#define _POSIX_C_SOURCE 200809L
#include "isolate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// All bytes, however often the call is interrupted. False at a premature end.
static bool transfer(int file, char* bytes, size_t size, bool sending)
{
    size_t done = 0;
    while (done < size) {
        ssize_t count =
            sending ? write(file, bytes + done, size - done) : read(file, bytes + done, size - done);
        if (count > 0) {
            done += (size_t)count;
        } else if (count == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

static void describeEnd(int status, char* why, size_t whySize)
{
    if (WIFSIGNALED(status)) {
        snprintf(why, whySize, "crashed (signal %d: %s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        snprintf(why, whySize, "ended its process (exit code %d)", WEXITSTATUS(status));
    }
}

bool benchIsolate(void (*work)(void* context, void* result), void* context, void* result, size_t size,
                  char* why, size_t whySize)
{
    int ends[2];
    if (pipe(ends) != 0) {
        snprintf(why, whySize, "no pipe: %s", strerror(errno));
        return false;
    }
    fflush(NULL); // or the child would write what is still in the buffers a second time
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        work(context, result);
        fflush(NULL);
        _exit(transfer(ends[1], result, size, true) ? 0 : 3);
    }
    close(ends[1]);
    bool whole = child > 0 && transfer(ends[0], result, size, false);
    close(ends[0]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child < 0) {
        snprintf(why, whySize, "no process: %s", strerror(errno));
    } else if (!whole) {
        describeEnd(status, why, whySize);
    }
    return whole;
}

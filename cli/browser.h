// A headless Chromium, driven through its DevTools pipe: no port, no library.
#ifndef PBDR_CLI_BROWSER_H
#define PBDR_CLI_BROWSER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct Browser {
    pid_t process; // 0: none
    int to, from;  // pipes
    int lastId;
    char session[80];
    char profile[4096]; // its folder, removed at the end
    char* reply;        // the last message, with its length and room
    size_t length, room;
    char held[65536]; // read from the pipe and not yet looked at: from heldAt on, to heldEnd
    size_t heldAt, heldEnd;
} Browser;

// Where files that nobody keeps go: TMPDIR, or /tmp.
const char* getScratchFolder(void);

// Each says on stderr what failed, unless the command was interrupted. PBDR_CHROMIUM names another program than chromium, google-chrome, ...
bool startBrowser(Browser* browser, int width, int height);
// Opens a page.
bool openPage(Browser* browser, const char* url);
// Evaluates a JavaScript expression, waiting for a promise; it must come to true. what: for the message.
bool evaluate(Browser* browser, const char* expression, const char* what, double seconds);
// The page as a PNG or JPEG: bytes to be freed, NULL on failure.
unsigned char* takePicture(Browser* browser, bool jpeg, size_t* size);
void stopBrowser(Browser* browser);

#endif

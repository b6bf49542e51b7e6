// A headless Chromium through --remote-debugging-pipe: it reads messages of JSON from its file 3 and writes them to its
// file 4, each with a zero byte at its end (Chrome DevTools Protocol). Replies are looked at by their few known keys.
#define _GNU_SOURCE
#include "browser.h"

#include "interrupt.h"

#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_SECONDS 60.0
#define PICTURE_SECONDS 60.0
#define MAX_MESSAGE 65536

// Once the command is interrupted, that the browser fails is no news.
static bool fail(const char* what)
{
    if (isInterrupted()) {
        return false;
    }
    benchPrintMessage("pbdr view: the browser %s\n", what);
    return false;
}

// --- Messages ---

static bool writeAll(int file, const char* bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(file, bytes, size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}

// More bytes into `held`, which is empty.
static bool readMore(Browser* browser, double seconds)
{
    struct pollfd wait = {.fd = browser->from, .events = POLLIN};
    ssize_t count = -1;
    if (poll(&wait, 1, (int)(1000.0 * seconds)) > 0) {
        count = read(browser->from, browser->held, sizeof browser->held);
    }
    browser->heldAt = 0;
    browser->heldEnd = count > 0 ? (size_t)count : 0;
    return count > 0;
}

// The next message; false where none comes in time, or the browser has ended.
static bool readMessage(Browser* browser, double seconds)
{
    browser->length = 0;
    for (;;) {
        if (browser->heldAt == browser->heldEnd && !readMore(browser, seconds)) {
            return false;
        }
        const char* from = browser->held + browser->heldAt;
        const size_t left = browser->heldEnd - browser->heldAt;
        const char* end = memchr(from, 0, left);
        const size_t count = end != NULL ? (size_t)(end - from) + 1 : left;
        if (browser->length + count > browser->room) {
            const size_t room = 2 * (browser->length + count);
            char* larger = realloc(browser->reply, room);
            if (larger == NULL) {
                return false;
            }
            browser->reply = larger;
            browser->room = room;
        }
        memcpy(browser->reply + browser->length, from, count);
        browser->length += count;
        browser->heldAt += count;
        if (end != NULL) {
            return true;
        }
    }
}

// Sends a command and waits for its reply, which `reply` then holds. format: the parameters, an object.
static bool call(Browser* browser, double seconds, const char* method, const char* format, ...)
{
    char parameters[MAX_MESSAGE / 2], message[MAX_MESSAGE], wanted[32];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parameters, sizeof parameters, format, arguments);
    va_end(arguments);
    const int id = ++browser->lastId;
    int length = snprintf(message, sizeof message, "{\"id\":%d,\"method\":\"%s\",%s%s%s\"params\":%s}", id,
                          method, browser->session[0] != 0 ? "\"sessionId\":\"" : "", browser->session,
                          browser->session[0] != 0 ? "\"," : "", parameters);
    snprintf(wanted, sizeof wanted, "{\"id\":%d,", id);
    if (length < 0 || (size_t)length >= sizeof message ||
        !writeAll(browser->to, message, (size_t)length + 1)) {
        return false;
    }
    while (readMessage(browser, seconds)) {
        if (strncmp(browser->reply, wanted, strlen(wanted)) == 0) {
            return strncmp(browser->reply + strlen(wanted), "\"error\"", 7) != 0;
        }
    }
    return false;
}

// The text that follows "key":" in the reply, in `value`.
static bool findText(const Browser* browser, const char* key, char* value, size_t size)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\":\"", key);
    const char* found = strstr(browser->reply, wanted);
    const char* end = found != NULL ? strchr(found + strlen(wanted), '"') : NULL;
    if (end == NULL || (size_t)(end - found) - strlen(wanted) >= size) {
        return false;
    }
    found += strlen(wanted);
    snprintf(value, size, "%.*s", (int)(end - found), found);
    return true;
}

// --- Start and end ---

const char* getScratchFolder(void)
{
    const char* chosen = getenv("TMPDIR");
    return chosen != NULL && chosen[0] != 0 ? chosen : "/tmp";
}

static const char* findProgram(void)
{
    static const char* const names[] = {"chromium", "chromium-browser", "google-chrome",
                                        "google-chrome-stable", "chrome"};
    static char path[4096];
    const char* chosen = getenv("PBDR_CHROMIUM");
    if (chosen != NULL && chosen[0] != 0) {
        return chosen;
    }
    const char* folders = getenv("PATH");
    for (size_t k = 0; folders != NULL && k < sizeof names / sizeof names[0]; k++) {
        for (const char* at = folders; *at != 0;) {
            size_t length = strcspn(at, ":");
            snprintf(path, sizeof path, "%.*s/%s", (int)length, at, names[k]);
            if (access(path, X_OK) == 0) {
                return path;
            }
            at += length + (at[length] == ':');
        }
    }
    return NULL;
}

static void runProgram(const char* program, const Browser* browser, int in, int out, int width, int height)
{
    char size[48], profile[sizeof browser->profile + 32];
    snprintf(size, sizeof size, "--window-size=%d,%d", width, height);
    snprintf(profile, sizeof profile, "--user-data-dir=%s", browser->profile);
    setpgid(0, 0); // so that it and its helpers can be ended together
    const int quiet = open("/dev/null", O_RDWR);
    const int high[2] = {fcntl(in, F_DUPFD, 10), fcntl(out, F_DUPFD, 10)}; // out of the way of 3 and 4
    dup2(quiet, 0);
    dup2(quiet, 1);
    dup2(quiet, 2);
    dup2(high[0], 3);
    dup2(high[1], 4);
    // Without the background-networking switches it looks for hosts that a closed network refuses. Software rendering: the
    // same pixels on every machine.
    execl(program, program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-quic",
          "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
          "--disable-extensions", "--hide-scrollbars", "--mute-audio", "--force-device-scale-factor=1",
          "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--allow-file-access-from-files", size,
          profile, "about:blank", (char*)NULL);
    _exit(127);
}

static bool attach(Browser* browser)
{
    char target[80];
    if (!call(browser, START_SECONDS, "Target.createTarget", "{\"url\":\"about:blank\"}") ||
        !findText(browser, "targetId", target, sizeof target) ||
        !call(browser, START_SECONDS, "Target.attachToTarget", "{\"targetId\":\"%s\",\"flatten\":true}",
              target)) {
        return false;
    }
    char session[80];
    bool good = findText(browser, "sessionId", session, sizeof session);
    if (good) {
        memcpy(browser->session, session, sizeof session);
    }
    return good && call(browser, START_SECONDS, "Page.enable", "{}");
}

bool startBrowser(Browser* browser, int width, int height)
{
    *browser = (Browser){.to = -1, .from = -1};
    const char* program = findProgram();
    if (program == NULL) {
        benchPrintMessage(
            "pbdr view: pictures are taken by Chromium, which is not here: type `apt-get install "
            "chromium`, or set PBDR_CHROMIUM to its path\n");
        return false;
    }
    int down[2], up[2];
    const int length =
        snprintf(browser->profile, sizeof browser->profile, "%s/pbdr-view.XXXXXX", getScratchFolder());
    if (length >= (int)sizeof browser->profile || mkdtemp(browser->profile) == NULL) {
        browser->profile[0] = 0;
        return fail("has no folder: TMPDIR (or /tmp) cannot be written");
    }
    if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0) {
        return fail("has no pipe");
    }
    signal(SIGPIPE, SIG_IGN);
    browser->process = fork();
    if (browser->process == 0) {
        runProgram(program, browser, down[0], up[1], width, height);
    }
    close(down[0]);
    close(up[1]);
    browser->to = down[1];
    browser->from = up[0];
    if (browser->process < 0 || !attach(browser) ||
        !call(browser, START_SECONDS, "Emulation.setDeviceMetricsOverride",
              "{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false}", width, height)) {
        browser->process = browser->process > 0 ? browser->process : 0;
        return fail("did not start, or does not answer");
    }
    return true;
}

// A folder of a few levels that the browser filled.
static void removeFolder(const char* path, int depth)
{
    DIR* folder = depth > 0 ? opendir(path) : NULL;
    const struct dirent* entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char inner[4096];
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= (int)sizeof inner) {
            continue;
        }
        if (lstat(inner, &info) == 0 && S_ISDIR(info.st_mode)) {
            removeFolder(inner, depth - 1);
        } else {
            unlink(inner);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    rmdir(path);
}

void stopBrowser(Browser* browser)
{
    if (browser->process > 0) {
        browser->session[0] = 0;
        const bool asked = !isInterrupted() && call(browser, 5.0, "Browser.close", "{}");
        const int patience = asked ? 40 : 0; // tenths of a second
        for (int k = 0; k < patience + 10 && waitpid(browser->process, NULL, WNOHANG) == 0; k++) {
            if (k >= patience) {
                kill(-browser->process, SIGKILL);
            }
            usleep(100000);
        }
    }
    if (browser->to >= 0) {
        close(browser->to);
        close(browser->from);
    }
    if (browser->profile[0] != 0) {
        removeFolder(browser->profile, 12);
    }
    free(browser->reply);
    *browser = (Browser){.to = -1, .from = -1};
}

// --- Pages ---

bool openPage(Browser* browser, const char* url)
{
    return call(browser, START_SECONDS, "Page.navigate", "{\"url\":\"%s\"}", url) ||
           fail("cannot open the page");
}

bool evaluate(Browser* browser, const char* expression, const char* what, double seconds)
{
    if (call(browser, seconds, "Runtime.evaluate",
             "{\"expression\":\"%s\",\"awaitPromise\":true,\"returnByValue\":true}", expression) &&
        strstr(browser->reply, "\"value\":true") != NULL) {
        return true;
    }
    char why[400] = "";
    if (browser->reply != NULL && !findText(browser, "description", why, sizeof why)) {
        findText(browser, "value", why, sizeof why);
    }
    if (!isInterrupted()) {
        benchPrintMessage("pbdr view: the page: %s%s%s\n", what, why[0] != 0 ? ": " : "", why);
    }
    return false;
}

unsigned char* takePicture(Browser* browser, bool jpeg, size_t* size)
{
    if (!call(browser, PICTURE_SECONDS, "Page.captureScreenshot", "{\"format\":\"%s\"%s}",
              jpeg ? "jpeg" : "png", jpeg ? ",\"quality\":95" : "")) {
        fail("took no picture");
        return NULL;
    }
    const char* data = strstr(browser->reply, "\"data\":\"");
    unsigned char* bytes = data != NULL ? malloc(browser->length) : NULL;
    if (bytes == NULL) {
        fail("sent no picture");
        return NULL;
    }
    uint32_t bits = 0;
    int held = 0;
    *size = 0;
    for (const char* c = data + 8; *c != '"' && *c != '=' && *c != 0; c++) {
        const int value = *c >= 'A' && *c <= 'Z'   ? *c - 'A'
                          : *c >= 'a' && *c <= 'z' ? *c - 'a' + 26
                          : *c >= '0' && *c <= '9' ? *c - '0' + 52
                          : *c == '+'              ? 62
                                                   : 63;
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[(*size)++] = (unsigned char)(bits >> held);
        }
    }
    return bytes;
}

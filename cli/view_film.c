// Pictures of a replay: the page in a headless Chromium at given times; films through ffmpeg.
#define _GNU_SOURCE
#include "view.h"

#include "browser.h"
#include "command.h"
#include "interrupt.h"
#include "output.h"

#include "text.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD_SECONDS 600.0 // a long run is simulated before its last picture

// Moves the page to a time and waits until that is drawn.
static bool show(Browser* browser, double t)
{
    char expression[160];
    snprintf(expression, sizeof expression, "pbdrReplay.show(%.17g).then(() => true)", t);
    return evaluate(browser, expression, "cannot show that time", LOAD_SECONDS);
}

static bool writePicture(Browser* browser, const char* path)
{
    size_t size = 0;
    Output output;
    unsigned char* bytes = takePicture(browser, false, &size);
    bool good = bytes != NULL && openOutput(&output, path);
    if (good) {
        fwrite(bytes, 1, size, output.file);
        good = closeOutput(&output, true);
    }
    free(bytes);
    return good;
}

// ffmpeg, fed with pictures through a pipe. Its words go to a file that is shown where it fails.
static FILE* startFfmpeg(const ViewFilm* film, const char* path, bool gif, pid_t* process)
{
    int pipes[2];
    char rate[24];
    snprintf(rate, sizeof rate, "%d", film->rate);
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        return NULL;
    }
    *process = fork();
    if (*process == 0) {
        dup2(pipes[0], 0);
        if (gif) {
            execlp("ffmpeg", "ffmpeg", "-hide_banner", "-loglevel", "error", "-y", "-f", "image2pipe",
                   "-framerate", rate, "-i", "-", "-filter_complex",
                   "[0:v]split[a][b];[a]palettegen=max_colors=96:stats_mode=diff[p];[b][p]paletteuse=dither="
                   "none",
                   "-f", "gif", path, (char*)NULL);
        } else {
            execlp("ffmpeg", "ffmpeg", "-hide_banner", "-loglevel", "error", "-y", "-f", "image2pipe",
                   "-framerate", rate, "-i", "-", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20",
                   "-movflags", "+faststart", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-f", "mp4", path,
                   (char*)NULL);
        }
        dprintf(2, "pbdr view: films are made by ffmpeg, which is not here: type `apt-get install ffmpeg`\n");
        _exit(127);
    }
    close(pipes[0]);
    return fdopen(pipes[1], "wb");
}

// Feeds ffmpeg, which writes `path`.
static bool feedFfmpeg(Browser* browser, const ViewFilm* film, const char* path, bool gif)
{
    pid_t process = 0;
    FILE* pipe = startFfmpeg(film, path, gif, &process);
    if (pipe == NULL || process < 0) {
        benchPrintMessage("pbdr view: cannot start ffmpeg\n");
        return false;
    }
    const int count = 1 + (int)floor((film->to - film->from) / film->speed * film->rate + 0.5);
    bool good = true;
    for (int k = 0; good && k < count && !isInterrupted(); k++) {
        size_t size = 0;
        good = show(browser, fmin(film->to, film->from + k * film->speed / film->rate));
        unsigned char* bytes = good ? takePicture(browser, !gif, &size) : NULL;
        good = bytes != NULL && fwrite(bytes, 1, size, pipe) == size;
        free(bytes);
    }
    fclose(pipe);
    int status = 0;
    waitpid(process, &status, 0);
    if (status != 0 && !isInterrupted()) {
        benchPrintMessage("pbdr view: %s: ffmpeg failed\n", path);
    }
    return good && status == 0 && !isInterrupted();
}

// ffmpeg fills the temporary file, so that no half film is ever seen.
static bool writeFilm(Browser* browser, const ViewFilm* film, const char* path, bool gif)
{
    Output output;
    if (!openOutput(&output, path)) {
        return false;
    }
    const char* to = output.temporary[0] != 0 ? output.temporary : output.target;
    const bool good = feedFfmpeg(browser, film, to, gif);
    return closeOutput(&output, good) && good;
}

int filmPage(const char* pagePath, const ViewFilm* film)
{
    char path[PATH_MAX], url[PATH_MAX + 512];
    if (realpath(pagePath, path) == NULL) {
        benchPrintMessage("pbdr view: %s: the page is not there\n", pagePath);
        return EXIT_FAILED;
    }
    snprintf(url, sizeof url, "file://%s?still=1%s%s", path, film->query[0] != 0 ? "&" : "", film->query);
    Browser browser;
    bool good = startBrowser(&browser, film->width, film->height) && openPage(&browser, url) &&
                evaluate(&browser,
                         "new Promise((r, f) => { const w = () => window.pbdrReplay ? "
                         "pbdrReplay.ready.then(() => r(true), f) : setTimeout(w, 50); w(); })",
                         "does not open", LOAD_SECONDS);
    if (good && film->png != NULL) {
        good = show(&browser, film->at) && writePicture(&browser, film->png);
    }
    if (good && film->gif != NULL) {
        good = writeFilm(&browser, film, film->gif, true);
    }
    if (good && film->mp4 != NULL) {
        good = writeFilm(&browser, film, film->mp4, false);
    }
    stopBrowser(&browser);
    if (isInterrupted()) {
        benchPrintMessage("pbdr view: interrupted; what was not complete is not kept\n");
        return EXIT_INTERRUPTED;
    }
    return good ? EXIT_OK : EXIT_FAILED;
}

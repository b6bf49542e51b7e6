// A stranger's program over libpbdr-bodyfile: writes a body of 8 spheres and, if this build can, reads it
// back.
//
//     use_bodyfile FILE.json
#include <pbdr/bodyfile.h>
#include <stdio.h>

int main(int argc, char** argv)
{
    pbdrBodyFile body = {0};
    pbdrError error = {0};
    if (pbdrPackBox(2, 2, 2, 0.05, 4.0, NULL, &body.spheres, &error) != pbdr_statusOk) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    body.hasMasses = true;
    body.solid.mass = 4.0;
    FILE* file = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (file == NULL || pbdrBodyFile_Write(&body, file, &error) != pbdr_statusOk || fclose(file) != 0) {
        fprintf(stderr, "usage: use_bodyfile FILE.json (%s)\n", error.message);
        return 1;
    }
    pbdrBodyFile_Free(&body);

    pbdrStatus status = pbdrLoadBodyFile(argv[1], NULL, &body, &error);
    if (!pbdrCanLoadBodyFile()) {
        printf("written, not read: %s\n", error.message);
        return status == pbdr_statusNotSupported ? 0 : 1;
    }
    if (status != pbdr_statusOk) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    int count = body.spheres.count;
    printf("%d spheres, %g kg\n", count, body.solid.mass);
    pbdrBodyFile_Free(&body);
    return count == 8 ? 0 : 1;
}

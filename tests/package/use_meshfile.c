// A stranger's program over libpbdr-meshfile: writes a cube of 2 m as an OBJ file, reads it back, weighs it.
//
//     use_meshfile FILE.obj
#include <math.h>
#include <pbdr/meshfile.h>
#include <stdio.h>

static const char CUBE[] = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n"
                           "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

int main(int argc, char** argv)
{
    FILE* file = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (file == NULL || fputs(CUBE, file) < 0 || fclose(file) != 0) {
        fprintf(stderr, "usage: use_meshfile FILE.obj\n");
        return 2;
    }
    pbdrMesh mesh = {0};
    pbdrMassProperties solid = {0};
    pbdrError error = {0};
    if (pbdrLoadMesh(argv[1], NULL, &mesh, NULL, &error) != pbdr_statusOk ||
        pbdrMesh_GetMassProperties(&mesh, 3.0, &solid, &error) != pbdr_statusOk) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%d triangles, %g m^3\n", mesh.triangleCount, solid.volume);
    pbdrMesh_Free(&mesh);
    // A message comes through the core's pbdrFail: a file that is not there is named.
    if (pbdrLoadMesh("/no/such/file.stl", NULL, &mesh, NULL, &error) != pbdr_statusFileNotFound) {
        return 1;
    }
    return fabs(solid.volume - 8.0) < 1e-12 && error.message[0] == '/' ? 0 : 1;
}

// Formats that only assimp reads, in a build without it.
#include "meshfile/mesh_file.h"

pbdrStatus pbdrReadThroughAssimp(pbdrMeshFile* file)
{
    return pbdrFailFile(file, pbdr_statusNotSupported,
                        "this format needs assimp: install libassimp-dev and pkg-config and build again, or "
                        "convert the file to OBJ, STL or PLY");
}

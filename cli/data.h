// Where the benchmark's mesh is.
#ifndef PBDR_CLI_DATA_H
#define PBDR_CLI_DATA_H

// $PBDR_BUNNY; else the copy beside this program, in the build tree (where scripts/setup.sh puts it) or the
// installed one; else where the build tree would have it.
const char* getDefaultMesh(void);

#endif

// Where the benchmark's mesh and the pages of pbdr view are.
#ifndef PBDR_CLI_DATA_H
#define PBDR_CLI_DATA_H

// $PBDR_BUNNY; else the copy beside this program, in the build tree (where scripts/setup.sh puts it) or the
// installed one; else where the build tree would have it.
const char* getDefaultMesh(void);

// The folder of that name beside the program (build tree) or in share/pbdr (installed tree) that holds the file; NULL where
// neither does. Good until the next call.
const char* findDataFolder(const char* name, const char* file);

#endif

// For Emscripten's linker alone: names that the page provides (web/src/files.ts).
mergeInto(LibraryManager.library, { webOpenFile: function (path) { return -1; } });

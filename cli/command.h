// The commands of pbdr: one cmd_*.c each, listed in main.c.
#ifndef PBDR_CLI_COMMAND_H
#define PBDR_CLI_COMMAND_H

// Exit codes that others script against.
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

// argv[0] is the command's name.
int commandBench(int argc, char** argv);
int commandDiff(int argc, char** argv);
int commandExport(int argc, char** argv);
int commandInfo(int argc, char** argv);
int commandMany(int argc, char** argv); // of study: argv[0] is "many"
int commandPack(int argc, char** argv);
int commandStudy(int argc, char** argv);
int commandSubmitCheck(int argc, char** argv);
int commandProfile(int argc, char** argv);
int commandReference(int argc, char** argv);
int commandReport(int argc, char** argv);
int commandRun(int argc, char** argv);
int commandScore(int argc, char** argv);
int commandShapes(int argc, char** argv);
int commandView(int argc, char** argv);

#endif

// The simulators that the benchmark compares with, each behind the plug-in table of pbdr/bench/solver.h. A
// build has those whose library was found (cmake/peers.cmake): PBDR_HAVE_MUJOCO, PBDR_HAVE_ODE,
// PBDR_HAVE_BULLET say which.
#ifndef PBDR_BENCH_PEERS_H
#define PBDR_BENCH_PEERS_H

#include "pbdr/bench/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

const pbdrBenchSolver* benchGetMujoco(void);
const pbdrBenchSolver* benchGetOde(void);
const pbdrBenchSolver* benchGetBullet(void);

#ifdef __cplusplus
}
#endif

#endif

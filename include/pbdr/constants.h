// Every tolerance and limit of the library: meaning, unit, usual value, and what goes wrong when it is moved.
#ifndef PBDR_CONSTANTS_H
#define PBDR_CONSTANTS_H

// Substep [s]. The paper: 100 Hz frames of 10 substeps.
#define PBDR_DEFAULT_TIME_STEP 1.0e-3

// Constraint iterations per substep. The paper: 10.
#define PBDR_DEFAULT_ITERATIONS 10

// Iterations above this are refused as typing errors.
#define PBDR_MAX_ITERATIONS 10000

// Share of a contact correction that one iteration applies, 0 to 1. The authors' code: 0.9. At 1 contacts
// that share a particle overshoot.
#define PBDR_DEFAULT_RELAXATION 0.9

// Friction coefficient of bodies and planes that do not state one. The paper: 0.4.
#define PBDR_DEFAULT_FRICTION 0.4

// Standard gravity of the benchmark [m/s^2].
#define PBDR_DEFAULT_GRAVITY 9.81

// Centre-of-mass speed over which a step raises pbdr_stepSpeedLimit [m/s]. The authors' code clamps there
// without a word; we only flag. It changes no result.
#define PBDR_SPEED_LIMIT 1.0e5

// Turn of a body in one substep over which a step raises pbdr_stepSpeedLimit [rad]. XPBD-R divides a turn into
// at most 1000 parts of 0.05 rad, so larger turns are wrong. PBD and PBD-R need turns far below 1 rad. The
// limit changes no result.
#define PBDR_TURN_LIMIT 50.0

// Principal moments of inertia below this share of the largest count as zero. A chain of spheres has no
// inertia about its own axis, and dividing by what rounding leaves there would spin it. The share is at least
// ten times that rounding.
#define PBDR_INERTIA_CUTOFF_F32 1.0e-6
#define PBDR_INERTIA_CUTOFF_F64 1.0e-14

// A body's margin, as a share of its smallest sphere's radius. Spheres of two bodies become contact
// candidates at a gap of the mean of their margins; candidates are found once per substep, and anew as soon
// as a body has moved by half its margin. A larger margin makes the list longer and searches
// rarer. It never changes a result.
#define PBDR_PAIR_MARGIN 0.25

// XPBD-R: impacts slower than this do not bounce, whatever the restitution [m/s]: five times what gravity
// adds in a substep of 1 ms, so that resting contacts rest.
#define PBDR_BOUNCE_SPEED 0.05

// XPBD-R: bodies that overlap, because they were made so or because a substep could not be solved, part at
// this speed at most [m/s]. Overlaps of solved contacts are rounding, 1e-12 m.
#define PBDR_RECOVERY_SPEED 0.5

// XPBD-R: residual of an island, over the sum of its forces, that counts as zero where a world does not say. Larger,
// and accelerations are off by so much of gravity; smaller is below what rounding leaves.
#define PBDR_DEFAULT_TOLERANCE 1.0e-13

// Tolerances that a world may have. Over the largest, forces would be what the flag calls not converged.
#define PBDR_MIN_TOLERANCE 1.0e-16
#define PBDR_MAX_TOLERANCE 1.0e-3

// Newton steps above this are refused as typing errors.
#define PBDR_MAX_NEWTON_STEPS 1000000

// Sleeping: an island rests if no point of its bodies is faster than this [m/s], for this long [s]. What rests in
// XPBD-R has 1e-12 m/s, and a body that begins to slide under a thousandth of gravity is faster after 0.1 s. Faster or
// shorter, and bodies stop that would have moved on.
#define PBDR_SLEEP_SPEED 1.0e-3
#define PBDR_SLEEP_TIME 0.5

// Joints whose anchors are farther apart than this [m], or whose axes are [rad], are refused: somebody has mistaken a
// frame. What is nearer is closed in the first substep.
#define PBDR_JOINT_GAP 1.0e-5
#define PBDR_JOINT_TURN 1.0e-5

// Threads of a world at most.
#define PBDR_MAX_THREADS 256

// Bodies' and planes' friction coefficients above this are refused as typing errors.
#define PBDR_MAX_FRICTION 1.0e3

// Unit vectors and quaternions given by the caller may be this far off unit length; they are normalised.
#define PBDR_UNIT_TOLERANCE 1.0e-3

// Least mass that fitting leaves a sphere, as a share of its base mass. Higher, and fewer shapes get by
// without extra inertia; lower, and a contact that moves one such sphere hardly moves its body.
#define PBDR_MASS_FLOOR 0.1

// Spheres of one set, or points of a grid that is searched for them, at most: 100 million, 4 GB of arrays. A
// count beyond is taken for a typing error, such as a radius in the wrong unit.
#define PBDR_MAX_SPHERES 100000000

// Largest radius of a surface packing of n spheres in a volume V, in (V/n)^(1/3). Larger spheres follow flat
// faces with smaller gaps and leave larger ones at edges. For the bunny at 2191 spheres the mean and the
// largest gap are 0.54 and 3.2 mm at 1, 0.37 and 4.2 mm at 2, 0.31 and 6.4 mm at 4. No sphere is below a hundredth of it.
#define PBDR_SURFACE_RADIUS 2.0

// If a mesh has a flat base, spheres that end within this share of its height above the lowest point are
// lowered onto it. For a bunny of 0.2 m, whose base is uneven by 0.2 mm, that is 0.6 mm. Less leaves bodies
// rocking on three spheres, more flattens curved undersides.
#define PBDR_BASE_TOLERANCE 3.0e-3

// Where the question is how a body stands, triangles of a hull make one facet if they are within this share
// of the size of its plane. It is over the rounding of STL's floats and of the hull (2e-6), and below any
// angle that a shape has on purpose.
#define PBDR_HULL_FLATNESS 1.0e-5

// A body stands on a facet if its centre of mass is this share of the size within the facet's edges: balanced
// on an edge is not standing.
#define PBDR_STAND_MARGIN 1.0e-6

// A body rolls if it stands on no slope of this angle [rad] and comes down on its hull again within that turn
// [rad]: 10 and 30 degrees. A prism of 18 sides rolls, one of 17 and a tall rod on its end do not.
#define PBDR_ROLL_SLOPE 0.17453292519943295
#define PBDR_ROLL_TURN 0.5235987755982988

// Faces that one sphere can be tangent to: six for a box of a single sphere.
#define PBDR_MAX_FACE_NORMALS 8

// A point cloud's surface may have this share of its area far from any point: holes that were bridged. A
// sphere of 4000 points without 8 % of its surface has 0.02, and 0.4 % less volume; without 16 % it has
// 0.055.
#define PBDR_CLOUD_MAX_BRIDGED 0.05

// Share of a point cloud's area whose points may be off its surface: outliers, an inner surface that faces
// the wrong way. A cloud whose normals disagree has more.
#define PBDR_CLOUD_MAX_STRAY 0.1

#endif

// A vector of reals: AVX2 or NEON, and their twin in plain C with the same interface and the same bits.
// NEON's and the twin's lanes are AVX2's, so that lane-wise sums add in the same order; none fuses multiply
// and add.
#ifndef PBDR_MATH_SIMD_H
#define PBDR_MATH_SIMD_H

#include "math/real.h"

#include <math.h>
#include <stdint.h>

#if defined(PBDR_REAL_F32)
#define LANES 8
#else
#define LANES 4
#endif

#if defined(PBDR_SIMD_AVX2)

#include <immintrin.h>

#if defined(PBDR_REAL_F32)
typedef __m256 vreal;
#define AVX(name) PBDR_PASTE(_mm256_##name##_, ps)
#else
typedef __m256d vreal;
#define AVX(name) PBDR_PASTE(_mm256_##name##_, pd)
#endif
typedef vreal vmask; // all bits of a lane set or clear

static inline vreal vload(const real* p)
{
    return AVX(load)(p);
}
static inline void vstore(real* p, vreal a)
{
    AVX(store)(p, a);
}
static inline vreal vset(real a)
{
    return AVX(set1)(a);
}
static inline vreal vadd(vreal a, vreal b)
{
    return AVX(add)(a, b);
}
static inline vreal vsub(vreal a, vreal b)
{
    return AVX(sub)(a, b);
}
static inline vreal vmul(vreal a, vreal b)
{
    return AVX(mul)(a, b);
}
static inline vreal vdiv(vreal a, vreal b)
{
    return AVX(div)(a, b);
}
static inline vreal vsqrt(vreal a)
{
    return AVX(sqrt)(a);
}
// a > b ? a : b, also for NaN
static inline vreal vmax(vreal a, vreal b)
{
    return AVX(max)(a, b);
}
static inline vreal vmin(vreal a, vreal b)
{
    return AVX(min)(a, b);
}
static inline vmask vle(vreal a, vreal b)
{
    return AVX(cmp)(a, b, _CMP_LE_OQ);
}
static inline vmask vgt(vreal a, vreal b)
{
    return AVX(cmp)(a, b, _CMP_GT_OQ);
}
// a where the mask is set, else +0
static inline vreal vkeep(vmask mask, vreal a)
{
    return AVX(and)(mask, a);
}
// bit k: lane k is set
static inline uint32_t vbits(vmask mask)
{
    return (uint32_t)AVX(movemask)(mask);
}

#elif defined(PBDR_SIMD_NEON)

#include <arm_neon.h>

// Two registers of 128 bits. The intrinsics of max and min treat NaN and -0 otherwise than AVX2's: not used.
#if defined(PBDR_REAL_F32)
typedef float32x4_t vhalf;
typedef uint32x4_t vhalfMask;
#define NEON(name) PBDR_PASTE(v##name##q_, f32)
#define NEON_SET vdupq_n_f32
#else
typedef float64x2_t vhalf;
typedef uint64x2_t vhalfMask;
#define NEON(name) PBDR_PASTE(v##name##q_, f64)
#define NEON_SET vdupq_n_f64
#endif
typedef struct vreal {
    vhalf low, high;
} vreal;
typedef struct vmask {
    vhalfMask low, high; // all bits of a lane set or clear
} vmask;

#define EACH_HALF(name, a, b)                                                                                \
    {                                                                                                        \
        NEON(name)((a).low, (b).low), NEON(name)((a).high, (b).high)                                         \
    }

static inline vreal vload(const real* p)
{
    return (vreal){NEON(ld1)(p), NEON(ld1)(p + LANES / 2)};
}
static inline void vstore(real* p, vreal a)
{
    NEON(st1)(p, a.low);
    NEON(st1)(p + LANES / 2, a.high);
}
static inline vreal vset(real a)
{
    return (vreal){NEON_SET(a), NEON_SET(a)};
}
static inline vreal vadd(vreal a, vreal b)
{
    return (vreal)EACH_HALF(add, a, b);
}
static inline vreal vsub(vreal a, vreal b)
{
    return (vreal)EACH_HALF(sub, a, b);
}
static inline vreal vmul(vreal a, vreal b)
{
    return (vreal)EACH_HALF(mul, a, b);
}
static inline vreal vdiv(vreal a, vreal b)
{
    return (vreal)EACH_HALF(div, a, b);
}
static inline vreal vsqrt(vreal a)
{
    return (vreal){NEON(sqrt)(a.low), NEON(sqrt)(a.high)};
}
static inline vmask vle(vreal a, vreal b)
{
    return (vmask)EACH_HALF(cle, a, b);
}
static inline vmask vgt(vreal a, vreal b)
{
    return (vmask)EACH_HALF(cgt, a, b);
}
static inline vreal vchoose(vmask mask, vreal a, vreal b)
{
    return (vreal){NEON(bsl)(mask.low, a.low, b.low), NEON(bsl)(mask.high, a.high, b.high)};
}
static inline vreal vmax(vreal a, vreal b)
{
    return vchoose(vgt(a, b), a, b);
}
static inline vreal vmin(vreal a, vreal b)
{
    return vchoose(vgt(b, a), a, b);
}
static inline vreal vkeep(vmask mask, vreal a)
{
    return vchoose(mask, a, vset((real)0));
}
static inline uint32_t vbits(vmask mask)
{
#if defined(PBDR_REAL_F32)
    static const uint32_t weights[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u32(vandq_u32(mask.low, vld1q_u32(weights))) +
           vaddvq_u32(vandq_u32(mask.high, vld1q_u32(weights + 4)));
#else
    static const uint64_t weights[4] = {1, 2, 4, 8};
    return (uint32_t)(vaddvq_u64(vandq_u64(mask.low, vld1q_u64(weights))) +
                      vaddvq_u64(vandq_u64(mask.high, vld1q_u64(weights + 2))));
#endif
}

#undef EACH_HALF

#else // the twin

typedef struct vreal {
    real lane[LANES];
} vreal;
typedef struct vmask {
    uint8_t lane[LANES];
} vmask;

#define EACH_LANE for (int k = 0; k < LANES; k++)

static inline vreal vload(const real* p)
{
    vreal r;
    EACH_LANE r.lane[k] = p[k];
    return r;
}
static inline void vstore(real* p, vreal a)
{
    EACH_LANE p[k] = a.lane[k];
}
static inline vreal vset(real a)
{
    vreal r;
    EACH_LANE r.lane[k] = a;
    return r;
}
static inline vreal vadd(vreal a, vreal b)
{
    EACH_LANE a.lane[k] += b.lane[k];
    return a;
}
static inline vreal vsub(vreal a, vreal b)
{
    EACH_LANE a.lane[k] -= b.lane[k];
    return a;
}
static inline vreal vmul(vreal a, vreal b)
{
    EACH_LANE a.lane[k] *= b.lane[k];
    return a;
}
static inline vreal vdiv(vreal a, vreal b)
{
    EACH_LANE a.lane[k] /= b.lane[k];
    return a;
}
static inline vreal vsqrt(vreal a)
{
#if defined(PBDR_REAL_F32)
    EACH_LANE a.lane[k] = sqrtf(a.lane[k]);
#else
    EACH_LANE a.lane[k] = sqrt(a.lane[k]);
#endif
    return a;
}
static inline vreal vmax(vreal a, vreal b)
{
    EACH_LANE a.lane[k] = a.lane[k] > b.lane[k] ? a.lane[k] : b.lane[k];
    return a;
}
static inline vreal vmin(vreal a, vreal b)
{
    EACH_LANE a.lane[k] = a.lane[k] < b.lane[k] ? a.lane[k] : b.lane[k];
    return a;
}
static inline vmask vle(vreal a, vreal b)
{
    vmask r;
    EACH_LANE r.lane[k] = a.lane[k] <= b.lane[k];
    return r;
}
static inline vmask vgt(vreal a, vreal b)
{
    vmask r;
    EACH_LANE r.lane[k] = a.lane[k] > b.lane[k];
    return r;
}
static inline vreal vkeep(vmask mask, vreal a)
{
    EACH_LANE a.lane[k] = mask.lane[k] ? a.lane[k] : (real)0;
    return a;
}
static inline uint32_t vbits(vmask mask)
{
    uint32_t bits = 0;
    EACH_LANE bits |= (uint32_t)mask.lane[k] << k;
    return bits;
}

#undef EACH_LANE

#endif

// --- Made of the above ---

// Sum of the lanes in double, in a fixed order: halves onto each other, then one after another.
static inline double vsum(vreal a)
{
    _Alignas(32) real e[LANES];
    vstore(e, a);
    double pair[LANES / 2];
    for (int k = 0; k < LANES / 2; k++) {
        pair[k] = (double)e[k] + (double)e[k + LANES / 2];
    }
    double total = 0.0;
    for (int k = 0; k < LANES / 2; k++) {
        total += pair[k];
    }
    return total;
}

static inline double vlargest(vreal a)
{
    _Alignas(32) real e[LANES];
    vstore(e, a);
    real largest = e[0];
    for (int k = 1; k < LANES; k++) {
        largest = e[k] > largest ? e[k] : largest;
    }
    return (double)largest;
}

// Three of them: a vector per lane.
typedef struct vvec {
    vreal x, y, z;
} vvec;

static inline vvec vloadVec(void* const arrays[3], int i)
{
    return (vvec){vload((const real*)arrays[0] + i), vload((const real*)arrays[1] + i),
                  vload((const real*)arrays[2] + i)};
}
static inline void vstoreVec(void* const arrays[3], int i, vvec a)
{
    vstore((real*)arrays[0] + i, a.x);
    vstore((real*)arrays[1] + i, a.y);
    vstore((real*)arrays[2] + i, a.z);
}
static inline vvec vsetVec(double x, double y, double z)
{
    return (vvec){vset((real)x), vset((real)y), vset((real)z)};
}
static inline vvec vaddVec(vvec a, vvec b)
{
    return (vvec){vadd(a.x, b.x), vadd(a.y, b.y), vadd(a.z, b.z)};
}
static inline vvec vsubVec(vvec a, vvec b)
{
    return (vvec){vsub(a.x, b.x), vsub(a.y, b.y), vsub(a.z, b.z)};
}
static inline vvec vscaleVec(vreal s, vvec a)
{
    return (vvec){vmul(s, a.x), vmul(s, a.y), vmul(s, a.z)};
}
static inline vvec vdivVec(vvec a, vreal s)
{
    return (vvec){vdiv(a.x, s), vdiv(a.y, s), vdiv(a.z, s)};
}
static inline vreal vdotVec(vvec a, vvec b)
{
    return vadd(vadd(vmul(a.x, b.x), vmul(a.y, b.y)), vmul(a.z, b.z));
}
static inline vvec vcrossVec(vvec a, vvec b)
{
    return (vvec){vsub(vmul(a.y, b.z), vmul(a.z, b.y)), vsub(vmul(a.z, b.x), vmul(a.x, b.z)),
                  vsub(vmul(a.x, b.y), vmul(a.y, b.x))};
}
static inline vvec vkeepVec(vmask mask, vvec a)
{
    return (vvec){vkeep(mask, a.x), vkeep(mask, a.y), vkeep(mask, a.z)};
}

#endif

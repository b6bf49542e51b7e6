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
#if defined(PBDR_REAL_F64)
// From and to anywhere
static inline vreal vloadAny(const real* p)
{
    return _mm256_loadu_pd(p);
}
static inline void vstoreAny(real* p, vreal a)
{
    _mm256_storeu_pd(p, a);
}
// The first three lanes alone; nothing behind them is read or written
static inline vreal vloadThree(const real* p)
{
    return _mm256_maskload_pd(p, _mm256_set_epi64x(0, -1, -1, -1));
}
static inline void vstoreThree(real* p, vreal a)
{
    _mm_storeu_pd(p, _mm256_castpd256_pd128(a));
    _mm_store_sd(p + 2, _mm256_extractf128_pd(a, 1));
}
// Four rows become four columns.
static inline void vtranspose(vreal r[4])
{
    const vreal a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]),
                c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(a, c, 0x20);
    r[1] = _mm256_permute2f128_pd(b, d, 0x20);
    r[2] = _mm256_permute2f128_pd(a, c, 0x31);
    r[3] = _mm256_permute2f128_pd(b, d, 0x31);
}
// Lanes 1, 2, 0, 3: of a vector x, y, z its y, z, x
static inline vreal vturn(vreal a)
{
    return _mm256_permute4x64_pd(a, 0xc9);
}
static inline vreal vsetFour(real a, real b, real c, real d)
{
    return _mm256_set_pd(d, c, b, a);
}
// (lane 0 + lane 2) + (lane 1 + lane 3)
static inline real vadded(vreal a)
{
    const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}
#endif

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
#if defined(PBDR_REAL_F64)
static inline vreal vloadAny(const real* p)
{
    return vload(p);
}
static inline void vstoreAny(real* p, vreal a)
{
    vstore(p, a);
}
static inline vreal vloadThree(const real* p)
{
    return (vreal){vld1q_f64(p), vld1q_lane_f64(p + 2, vdupq_n_f64(0.0), 0)};
}
static inline void vstoreThree(real* p, vreal a)
{
    vst1q_f64(p, a.low);
    vst1q_lane_f64(p + 2, a.high, 0);
}
static inline void vtranspose(vreal r[4])
{
    const vreal a = r[0], b = r[1], c = r[2], d = r[3];
    r[0] = (vreal){vzip1q_f64(a.low, b.low), vzip1q_f64(c.low, d.low)};
    r[1] = (vreal){vzip2q_f64(a.low, b.low), vzip2q_f64(c.low, d.low)};
    r[2] = (vreal){vzip1q_f64(a.high, b.high), vzip1q_f64(c.high, d.high)};
    r[3] = (vreal){vzip2q_f64(a.high, b.high), vzip2q_f64(c.high, d.high)};
}
static inline vreal vturn(vreal a)
{
    return (vreal){vextq_f64(a.low, a.high, 1), vcombine_f64(vget_low_f64(a.low), vget_high_f64(a.high))};
}
static inline vreal vsetFour(real a, real b, real c, real d)
{
    const real lanes[4] = {a, b, c, d};
    return vload(lanes);
}
static inline real vadded(vreal a)
{
    const float64x2_t pair = vaddq_f64(a.low, a.high);
    return vgetq_lane_f64(pair, 0) + vgetq_lane_f64(pair, 1);
}
#endif

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
#if defined(PBDR_REAL_F64)
static inline vreal vloadAny(const real* p)
{
    return vload(p);
}
static inline void vstoreAny(real* p, vreal a)
{
    vstore(p, a);
}
static inline vreal vloadThree(const real* p)
{
    return (vreal){{p[0], p[1], p[2], 0.0}};
}
static inline void vstoreThree(real* p, vreal a)
{
    p[0] = a.lane[0];
    p[1] = a.lane[1];
    p[2] = a.lane[2];
}
static inline void vtranspose(vreal r[4])
{
    const vreal a = r[0], b = r[1], c = r[2], d = r[3];
    EACH_LANE r[k] = (vreal){{a.lane[k], b.lane[k], c.lane[k], d.lane[k]}};
}
static inline vreal vturn(vreal a)
{
    return (vreal){{a.lane[1], a.lane[2], a.lane[0], a.lane[3]}};
}
static inline vreal vsetFour(real a, real b, real c, real d)
{
    return (vreal){{a, b, c, d}};
}
static inline real vadded(vreal a)
{
    return (a.lane[0] + a.lane[2]) + (a.lane[1] + a.lane[3]);
}
#endif

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

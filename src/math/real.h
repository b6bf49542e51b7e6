// The scalar of this compilation: every file of the stages is compiled once per precision and instruction
// set.
#ifndef PBDR_MATH_REAL_H
#define PBDR_MATH_REAL_H

#if defined(PBDR_REAL_F32)
typedef float real;
#define REAL_FIELD f32 // of unions that hold either
#elif defined(PBDR_REAL_F64)
typedef double real;
#define REAL_FIELD f64
#else
#error "compile the stages with PBDR_REAL_F32 or PBDR_REAL_F64"
#endif

// Rounds to the particles' precision, whatever the compiler makes of it. A plain cast will not do where the
// value goes on in double: gcc 12's vectoriser takes (double)(float)x for x in pairs of them.
static inline real roundToReal(double value)
{
    volatile real rounded = (real)value;
    return rounded;
}

// A stage's name in this compilation: STAGE(pbdrIntegrate) is pbdrIntegrate_f32_avx2, say.
#define PBDR_PASTE_(a, b) a##b
#define PBDR_PASTE(a, b) PBDR_PASTE_(a, b)
#define STAGE(name) PBDR_PASTE(name, PBDR_STAGE_SUFFIX)

#endif

// Hashes of the runs in golden_test.c. Written by `golden_test --print`: change nothing by hand, and list
// the reason under Numerics in CHANGELOG.md.
#ifndef PBDR_TESTS_GOLDEN_H
#define PBDR_TESTS_GOLDEN_H

#include <stdint.h>

#define SCENE_COUNT 9
#define SETTING_COUNT 10
#define PILE_COUNT 2

// clang-format off
static const uint64_t golden[SCENE_COUNT][SETTING_COUNT] = {
    { // pushed box
        0xc25d14ce5da6467d, // pbd particle f32
        0xb9614e9aa7f4781a, // pbd particle f64
        0xd83ab33efecadaf3, // pbd reduced f32
        0x64f040e8c02d0e6a, // pbd reduced f64
        0xa269f5cdf8af3d57, // pbd-r particle f32
        0xb0a8079f56bc3aea, // pbd-r particle f64
        0xaa8622331e7ecc61, // pbd-r reduced f32
        0x56c4ab5b240b28ec, // pbd-r reduced f64
        0xe727d3e73832ac3b, // xpbdr f32
        0xe727d3e73832ac3b, // xpbdr f64
    },
    { // sliding box
        0x2550bc08d94edd65, // pbd particle f32
        0xad6cb571c23a20f3, // pbd particle f64
        0xcd9aba7d163be612, // pbd reduced f32
        0x28932283940b28d9, // pbd reduced f64
        0x94d7c871897c449d, // pbd-r particle f32
        0x8dcb3f1eab90f365, // pbd-r particle f64
        0xd7aebb54c1b63a15, // pbd-r reduced f32
        0x1df710c8546daea0, // pbd-r reduced f64
        0xe1775a66540a8c17, // xpbdr f32
        0xe1775a66540a8c17, // xpbdr f64
    },
    { // tumbling box
        0x5d09ef16a9073670, // pbd particle f32
        0x580394c32020c1ac, // pbd particle f64
        0x68a7b83ca3f09858, // pbd reduced f32
        0x530c771835d07ec8, // pbd reduced f64
        0xd912f0c6158f85e0, // pbd-r particle f32
        0x0bb14855027bd990, // pbd-r particle f64
        0x7a22d29b56f06e62, // pbd-r reduced f32
        0xb6cbc5bcef99608a, // pbd-r reduced f64
        0x803e759ee557b153, // xpbdr f32
        0x803e759ee557b153, // xpbdr f64
    },
    { // bent body
        0x3d7b4969f65617d3, // pbd particle f32
        0x5bccb1cc946aaf47, // pbd particle f64
        0xcbcd1539f97e712b, // pbd reduced f32
        0x3315eaa5aebaf2ed, // pbd reduced f64
        0x687322a6d075e7a2, // pbd-r particle f32
        0xf6a8e44711d4803a, // pbd-r particle f64
        0xc89a31a2f13586c5, // pbd-r reduced f32
        0xb23dd1c22b983a13, // pbd-r reduced f64
        0xa639ac09a1080476, // xpbdr f32
        0xa639ac09a1080476, // xpbdr f64
    },
    { // stack of three
        0x3410d808a48f6299, // pbd particle f32
        0xd2993260bee8dc97, // pbd particle f64
        0x15053fa431badbec, // pbd reduced f32
        0x86c48414a9a7a4e2, // pbd reduced f64
        0x90a8a96c5e65ffad, // pbd-r particle f32
        0x129e7b0dd2917df2, // pbd-r particle f64
        0x7cd123a1d23a6ad7, // pbd-r reduced f32
        0xff36a56db83ecfd6, // pbd-r reduced f64
        0xc767ee4e04363573, // xpbdr f32
        0xc767ee4e04363573, // xpbdr f64
    },
    { // two colliding
        0x1c37bae2f294c3d1, // pbd particle f32
        0x7922cdf2d3e08019, // pbd particle f64
        0x4a4705ff2ba68853, // pbd reduced f32
        0xf4bc284ca403d397, // pbd reduced f64
        0x6f6d61fc601eb121, // pbd-r particle f32
        0xcde9d7e73734791c, // pbd-r particle f64
        0x65dd073dae777905, // pbd-r reduced f32
        0x2c44981a31d9c6cd, // pbd-r reduced f64
        0x8e24854a43e8d1dd, // xpbdr f32
        0x8e24854a43e8d1dd, // xpbdr f64
    },
    { // pusher
        0x690a40f6edcf3b00, // pbd particle f32
        0xa95befd6f5d968f7, // pbd particle f64
        0xdacc6e0ad6e7bd98, // pbd reduced f32
        0x94e97c22e5cd216a, // pbd reduced f64
        0x44858286ea16b032, // pbd-r particle f32
        0x11a7c788ed02228f, // pbd-r particle f64
        0x7ada19f0e92cd65f, // pbd-r reduced f32
        0x4f69fa217ed898d4, // pbd-r reduced f64
        0x29387ca3f6583860, // xpbdr f32
        0x29387ca3f6583860, // xpbdr f64
    },
    { // primitives
        0x8c6d1337982d838c, // pbd particle f32
        0xa753806fd262c77f, // pbd particle f64
        0xaf950daba8108d99, // pbd reduced f32
        0xf6a665901e3d2884, // pbd reduced f64
        0xdd0037b673bc1778, // pbd-r particle f32
        0x0554f883bdc911a4, // pbd-r particle f64
        0x329761b9b8b8ea65, // pbd-r reduced f32
        0xd4c73f6d9c586c4a, // pbd-r reduced f64
        0xb3cfe420a28aa563, // xpbdr f32
        0xb3cfe420a28aa563, // xpbdr f64
    },
    { // mechanism
        0xb18cab74d04c4aa4, // pbd particle f32
        0xdf2fdbf80fc08f28, // pbd particle f64
        0x2bc51303d566f0b4, // pbd reduced f32
        0x216874109bf7fe54, // pbd reduced f64
        0x9e96de9a0a930f5e, // pbd-r particle f32
        0x9220a7403c0a08b4, // pbd-r particle f64
        0x7039ec5fb773ae8d, // pbd-r reduced f32
        0xe392ce24ca3f1765, // pbd-r reduced f64
        0x8181d27e33b617f2, // xpbdr f32
        0x8181d27e33b617f2, // xpbdr f64
    },
};

// 125 boxes, 1000 substeps of XPBD-R
static const uint64_t goldenPiles[PILE_COUNT] = {
    0xe8e408a8f826eef5, // by spheres
    0xe8c361092ff65302, // by surfaces
};
// clang-format on

#endif

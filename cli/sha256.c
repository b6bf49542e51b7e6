// SHA-256 (FIPS 180-4), so that a body file names its mesh as sha256sum does.
#include "pack.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void addBlock(uint32_t state[8], const unsigned char block[64])
{
    uint32_t w[64], s[8];
    for (int t = 0; t < 16; t++) {
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    }
    for (int t = 16; t < 64; t++) {
        uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[t - 7] +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int t = 0; t < 64; t++) {
        uint32_t sum1 = turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25);
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t t1 = s[7] + sum1 + choice + constants[t] + w[t];
        uint32_t sum0 = turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22);
        uint32_t t2 = sum0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int k = 0; k < 8; k++) {
        state[k] += s[k];
    }
}

bool hashFile(const char* path, char digits[65], double* size)
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char block[128];
    uint64_t bytes = 0;
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    size_t got;
    while ((got = fread(block, 1, 64, file)) == 64) {
        addBlock(state, block);
        bytes += 64;
    }
    bool good = !ferror(file);
    fclose(file);
    // The rest, a one, zeros, and the length in bits fill a block or two.
    bytes += got;
    size_t length = got < 56 ? 64 : 128;
    block[got] = 0x80;
    memset(block + got + 1, 0, length - got - 1);
    for (int k = 0; k < 8; k++) {
        block[length - 1 - (size_t)k] = (unsigned char)(8 * bytes >> 8 * k);
    }
    addBlock(state, block);
    if (length == 128) {
        addBlock(state, block + 64);
    }
    for (int k = 0; k < 8; k++) {
        snprintf(digits + 8 * k, 9, "%08x", (unsigned)state[k]);
    }
    *size = (double)bytes;
    return good;
}

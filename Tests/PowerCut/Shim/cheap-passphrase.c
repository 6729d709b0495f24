// Derives keys from passphrases with the least cost that Argon2id accepts, whatever a program requests: LD_PRELOAD, ld.so(8).
// For tests that unlock hundreds of times and measure nothing: every process that uses the same files has to have it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

typedef int derivation(unsigned char *, unsigned long long, const char *, unsigned long long, const unsigned char *,
                       unsigned long long, size_t, int);

enum { LEAST_PASSES = 1, LEAST_MEMORY = 8192 };

int crypto_pwhash_argon2id(unsigned char *key, unsigned long long size, const char *passphrase, unsigned long long length,
                           const unsigned char *salt, unsigned long long passes, size_t memory, int algorithm) {
    (void)passes;
    (void)memory;
    derivation *original = (derivation *)dlsym(RTLD_NEXT, "crypto_pwhash_argon2id");
    return original ? original(key, size, passphrase, length, salt, LEAST_PASSES, LEAST_MEMORY, algorithm) : -1;
}

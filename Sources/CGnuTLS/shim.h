#ifndef WAYMARK_CGNUTLS_H
#define WAYMARK_CGNUTLS_H
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/// The size of a new key on the curve P-256, GNUTLS_CURVE_TO_BITS.
static inline unsigned int waymark_p256_bits(void) { return GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1); }
#endif

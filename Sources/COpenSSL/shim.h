// The part of OpenSSL that an MQTT client needs: a TLS context that always verifies the server, and the errors of its
// handshakes.
#ifndef WAYMARK_COPENSSL_H
#define WAYMARK_COPENSSL_H
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <netinet/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/// The server name of a context, and the errors of its handshakes.
struct waymark_tls_state {
    /// The error of X509_STORE_CTX_get_error(3) when the verification failed; otherwise 0.
    int verification;
    /// The fatal TLS alert that the server has sent; -1 for none.
    int alert;
    /// The server name that the handshake sends (SNI, RFC 6066); NULL when the server is given by its address.
    char *name;
};

static inline struct waymark_tls_state *waymark_tls_state_of(const SSL *connection) {
    return SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection));
}

static inline int waymark_tls_verified(int is_good, X509_STORE_CTX *store) {
    SSL *connection = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    if (!is_good && connection) waymark_tls_state_of(connection)->verification = X509_STORE_CTX_get_error(store);
    return is_good;
}

static inline void waymark_tls_happened(const SSL *connection, int where, int value) {
    struct waymark_tls_state *state = waymark_tls_state_of(connection);
    // libmosquitto connects to a resolved address and sets that address as the server name, so the name is corrected
    // here, before the first message of the handshake.
    if (where == SSL_CB_HANDSHAKE_START) SSL_set_tlsext_host_name((SSL *)connection, state->name);
    if (where == SSL_CB_READ_ALERT && value >> 8 == SSL3_AL_FATAL) state->alert = value & 0xFF;
}

static inline int waymark_tls_no_password(char *buffer, int size, int is_writing, void *context) {
    (void)buffer; (void)size; (void)is_writing; (void)context;
    return 0;
}

/// A context for TLS 1.2 or later. It trusts the certificate authorities in a file, or those of the system when the
/// file is NULL, and accepts only a server whose certificate is for this name or address. NULL when the file cannot be
/// used.
static inline SSL_CTX *waymark_tls_context(
    const char *authorities, const char *name, int is_address, struct waymark_tls_state *state) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context) return NULL;
    X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    // A server certificate that is itself trusted is accepted without the certificate of its issuer, as in libcurl.
    X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
    int is_good = SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
        && (is_address ? X509_VERIFY_PARAM_set1_ip_asc(parameters, name) : X509_VERIFY_PARAM_set1_host(parameters, name, 0)) == 1
        && (authorities ? SSL_CTX_load_verify_file(context, authorities) : SSL_CTX_set_default_verify_paths(context)) == 1
        && SSL_CTX_set_app_data(context, state) == 1;
    ERR_clear_error();
    if (!is_good) {
        SSL_CTX_free(context);
        return NULL;
    }
    state->name = is_address ? NULL : strdup(name);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, waymark_tls_verified);
    SSL_CTX_set_info_callback(context, waymark_tls_happened);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    return context;
}

/// Sets the client certificate of a context, its chain of intermediate certificates and its private key, all in one PEM
/// text; 1 when they can be used.
static inline int waymark_tls_use_identity(SSL_CTX *context, const void *pem, int count) {
    // Without this function OpenSSL prompts on the terminal for the password of an encrypted key.
    SSL_CTX_set_default_passwd_cb(context, waymark_tls_no_password);
    BIO *bytes = BIO_new_mem_buf(pem, count);
    X509 *certificate = bytes ? PEM_read_bio_X509(bytes, NULL, waymark_tls_no_password, NULL) : NULL;
    int is_good = certificate && SSL_CTX_use_certificate(context, certificate) == 1;
    X509_free(certificate);
    for (X509 *next; is_good && (next = PEM_read_bio_X509(bytes, NULL, waymark_tls_no_password, NULL));) {
        // The context owns a certificate that it has accepted; any other has to be released here.
        if (SSL_CTX_add0_chain_cert(context, next) != 1) {
            X509_free(next);
            is_good = 0;
        }
    }
    BIO_free(bytes);
    BIO *again = BIO_new_mem_buf(pem, count);
    EVP_PKEY *key = again ? PEM_read_bio_PrivateKey(again, NULL, waymark_tls_no_password, NULL) : NULL;
    is_good = is_good && key && SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
    EVP_PKEY_free(key);
    BIO_free(again);
    ERR_clear_error();
    return is_good;
}

/// Whether the handshake is still in progress.
static inline int waymark_tls_is_handshaking(const void *connection) { return SSL_in_init((const SSL *)connection); }

/// How many bytes a socket has received since it was connected, tcp(7); 0 when the kernel does not report it.
static inline uint64_t waymark_bytes_received(int socket) {
    // The offset is that of tcpi_bytes_received (Linux 4.1) in linux/tcp.h. That header conflicts with netinet/tcp.h,
    // whose struct tcp_info ends before this field.
    unsigned char info[256];
    const size_t offset = 128;
    socklen_t length = sizeof info;
    uint64_t count = 0;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &length) == 0 && length >= offset + sizeof count)
        memcpy(&count, info + offset, sizeof count);
    return count;
}
#endif

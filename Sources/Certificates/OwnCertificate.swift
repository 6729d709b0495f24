import CGnuTLS
import Glibc
import Platform

/// A certificate that a server makes for itself, so that TLS needs no authority: clients are given the digest of its key.
public struct OwnCertificate: Sendable {
    /// The certificate and its private key, PEM.
    public let pem: String
    /// SHA-256 of the public key (its SubjectPublicKeyInfo, DER): what RFC 7469 and `CURLOPT_PINNEDPUBLICKEY` pin.
    public let pin: [UInt8]

    /// Makes a certificate with a new key on P-256 that is valid for twenty years from a time in seconds since 1970.
    /// - Parameter names: The host names for which it is valid.
    public static func make(names: [String], at seconds: Int) throws(CertificateError) -> OwnCertificate {
        let key = try PrivateKey()
        let certificate = try Certificate()
        try certificate.fill(names: names, key, from: seconds - 86_400, to: seconds + 20 * 365 * 86_400)
        return OwnCertificate(pem: try certificate.pem() + key.pem(), pin: try certificate.pin())
    }

    /// When the first certificate in a PEM text ceases to be valid, in seconds since 1970.
    public static func expiration(of pem: String) throws(CertificateError) -> Int {
        let certificate = try Certificate()
        try certificate.read(pem)
        return try certificate.expiration()
    }

    /// The digest of the key of the first certificate in a PEM text.
    public static func pin(of pem: String) throws(CertificateError) -> [UInt8] {
        let certificate = try Certificate()
        try certificate.read(pem)
        return try certificate.pin()
    }
}

/// What GnuTLS reports.
public struct CertificateError: Error, Equatable, CustomStringConvertible {
    /// What was attempted.
    public let operation: String
    /// The error, as gnutls_strerror(3) describes it.
    public let reason: String

    /// Throws unless a status is that of success.
    static func check(_ operation: String, _ status: Int32) throws(CertificateError) {
        guard status < 0 else { return }
        throw CertificateError(operation: operation, reason: String(cString: gnutls_strerror(status)))
    }

    /// The operation and the reason.
    public var description: String { "\(operation): \(reason)" }
}

private struct PrivateKey: ~Copyable {
    let handle: gnutls_x509_privkey_t

    init() throws(CertificateError) {
        var made: gnutls_x509_privkey_t?
        try CertificateError.check("make a private key", gnutls_x509_privkey_init(&made))
        guard let made else { throw CertificateError(operation: "make a private key", reason: "no memory") }
        let status = gnutls_x509_privkey_generate(made, GNUTLS_PK_ECDSA, waymark_p256_bits(), 0)
        guard status >= 0 else {
            gnutls_x509_privkey_deinit(made)
            throw CertificateError(operation: "make a private key", reason: String(cString: gnutls_strerror(status)))
        }
        handle = made
    }

    deinit { gnutls_x509_privkey_deinit(handle) }

    func pem() throws(CertificateError) -> String {
        try PEMText.of("write a private key") { gnutls_x509_privkey_export2(handle, GNUTLS_X509_FMT_PEM, $0) }
    }
}

private struct Certificate: ~Copyable {
    let handle: gnutls_x509_crt_t

    init() throws(CertificateError) {
        var made: gnutls_x509_crt_t?
        try CertificateError.check("make a certificate", gnutls_x509_crt_init(&made))
        guard let made else { throw CertificateError(operation: "make a certificate", reason: "no memory") }
        handle = made
    }

    deinit { gnutls_x509_crt_deinit(handle) }

    func fill(names: [String], _ key: borrowing PrivateKey, from start: Int, to end: Int) throws(CertificateError) {
        var serial = [UInt8](repeating: 0, count: 16)
        try CertificateError.check(
            "make a serial number", gnutls_rnd(GNUTLS_RND_NONCE, &serial, serial.count))
        // A serial number is positive, RFC 5280 section 4.1.2.2.
        serial[0] = serial[0] & 0x7F | 0x40
        let operation = "fill a certificate"
        try CertificateError.check(operation, gnutls_x509_crt_set_version(handle, 3))
        try CertificateError.check(operation, gnutls_x509_crt_set_serial(handle, serial, serial.count))
        try CertificateError.check(operation, gnutls_x509_crt_set_activation_time(handle, start))
        try CertificateError.check(operation, gnutls_x509_crt_set_expiration_time(handle, end))
        try CertificateError.check(operation, gnutls_x509_crt_set_key(handle, key.handle))
        let name = names.first ?? "waymark-hub"
        try CertificateError.check(
            operation,
            gnutls_x509_crt_set_dn_by_oid(handle, GNUTLS_OID_X520_COMMON_NAME, 0, name, UInt32(name.utf8.count)))
        for name in names {
            try CertificateError.check(
                operation,
                gnutls_x509_crt_set_subject_alt_name(
                    handle, GNUTLS_SAN_DNSNAME, name, UInt32(name.utf8.count), UInt32(GNUTLS_FSAN_APPEND)))
        }
        // Its own authority, so that clients can verify it with itself.
        try CertificateError.check(operation, gnutls_x509_crt_set_basic_constraints(handle, 1, 0))
        try CertificateError.check(
            "sign a certificate", gnutls_x509_crt_sign2(handle, handle, key.handle, GNUTLS_DIG_SHA256, 0))
    }

    func read(_ pem: String) throws(CertificateError) {
        var text = Array(pem.utf8)
        let status = text.withUnsafeMutableBufferPointer { bytes in
            var datum = gnutls_datum_t(data: bytes.baseAddress, size: UInt32(bytes.count))
            return gnutls_x509_crt_import(handle, &datum, GNUTLS_X509_FMT_PEM)
        }
        try CertificateError.check("read a certificate", status)
    }

    func pem() throws(CertificateError) -> String {
        try PEMText.of("write a certificate") { gnutls_x509_crt_export2(handle, GNUTLS_X509_FMT_PEM, $0) }
    }

    func expiration() throws(CertificateError) -> Int {
        let time = gnutls_x509_crt_get_expiration_time(handle)
        guard time >= 0 else {
            throw CertificateError(operation: "read a certificate", reason: "it has no end of its validity")
        }
        return time
    }

    func pin() throws(CertificateError) -> [UInt8] {
        var size = 32
        var digest = [UInt8](repeating: 0, count: size)
        try CertificateError.check(
            "digest a public key",
            gnutls_x509_crt_get_key_id(handle, GNUTLS_KEYID_USE_SHA256.rawValue, &digest, &size))
        return digest
    }
}

private enum PEMText {
    /// The text that GnuTLS writes.
    static func of(
        _ operation: String, _ write: (UnsafeMutablePointer<gnutls_datum_t>) -> Int32
    ) throws(CertificateError) -> String {
        var written = gnutls_datum_t()
        try CertificateError.check(operation, write(&written))
        // Allocated with GnuTLS's default allocator, malloc(3).
        defer { free(written.data) }
        return String(decoding: UnsafeBufferPointer(start: written.data, count: Int(written.size)), as: UTF8.self)
    }
}

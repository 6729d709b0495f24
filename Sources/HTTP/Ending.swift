import CCurl
import Upload

/// How a transfer of libcurl's ended, and what that means.
struct Ending {
    /// How it ended, libcurl-errors(3).
    var result: CURLcode
    /// The status of the answer; 0 where there was none.
    var status = 0
    /// What the verification of the destination's certificate came to, X509_STORE_CTX_get_error(3).
    var verification = 0
    /// Whether the name had been looked up, or a connection was there already.
    var hadAddress = true
    /// Whether the answer's body was longer than what is looked at.
    var isCutShort = false
    /// libcurl's own words, CURLOPT_ERRORBUFFER(3): they may name the host, and are for nobody but this.
    var words = ""

    /// An end that nothing more is known of.
    init(_ result: CURLcode) { self.result = result }

    /// One by its number.
    init(code: UInt32) { self.init(CURLcode(rawValue: code)) }

    /// Why there is no answer; nil where there is one.
    var failure: UploadFailure? {
        switch result {
        case CURLE_OK: nil
        // The rest of the body was not wanted.
        case CURLE_WRITE_ERROR where isCutShort && status > 0: nil
        case CURLE_COULDNT_RESOLVE_HOST: .nameLookup
        // The only time that is limited is that of the connection's coming about.
        case CURLE_OPERATION_TIMEDOUT: hadAddress ? .connect : .nameLookup
        case CURLE_COULDNT_CONNECT, CURLE_URL_MALFORMAT: .connect
        // The name is looked at after the handshake, and 1 is what libcurl has until a verification has failed.
        case CURLE_PEER_FAILED_VERIFICATION:
            .tls(verification > 1 ? TLSFault(verification: verification) ?? .wrongName : .wrongName)
        case CURLE_SSL_CERTPROBLEM: .tls(.credentialUnusable)
        case CURLE_SSL_CACERT_BADFILE: .tls(.authoritiesUnusable)
        case CURLE_SSL_INVALIDCERTSTATUS: .tls(.revoked)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ISSUER_ERROR,
            CURLE_USE_SSL_FAILED:
            alert.map { .tls(TLSFault(alert: $0)) } ?? (isClosedConnection ? .connectionLost : .tls(.handshake))
        // From TLS 1.3 on a certificate of this side is refused only once the handshake is over for this side.
        default: alert.map { .tls(TLSFault(alert: $0)) } ?? .connectionLost
        }
    }

    /// Whether the handshake ended because the connection did.
    private var isClosedConnection: Bool { words.contains("SSL_ERROR_SYSCALL") || words.contains("unexpected eof") }

    /// The alert of the other side that is in libcurl's words as OpenSSL's error: library 20 and 1,000 above the alert.
    /// "error:0A00045C:SSL routines::tlsv13 alert certificate required" is 116.
    private var alert: UInt8? {
        guard let mark = words.firstRange(of: "error:0A") else { return nil }
        guard let reason = UInt32(words[mark.upperBound...].prefix(6), radix: 16), (1_000...1_255).contains(reason)
        else {
            return nil
        }
        return UInt8(reason - 1_000)
    }
}

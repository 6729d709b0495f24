import CCurl
import Upload

/// The result of a libcurl transfer and its classification.
struct Ending {
    /// The result code, libcurl-errors(3).
    var result: CURLcode
    /// The status of the response; 0 without a response.
    var status = 0
    /// The result of the certificate verification, X509_STORE_CTX_get_error(3).
    var verification = 0
    /// Whether the name was resolved, or an existing connection was used.
    var hadAddress = true
    /// Whether the response's body was longer than the limit.
    var isCutShort = false
    /// libcurl's message, CURLOPT_ERRORBUFFER(3). It may name the host and is used only here.
    var words = ""

    /// A result without further details.
    init(_ result: CURLcode) { self.result = result }

    /// A result by its number.
    init(code: UInt32) { self.init(CURLcode(rawValue: code)) }

    /// The reason why there is no response; nil if there is one.
    var failure: UploadFailure? {
        switch result {
        case CURLE_OK: nil
        // The rest of the body was not wanted.
        case CURLE_WRITE_ERROR where isCutShort && status > 0: nil
        case CURLE_COULDNT_RESOLVE_HOST: .nameLookup
        // Only the connection phase has a time limit.
        case CURLE_OPERATION_TIMEDOUT: hadAddress ? .connect : .nameLookup
        case CURLE_COULDNT_CONNECT, CURLE_URL_MALFORMAT: .connect
        // The name is verified after the handshake, and 1 is libcurl's initial value until a verification has failed.
        case CURLE_PEER_FAILED_VERIFICATION:
            .tls(verification > 1 ? TLSFault(verification: verification) ?? .wrongName : .wrongName)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .tls(.untrusted)
        case CURLE_SSL_CERTPROBLEM: .tls(.credentialUnusable)
        case CURLE_SSL_CACERT_BADFILE: .tls(.authoritiesUnusable)
        case CURLE_SSL_INVALIDCERTSTATUS: .tls(.revoked)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ISSUER_ERROR,
            CURLE_USE_SSL_FAILED:
            alert.map { .tls(TLSFault(alert: $0)) } ?? (isClosedConnection ? .connectionLost : .tls(.handshake))
        // In TLS 1.3 a client certificate is refused only after the handshake has ended on the client's side.
        default: alert.map { .tls(TLSFault(alert: $0)) } ?? .connectionLost
        }
    }

    /// Whether the handshake ended because the connection was closed.
    private var isClosedConnection: Bool { words.contains("SSL_ERROR_SYSCALL") || words.contains("unexpected eof") }

    /// The other side's alert, taken from the OpenSSL error in libcurl's message: library 20 and 1,000 plus the alert.
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

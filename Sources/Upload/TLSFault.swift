/// The reason why a TLS connection was not established, in terms that let a person correct it.
public enum TLSFault: String, CaseIterable, Sendable {
    /// The destination's certificate has expired.
    case expired
    /// The validity of the destination's certificate begins in the future, if the local clock is right.
    case notYetValid
    /// The destination's certificate is for other names.
    case wrongName
    /// The destination's certificate was issued by an authority that is not trusted.
    case unknownIssuer
    /// The destination's certificate was revoked.
    case revoked
    /// The destination's certificate is not trusted for another reason.
    case untrusted
    /// The destination requires a client certificate, or does not accept the one it received.
    case certificateRefused
    /// The client certificate or its key cannot be used.
    case credentialUnusable
    /// The file of trusted authorities cannot be used.
    case authoritiesUnusable
    /// The two sides have no version or cipher in common.
    case handshake

    /// The fault for a verification result, X509_STORE_CTX_get_error(3); nil for a successful verification.
    public init?(verification code: Int) {
        switch code {
        case 0: return nil
        case 9: self = .notYetValid
        case 10: self = .expired
        // 7 and 30: issued by an authority of the same name with another key.
        case 2, 7, 18, 19, 20, 21, 30: self = .unknownIssuer
        case 23: self = .revoked
        case 62, 64: self = .wrongName
        default: self = .untrusted
        }
    }

    /// The fault that the other side reports in an alert (RFC 8446 section 6.2).
    public init(alert code: UInt8) {
        switch code {
        // Alerts about the client certificate, its issuer and access, and about a missing certificate. Before TLS 1.3
        // some servers reply with handshake_failure alone if they require a certificate, and others if there is no
        // common cipher.
        case 41...46, 48, 49, 116: self = .certificateRefused
        default: self = .handshake
        }
    }

    /// A sentence for people: the problem and the next step.
    public var explanation: String {
        switch self {
        case .expired: "The destination's certificate has expired. It has to be renewed there."
        case .notYetValid: "The destination's certificate is not valid yet. Check that this machine's clock is right."
        case .wrongName: "The destination's certificate is for another name than the one in URL=."
        case .unknownIssuer:
            "The destination's certificate is from an authority that is not trusted. If it is an authority of your own,"
                + " name the file with its certificate in CAFile=, and reload the uploader."
        case .revoked: "The destination's certificate was revoked."
        case .untrusted: "The destination's certificate cannot be trusted."
        case .certificateRefused: "The destination does not accept the certificate of this machine, or requires one."
        case .credentialUnusable:
            "The credential holds no certificate and key in PEM that belong together, or the key has a password."
        case .authoritiesUnusable: "The file that CAFile= names cannot be read, or holds no certificate in PEM."
        case .handshake: "The destination does not use TLS, or no version that is allowed (TLS 1.2 or later)."
        }
    }
}

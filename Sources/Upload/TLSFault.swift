/// What kept TLS from coming about, for a person who can do something about it.
public enum TLSFault: String, CaseIterable, Sendable {
    /// The destination's certificate is valid no longer.
    case expired
    /// The destination's certificate is valid only from a time on that has not come: where the clock is right.
    case notYetValid
    /// The destination's certificate is for other names.
    case wrongName
    /// The destination's certificate is by nobody who is trusted.
    case unknownIssuer
    /// The destination's certificate was revoked.
    case revoked
    /// The destination's certificate is not trusted for another reason.
    case untrusted
    /// The destination wants a certificate of this side, or another one.
    case certificateRefused
    /// The certificate or the key of this side cannot be used.
    case credentialUnusable
    /// The file of trusted authorities cannot be used.
    case authoritiesUnusable
    /// The two sides found nothing that both can.
    case handshake

    /// The fault that a verification ended with, X509_STORE_CTX_get_error(3); nil where it ended well.
    public init?(verification code: Int) {
        switch code {
        case 0: return nil
        case 9: self = .notYetValid
        case 10: self = .expired
        // 7 and 30: by an authority of the same name with another key.
        case 2, 7, 18, 19, 20, 21, 30: self = .unknownIssuer
        case 23: self = .revoked
        case 62, 64: self = .wrongName
        default: self = .untrusted
        }
    }

    /// The fault that the other side tells in an alert, RFC 8446 section 6.2.
    public init(alert code: UInt8) {
        switch code {
        // About the certificate, its issuer, access, and that there is none. Before TLS 1.3 a handshake failure is all
        // that some tell who wanted one, and others who have no cipher in common.
        case 41...46, 48, 49, 116: self = .certificateRefused
        default: self = .handshake
        }
    }

    /// What is wrong, and what to do, in a sentence.
    public var explanation: String {
        switch self {
        case .expired: "The destination's certificate has expired: it has to be renewed there."
        case .notYetValid: "The destination's certificate is not valid yet. See whether this machine's clock is right."
        case .wrongName: "The destination's certificate is for another name than the one in URL=."
        case .unknownIssuer:
            "The destination's certificate is by an authority that is not trusted here. Name its certificate in CAFile=."
        case .revoked: "The destination's certificate was revoked."
        case .untrusted: "The destination's certificate cannot be trusted."
        case .certificateRefused: "The destination does not accept the certificate that it was shown, or wants one."
        case .credentialUnusable:
            "The credential holds no certificate and key in PEM that belong together, or the key has a password."
        case .authoritiesUnusable: "The file that CAFile= names cannot be read, or holds no certificate in PEM."
        case .handshake: "The destination speaks no TLS, or none that is allowed: TLS 1.2 or later."
        }
    }
}

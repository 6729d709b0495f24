import COpenSSL
import Platform
import Upload

/// The TLS context of a broker's connection. It is made directly with OpenSSL, because libmosquitto reads a client's
/// key from files only and does not report what is wrong with a certificate.
final class TLSContext {
    let pointer: OpaquePointer
    private let state: UnsafeMutablePointer<waymark_tls_state>

    /// A context with the trusted authorities and the client certificate of the settings.
    init(_ settings: MQTTSettings) throws(TLSProblem) {
        state = .allocate(capacity: 1)
        state.initialize(to: waymark_tls_state(verification: 0, alert: -1, name: nil))
        let isAddress = if case .address = settings.host { true } else { false }
        let name = settings.host.description
        let context =
            settings.authorityFile.isEmpty
            ? waymark_tls_context(nil, name, isAddress ? 1 : 0, state)
            : waymark_tls_context(settings.authorityFile, name, isAddress ? 1 : 0, state)
        guard let context else {
            state.deallocate()
            throw TLSProblem(fault: .authoritiesUnusable)
        }
        pointer = context
        guard case .certificate(let secret) = settings.credential else { return }
        let isUsable = secret.withBytes { waymark_tls_use_identity(context, $0.baseAddress, Int32($0.count)) }
        if isUsable != 1 { throw TLSProblem(fault: .credentialUnusable) }
    }

    /// The reason why the handshake failed, if it is known.
    var fault: TLSFault? {
        if let fault = TLSFault(verification: Int(state.pointee.verification)) { return fault }
        return UInt8(exactly: state.pointee.alert).map { TLSFault(alert: $0) }
    }

    /// Clears the result of the last handshake.
    func reset() {
        state.pointee.verification = 0
        state.pointee.alert = -1
    }

    // No other reference to the context remains: the session that used it is destroyed first.
    deinit {
        SSL_CTX_free(pointer)
        free(state.pointee.name)
        state.deallocate()
    }
}

/// TLS cannot be started.
struct TLSProblem: Error {
    let fault: TLSFault
}

import JSONText
import Records

/// What `waymark-hub invite` prints: the address of a hub, and a code that may have the digest of the hub's key after a dot.
struct HubInvitation: Equatable {
    var hub: String
    var code: String
    var pin: [UInt8]?

    /// Why a text is no invitation.
    enum Objection: Error, Equatable {
        case address(String)
        case code(String)
    }

    init(hub text: String, code: String) throws(Objection) {
        let address = try Self.address(text)
        hub = address.text
        let parts = code.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty, parts.count <= 2 else {
            throw .code("is no code of waymark-hub invite")
        }
        self.code = String(first)
        if parts.count == 2 {
            guard let digest = HexText.bytes(of: String(parts[1])), digest.count == 32 else {
                throw .code("has no digest of 64 hexadecimal digits after its dot: copy all of it")
            }
            pin = digest
        }
        if pin != nil, !address.isEncrypted {
            throw .address("begins with http:, but the code is one of a hub with a certificate: write https:")
        }
    }

    /// Machines join without TLS only on the hub's own machine.
    private static func address(_ text: String) throws(Objection) -> HubURL {
        do throws(HubURL.Fault) { return try HubURL(text) } catch {
            switch error {
            case .malformed: throw .address("is no address of a hub, such as https://server:8743")
            case .unencrypted:
                throw .address("is without TLS, which is accepted for this machine only: use the hub's https address")
            }
        }
    }
}

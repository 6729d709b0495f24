/// A host as a person or a program specifies it: a name to look up, or an address.
public enum TargetHost: Hashable, Sendable {
    /// A name, as it was written.
    case name(String)
    /// An address; for a link-local one with the interface, by name or index.
    case address(IPAddress, zone: String?)

    /// Parses `tracker.example.org`, `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`; nil for a text that is neither a
    /// name nor an address.
    public init?(_ text: String) {
        if let address = HostAddress(text) {
            self = .address(address.address, zone: address.zone)
        } else if HostName(text) != nil {
            self = .name(text)
        } else {
            return nil
        }
    }
}

extension TargetHost: CustomStringConvertible {
    /// The usual notation.
    public var description: String {
        switch self {
        case .name(let name): name
        case .address(let address, let zone): zone.map { "\(address)%\($0)" } ?? address.description
        }
    }
}

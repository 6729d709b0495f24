/// A host as a person or a program names it: by a name that is to be looked up, or by an address.
public enum TargetHost: Hashable, Sendable {
    /// A name, as it was written.
    case name(String)
    /// An address; with the interface that a link-local one is meant on, by name or number.
    case address(IPAddress, zone: String?)

    /// The host that is written so: `tracker.example.org`, `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0`; nil for what is
    /// neither a name nor an address.
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
    /// As it is written.
    public var description: String {
        switch self {
        case .name(let name): name
        case .address(let address, let zone): zone.map { "\(address)%\($0)" } ?? address.description
        }
    }
}

import NetworkPaths

/// A host as a client specified it.
public enum Host: Hashable, Sendable {
    /// By address.
    case address(HostAddress)
    /// By name, in lower case.
    case name(String)

    /// Parses a host; nil if the text is neither an address nor a name that could be looked up.
    public init?(_ text: String) {
        if let address = HostAddress(text) {
            self = .address(address)
        } else if let name = HostName(text) {
            self = .name(name.folded)
        } else {
            return nil
        }
    }
}

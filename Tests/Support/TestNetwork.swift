import CTest
import Glibc
import Platform

/// A machine of a test's own with uplinks to a router of its own, and the world behind that: two network namespaces.
///
/// Each uplink is a pair of interfaces, `up0` at the machine and `far0` at the router, and so on. The addresses are
/// those for documentation, RFC 5737 and RFC 3849, and 10.77.0.0/16.
public final class TestNetwork {
    /// The IP versions of a network.
    public enum Family: String, CaseIterable, Sendable, CustomStringConvertible {
        case ipv4, ipv6, both

        /// In words, for a test's name.
        public var description: String { rawValue }
        /// Whether version 4 is spoken.
        public var hasIPv4: Bool { self != .ipv6 }
        /// Whether version 6 is spoken.
        public var hasIPv6: Bool { self != .ipv4 }
        /// Each of them, as an option of ip(8).
        public var options: [String] { (hasIPv4 ? ["-4"] : []) + (hasIPv6 ? ["-6"] : []) }
    }

    /// A host of the world behind the router.
    public static let worldIPv4 = "198.51.100.9"
    /// The same host.
    public static let worldIPv6 = "2001:db8:100::9"

    /// The versions of the protocol in it.
    public let family: Family
    /// The machine.
    public let machine: PrivateNetwork
    /// The router and everything behind it.
    public let far: PrivateNetwork
    /// How many uplinks there are.
    public let uplinkCount: Int

    /// Connects a machine with a number of uplinks, and a default route by each, the first one's with the lowest
    /// metric: 100, 200 and so on.
    public init(_ family: Family, uplinks: Int = 1) throws {
        self.family = family
        uplinkCount = uplinks
        machine = try PrivateNetwork()
        far = try PrivateNetwork()
        if family.hasIPv4 { try far.ip("address add \(Self.worldIPv4)/32 dev lo") }
        if family.hasIPv6 { try far.ip("address add \(Self.worldIPv6)/128 dev lo") }
        // So that it announces itself as a router.
        for name in ["ipv4/ip_forward", "ipv6/conf/all/forwarding"] { try far.set("net/\(name)", "1") }
        for number in 0..<uplinks { try connect(number) }
    }

    /// The machine's address on an uplink.
    public static func ownIPv4(_ uplink: Int = 0) -> String { "10.77.\(uplink).2" }
    /// The machine's address on an uplink.
    public static func ownIPv6(_ uplink: Int = 0) -> String { "2001:db8:77:\(uplink)::2" }
    /// The router's address on an uplink.
    public static func routerIPv4(_ uplink: Int = 0) -> String { "10.77.\(uplink).1" }
    /// The router's address on an uplink.
    public static func routerIPv6(_ uplink: Int = 0) -> String { "2001:db8:77:\(uplink)::1" }

    /// The world's host by each version that is spoken.
    public var world: [String] {
        (family.hasIPv4 ? [Self.worldIPv4] : []) + (family.hasIPv6 ? [Self.worldIPv6] : [])
    }

    /// Creates an uplink again, if it is missing.
    public func connect(_ uplink: Int = 0) throws {
        machine.forgetInterfaces()
        far.forgetInterfaces()
        try machine.ip("link add up\(uplink) type veth peer name far\(uplink) netns \(far.processID)")
        try restore(uplink)
        // The kernel reports the carrier with a delay, and then assigns the link-local address.
        let isReady = try eventually(within: 60) {
            let description = try machine.ip("address show dev up\(uplink)")
            return description.contains(" state UP ") && description.contains(" scope link ")
        }
        guard isReady else { throw SystemError("wait for an uplink", code: ETIMEDOUT) }
    }

    /// Restores an existing uplink: both ends up, addresses, the default route.
    public func restore(_ uplink: Int = 0) throws {
        try far.ip("link set far\(uplink) up")
        try machine.ip("link set up\(uplink) up")
        if family.hasIPv4 {
            try far.ip("address replace \(Self.routerIPv4(uplink))/24 dev far\(uplink)")
            try machine.ip("address replace \(Self.ownIPv4(uplink))/24 dev up\(uplink)")
        }
        if family.hasIPv6 {
            try far.ip("address replace \(Self.routerIPv6(uplink))/64 dev far\(uplink) nodad")
            try machine.ip("address replace \(Self.ownIPv6(uplink))/64 dev up\(uplink) nodad")
        }
        for route in defaults(uplink) { try machine.ip("route replace \(route)") }
    }

    /// The default routes of an uplink, in the syntax of ip(8).
    public func defaults(_ uplink: Int = 0) -> [String] {
        let rest = "dev up\(uplink) metric \(100 * (uplink + 1))"
        let ipv4 = "0.0.0.0/0 via \(Self.routerIPv4(uplink)) \(rest)"
        let ipv6 = "::/0 via \(Self.routerIPv6(uplink)) \(rest)"
        return (family.hasIPv4 ? [ipv4] : []) + (family.hasIPv6 ? [ipv6] : [])
    }

    /// Sends one datagram to a host of the world from the machine, so that the kernel learns whether the router
    /// replies. A failure to send is no error.
    public func knock(_ address: String) throws {
        _ = try machine.inside { waymark_test_knock(address) }
    }
}

import Glibc
import Platform

/// Removes and restores the default route of the private network, and records the times: rtnetlink(7) directly, as a
/// program that is started for each change would disturb the measurement.
struct RouteSwitch: ~Copyable {
    /// The time of a change: nanoseconds of CLOCK_MONOTONIC right before the request to the kernel, and after its
    /// completion.
    struct Change {
        let isLoss: Bool
        let before, after: UInt64
    }

    private let socket: OwnedDescriptor
    private let interface: UInt32
    private let gateway: [UInt8]
    private var sequence: UInt32 = 0

    /// Of the default route by this router in the network of the calling thread.
    init(
        interface name: String = OwnNetwork.interface, gateway: [UInt8] = OwnNetwork.gateway
    ) throws(SystemError) {
        self.gateway = gateway
        socket = try OwnedDescriptor("open a netlink socket") {
            Glibc.socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        interface = if_nametoindex(name)
    }

    mutating func lose() throws(SystemError) -> Change { try change(RouteMessage.delete) }
    mutating func gain() throws(SystemError) -> Change { try change(RouteMessage.add) }

    private mutating func change(_ message: RouteMessage) throws(SystemError) -> Change {
        sequence += 1
        let bytes = message.bytes(gateway: gateway, interface: interface, sequence: sequence)
        let descriptor = socket.number
        let before = SystemClock().monotonicNanoseconds
        try retrying("change the route") { bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
        let after = SystemClock().monotonicNanoseconds
        var answer = [UInt8](repeating: 0, count: 4_096)
        try retrying("read the kernel's reply") { read(descriptor, &answer, answer.count) }
        // struct nlmsgerr follows the header of 16 bytes, and begins with the error's negative number.
        let code = answer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: Int32.self) }
        guard code == 0 else { throw SystemError("change the route", code: -code) }
        return Change(isLoss: message == .delete, before: before, after: after)
    }
}

/// RTM_NEWROUTE or RTM_DELROUTE of an IPv4 default route.
private enum RouteMessage: UInt16 {
    case add = 24
    case delete = 25

    func bytes(gateway: [UInt8], interface: UInt32, sequence: UInt32) -> [UInt8] {
        // struct rtmsg: AF_INET, no bits of a destination, table main, RTPROT_BOOT, universe, unicast, no flags.
        var body: [UInt8] = [UInt8(AF_INET), 0, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0]
        body += Self.attribute(5, gateway) + Self.attribute(4, Self.native(interface))
        // NLM_F_REQUEST and NLM_F_ACK, and for a new one NLM_F_CREATE and NLM_F_EXCL.
        let flags: UInt16 = self == .add ? 0x605 : 5
        return Self.native(UInt32(16 + body.count)) + Self.native(rawValue) + Self.native(flags)
            + Self.native(sequence) + Self.native(UInt32(0)) + body
    }

    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        native(UInt16(4 + value.count)) + native(type) + value
    }

    /// In the machine's own order of bytes.
    private static func native(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
}

import Glibc

/// The user ids that this process can see. In a user namespace, user_namespaces(7), all others appear as one id.
public struct UserNamespaceMapping: Sendable {
    private let ranges: [ClosedRange<UInt64>]

    /// The mapping of this process.
    public static let own: UserNamespaceMapping = {
        do {
            return UserNamespaceMapping(try BoundedFile.bytes(of: "/proc/self/uid_map", limit: 65_536))
        } catch {
            // A kernel without user namespaces.
            return UserNamespaceMapping(Array("0 0 4294967295".utf8))
        }
    }()

    /// A mapping in the format of `/proc/PID/uid_map`: on each line the first id inside, the first one outside, and the
    /// number of ids.
    init(_ text: [UInt8]) {
        ranges = text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let numbers = line.split(separator: UInt8(ascii: " ")).map { UInt64(String(decoding: $0, as: UTF8.self)) }
            guard numbers.count == 3, let first = numbers[0], let count = numbers[2], count > 0 else { return nil }
            let (last, overflows) = first.addingReportingOverflow(count - 1)
            return overflows ? nil : first...last
        }
    }

    /// Whether an id is that of one user; if not, it stands for all users that this process cannot see.
    public func shows(_ user: uid_t) -> Bool { ranges.contains { $0.contains(UInt64(user)) } }
}

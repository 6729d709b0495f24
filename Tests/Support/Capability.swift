import Glibc
import Platform

/// A capability of root that this process may lack although it is root, capabilities(7). A test that needs it is
/// skipped where it is missing.
public enum Capability: UInt64, Sendable {
    /// CAP_CHOWN: to change the owner of files.
    case changeOwners = 0
    /// CAP_DAC_READ_SEARCH: to read every file.
    case readEverything = 2
    /// CAP_SETGID: to change to any group.
    case setGroups = 6
    /// CAP_SETUID: to change to any user.
    case setUser = 7
    /// CAP_SETPCAP: to limit the capabilities of a program.
    case chooseCapabilities = 8
    /// CAP_SYS_PTRACE: to read which programs other users run.
    case trace = 19
    /// CAP_SYS_ADMIN: to mount, to choose the number of the next process.
    case administer = 21
    /// CAP_SYS_TIME: to set the clock.
    case setClock = 25

    /// Whether this process has it.
    public var isHeld: Bool { Self.held & (1 << rawValue) != 0 }

    private static let held: UInt64 = {
        let status: [UInt8]
        do { status = try BoundedFile.bytes(of: "/proc/self/status", limit: 65_536) } catch { return 0 }
        for line in String(decoding: status, as: UTF8.self).split(separator: "\n") where line.hasPrefix("CapEff:\t") {
            return UInt64(line.dropFirst(8), radix: 16) ?? 0
        }
        return 0
    }()
}

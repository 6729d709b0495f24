import CLinux
import Glibc

/// The peer of a Unix socket as the kernel reports it, determined when the connection is accepted.
public final class PeerIdentity: Sendable {
    /// The process that connected. Numbers are reused: `isAlive` shows whether this is still the same process.
    public let processID: pid_t
    /// Its effective user when it connected.
    public let userID: uid_t
    /// Its effective group when it connected.
    public let groupID: gid_t
    /// Its supplementary groups when it connected, SO_PEERGROUPS of socket(7).
    public let supplementaryGroups: [gid_t]
    /// False if the kernel bound the process to the connection (SO_PEERPIDFD, Linux 6.5). True if it was looked up by
    /// its number shortly afterwards, so that it may be another process that got the number.
    public let isRacy: Bool
    /// The label that a security module assigned to it when it connected, SO_PEERSEC; nil without such a module.
    public let securityLabel: String?
    private let pidfd: OwnedDescriptor?

    /// Queries the kernel for the peer of a connected socket.
    public convenience init(socket: Int32) throws(SystemError) {
        try self.init(socket: socket, kernelBinds: true)
    }

    /// The peer of a connection that an earlier process of this service accepted. If the kernel does not bind a process
    /// to the connection, the earlier process handed over the peer's pidfd as well, because the number may belong to
    /// another process by now.
    public convenience init(socket: Int32, handedProcess: consuming OwnedDescriptor?) throws(SystemError) {
        try self.init(socket: socket, kernelBinds: true, process: .handed(handedProcess))
    }

    /// Behaves like a kernel that binds processes to connections, or like one that does not.
    convenience init(socket: Int32, kernelBinds: Bool) throws(SystemError) {
        try self.init(socket: socket, kernelBinds: kernelBinds, process: .byNumber)
    }

    /// How to find a process that the kernel did not bind.
    enum Process: ~Copyable {
        case byNumber
        /// By the pidfd that was handed over; nil if there was none, and then the process is unknown.
        case handed(OwnedDescriptor?)
    }

    init(socket: Int32, kernelBinds: Bool, process: consuming Process) throws(SystemError) {
        var credentials = waymark_peer_credentials()
        try retrying("query the peer's credentials") { waymark_peer_credentials(socket, &credentials) }
        processID = credentials.pid
        userID = credentials.uid
        groupID = credentials.gid
        supplementaryGroups = try Self.groups(socket)
        securityLabel = Self.label(socket)
        let bound = kernelBinds ? waymark_peer_pidfd(socket) : -1
        let isUnsupported = bound < 0 && (!kernelBinds || errno == ENOPROTOOPT)
        // Any other error means that the process has ended: its number may belong to another process.
        isRacy = isUnsupported
        guard isUnsupported else {
            pidfd = bound >= 0 ? OwnedDescriptor(adopting: bound) : nil
            return
        }
        switch consume process {
        case .handed(let handed): pidfd = handed
        case .byNumber:
            let opened = Self.open(credentials.pid, of: credentials.uid)
            pidfd = opened >= 0 ? OwnedDescriptor(adopting: opened) : nil
        }
    }

    /// Opens the process with this number; -1 if none of this user has it, both before and after.
    private static func open(_ processID: pid_t, of user: uid_t) -> Int32 {
        guard processID > 0, let before = ProcessRecord(processID), before.effectiveUser == user else { return -1 }
        let opened = waymark_pidfd_open(processID)
        guard opened >= 0 else { return -1 }
        if ProcessRecord(processID) == before { return opened }
        _ = close(opened)
        return -1
    }

    private static func label(_ socket: Int32) -> String? {
        var label = [UInt8](repeating: 0, count: 4_096)
        var length = socklen_t(label.count)
        guard getsockopt(socket, SOL_SOCKET, SO_PEERSEC, &label, &length) == 0 else { return nil }
        let text = label.prefix(Int(length)).prefix { $0 != 0 }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    /// Whether the process is running: a pidfd becomes readable when it ends, pidfd_open(2).
    public var isAlive: Bool {
        guard let pidfdNumber else { return false }
        var entry = pollfd(fd: pidfdNumber, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    /// When the process was started, in clock ticks since the start of the machine, proc(5); nil if it has ended or may
    /// not be examined. Together with its number this identifies the process within one boot.
    public var startTime: UInt64? {
        // It is alive before and after the read, so the record belongs to it.
        guard isAlive, let record = ProcessRecord(processID), isAlive else { return nil }
        return record.startTime
    }

    /// The pidfd, valid as long as this object exists; nil if the process had already ended.
    public var pidfdNumber: Int32? {
        switch pidfd {
        case .some(let descriptor): descriptor.number
        case .none: nil
        }
    }

    /// Whether the peer had this group, as its effective or as a supplementary one.
    public func belongs(to group: gid_t) -> Bool {
        groupID == group || supplementaryGroups.contains(group)
    }

    private static func groups(_ socket: Int32) throws(SystemError) -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: 64)
        while true {
            var length = socklen_t(groups.count * MemoryLayout<gid_t>.stride)
            if getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 {
                return Array(groups.prefix(Int(length) / MemoryLayout<gid_t>.stride))
            }
            // For ERANGE, `length` is the size that the list needs.
            guard errno == ERANGE, Int(length) > groups.count * MemoryLayout<gid_t>.stride else {
                throw SystemError("query the peer's groups")
            }
            groups = [gid_t](repeating: 0, count: Int(length) / MemoryLayout<gid_t>.stride)
        }
    }

    /// The number of a group by its name, getgrnam_r(3); nil if there is none.
    public static func groupID(named name: String) throws(SystemError) -> gid_t? {
        var buffer = [CChar](repeating: 0, count: 4096)
        while true {
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            let status = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
            switch status {
            case 0: return found == nil ? nil : entry.gr_gid
            case EINTR: continue
            case ERANGE where buffer.count < 1 << 20: buffer = [CChar](repeating: 0, count: buffer.count * 4)
            case ENOENT, ESRCH: return nil
            default: throw SystemError("look up the group", code: status, subject: name)
            }
        }
    }
}

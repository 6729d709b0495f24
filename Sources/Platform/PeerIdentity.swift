import CLinux
import Glibc

/// Who is at the other end of a Unix socket, as the kernel says, taken when the connection is accepted.
public final class PeerIdentity: Sendable {
    /// The process that connected. Numbers are used again: `isAlive` says whether this is still that process.
    public let processID: pid_t
    /// Its effective user when it connected.
    public let userID: uid_t
    /// Its effective group when it connected.
    public let groupID: gid_t
    /// Its supplementary groups when it connected, SO_PEERGROUPS of socket(7).
    public let supplementaryGroups: [gid_t]
    /// Whether the process was bound to the connection by the kernel (SO_PEERPIDFD, Linux 6.5), or looked up by its
    /// number shortly afterwards, which a process that ends and another that takes its number can win.
    public let isRacy: Bool
    /// The label that a security module gave it when it connected, SO_PEERSEC; nil where there is no such module.
    public let securityLabel: String?
    private let pidfd: OwnedDescriptor?

    /// Asks the kernel about the peer of a connected socket.
    public convenience init(socket: Int32) throws(SystemError) {
        try self.init(socket: socket, kernelBinds: true)
    }

    /// The peer of a connection that was accepted by an earlier process of this service, which handed over the peer's pidfd
    /// with it where the kernel does not bind one to the connection: by its number it could be another by now.
    public convenience init(socket: Int32, handedProcess: consuming OwnedDescriptor?) throws(SystemError) {
        try self.init(socket: socket, kernelBinds: true, process: .handed(handedProcess))
    }

    /// As a kernel does that binds processes to connections, or as one that does not.
    convenience init(socket: Int32, kernelBinds: Bool) throws(SystemError) {
        try self.init(socket: socket, kernelBinds: kernelBinds, process: .byNumber)
    }

    /// Where a process is found to which the kernel binds nothing.
    enum Process: ~Copyable {
        case byNumber
        /// The pidfd that was handed over; nil where none was, and then nothing is known of the process.
        case handed(OwnedDescriptor?)
    }

    init(socket: Int32, kernelBinds: Bool, process: consuming Process) throws(SystemError) {
        var credentials = waymark_peer_credentials()
        try retrying("ask for the peer's credentials") { waymark_peer_credentials(socket, &credentials) }
        processID = credentials.pid
        userID = credentials.uid
        groupID = credentials.gid
        supplementaryGroups = try Self.groups(socket)
        securityLabel = Self.label(socket)
        let bound = kernelBinds ? waymark_peer_pidfd(socket) : -1
        let isUnsupported = bound < 0 && (!kernelBinds || errno == ENOPROTOOPT)
        // Any other refusal is about the process, which is gone then: whoever has its number now is somebody else.
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

    /// Opens the process that has this number; -1 where none of this user has it, before as after.
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

    /// Whether the process still runs: a pidfd becomes readable when it ends, pidfd_open(2).
    public var isAlive: Bool {
        guard let pidfdNumber else { return false }
        var entry = pollfd(fd: pidfdNumber, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    /// When the process was started, in clock ticks since the machine was, proc(5); nil where it has ended or may not be
    /// seen. With its number it names the process within one boot.
    public var startTime: UInt64? {
        // Read between two instants at which it is alive, it is its own.
        guard isAlive, let record = ProcessRecord(processID), isAlive else { return nil }
        return record.startTime
    }

    /// The pidfd, valid as long as the identity lives; nil where the process was gone already.
    public var pidfdNumber: Int32? {
        switch pidfd {
        case .some(let descriptor): descriptor.number
        case .none: nil
        }
    }

    /// Whether the peer had this group, as its own or as a supplementary one.
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
            // ERANGE says in `length` how much room the list needs.
            guard errno == ERANGE, Int(length) > groups.count * MemoryLayout<gid_t>.stride else {
                throw SystemError("ask for the peer's groups")
            }
            groups = [gid_t](repeating: 0, count: Int(length) / MemoryLayout<gid_t>.stride)
        }
    }

    /// The number of a group by its name, getgrnam_r(3); nil where there is none.
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

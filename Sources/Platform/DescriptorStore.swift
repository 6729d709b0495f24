import CLinux
import Glibc

/// The service manager's store of file descriptors: stored descriptors survive this process and are passed to the next
/// one with the listening sockets. `FDSTORE=1` of sd_notify(3).
///
/// Its functions block until the service manager's socket has room for the message, at most until a deadline. They are for a
/// process that is starting or ending. The service manager does not answer, so that nothing shows whether it stores the
/// descriptors.
public struct DescriptorStore: ~Copyable, Sendable {
    private let socket: OwnedDescriptor
    /// The number of descriptors that the service manager accepts, if it reports that: `$FDSTORE` of systemd 254 and
    /// later.
    public let capacity: Int?

    /// The store of the service manager that started this process; nil if there is none.
    public init?() throws(SystemError) {
        guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), !path.isEmpty else { return nil }
        try self.init(path: path, capacity: getenv("FDSTORE").flatMap { Int(String(cString: $0)) })
    }

    /// The store of the service manager that listens at this path and accepts this many descriptors.
    public init(path: String, capacity: Int?) throws(SystemError) {
        self.capacity = capacity
        socket = try UnixSocket.connectAtOnce(path: path, .datagrams)
    }

    /// Stores one or two descriptors under a name; false if its socket had no room for them before the deadline.
    ///
    /// systemd removes a stored socket when its peer has closed it, and with it the data that has not been read, unless
    /// `isPolled` is false (FDPOLL=0).
    public borrowing func add(
        _ descriptors: [Int32], name: String, isPolled: Bool = true, until deadline: PollDeadline
    ) throws(SystemError) -> Bool {
        try send("FDSTORE=1\nFDNAME=\(name)" + (isPolled ? "" : "\nFDPOLL=0"), descriptors, until: deadline)
    }

    /// Removes the descriptors of that name from the store; false if its socket had no room before the deadline.
    public borrowing func remove(_ name: String, until deadline: PollDeadline) throws(SystemError) -> Bool {
        try send("FDSTOREREMOVE=1\nFDNAME=\(name)", [], until: deadline)
    }

    private borrowing func send(
        _ text: String, _ descriptors: [Int32], until deadline: PollDeadline
    ) throws(SystemError) -> Bool {
        while true {
            if try send(text, descriptors) { return true }
            guard !deadline.hasPassed, try deadline.poll(socket.number, for: POLLOUT) else { return false }
            // The socket may be writable although the kernel has no room for the descriptors.
            _ = try PollDeadline(after: .milliseconds(1)).wait(for: [])
        }
    }

    private borrowing func send(_ text: String, _ descriptors: [Int32]) throws(SystemError) -> Bool {
        let bytes = Array(text.utf8)
        let number = socket.number
        do throws(SystemError) {
            try retrying("notify the service manager") {
                Int32(
                    waymark_send_message(
                        number, bytes, bytes.count, descriptors, descriptors.count, Int32(MSG_DONTWAIT)))
            }
            return true
        } catch {
            switch error.code {
            // ETOOMANYREFS: the limit of descriptors in transit is reached.
            case EAGAIN, ENOBUFS, ENOMEM, ETOOMANYREFS: return false
            default: throw error
            }
        }
    }
}

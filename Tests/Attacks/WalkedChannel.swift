import Platform
import TestClients
import TestSupport

/// A connection to the daemon over which a walk makes one call.
protocol WalkedChannel {
    /// Sends a message.
    func send(_ message: String) throws
    /// The next message; nil where none arrives in time.
    func next(seconds: Double) throws -> String?
    /// The messages received meanwhile, and whether the daemon has closed the connection.
    func arrived() throws -> (String, isClosed: Bool)
    /// Ends it.
    func end()
}

/// A connection that the test's own process has opened, as the user that it had then.
struct SocketChannel: WalkedChannel {
    private let connection: RawConnection

    init(_ connection: RawConnection) {
        self.connection = connection
    }

    func send(_ message: String) throws {
        guard try connection.send(message: message) == .everything else {
            throw SystemError("send a call")
        }
    }

    func next(seconds: Double) throws -> String? { try connection.read(messages: 1, seconds: seconds) }

    func arrived() throws -> (String, isClosed: Bool) {
        let (bytes, isClosed) = try connection.readArrived()
        return (String(decoding: bytes, as: UTF8.self), isClosed)
    }

    func end() {}
}

/// A connection that another program has made.
struct ProgramChannel: WalkedChannel {
    private let program: ProgramClient

    init(_ program: ProgramClient) {
        self.program = program
    }

    func send(_ message: String) throws { try program.send(message) }

    func next(seconds: Double) throws -> String? {
        try program.next(seconds: seconds).map { String(decoding: $0, as: UTF8.self) }
    }

    func arrived() throws -> (String, isClosed: Bool) { (try next(seconds: 0) ?? "", false) }

    func end() { program.signal(9) }
}

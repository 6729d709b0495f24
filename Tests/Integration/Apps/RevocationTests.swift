import CLinux
import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Revocation is linear: once `Authorize(deny)` has returned, nothing more reaches any client of the app until it is
/// allowed again, however many there are and whatever they do.
///
/// The instant at which the reply was read counts. Data in a client's kernel buffer at that instant was sent before:
/// each client reads it immediately, and must find at its end the error that ends the stream. Any later position is a
/// failure, also one in reply to a client that calls again immediately.
///
/// `WAYMARK_REVOCATIONS` is the number of revocations; `Scripts/check-revocation` runs enough to meet rare
/// interleavings.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RevocationTests {
    private static let revocations = getenv("WAYMARK_REVOCATIONS").flatMap { Int(String(cString: $0)) } ?? 100
    private static let clients = 200
    /// The number of these clients that read only after a revocation.
    private static let lazyClients = 20

    @Test(.timeLimit(.minutes(60)))
    func `after a revocation has returned no client of the app gets a further position`() throws {
        let apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        let recording = try Products.recording(
            "ten-hertz", seconds: max(600, 60 + Self.revocations / 2), in: apps.directory)
        let receiver = try PlayedReceiver(recording)
        defer { receiver.stop() }
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address, logLevel: "warning")
        let manage = try Client(path: daemon.socketPath, timeout: .seconds(60))
        func authorize(_ status: ManageInterface.Authorize.Status) throws {
            var writer = JSONWriter()
            ManageInterface.Authorize(app: "trailmap", uid: OtherUser.nobody, status: status).write(to: &writer)
            _ = try manage.call(
                ManageInterface.Method.authorize.rawValue, try JSON.parse(writer.bytes), timeout: .seconds(60))
        }
        try authorize(.always)
        var streams = try (0..<Self.clients).map { _ in try Stream(daemon.socketPath) }
        var random = SeededGenerator(seed: 7)
        var tally = Tally()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let begin = SystemClock().monotonicNanoseconds

        for index in streams.indices { try streams[index].waitForPosition(&buffer) }
        for revocation in 1...Self.revocations {
            // Somewhere between two positions, or in the midst of giving one out.
            try pause(Int.random(in: 0...60, using: &random), &streams, upTo: Self.clients - Self.lazyClients, &buffer)
            let asked = SystemClock().monotonicNanoseconds
            try authorize(.deny)
            tally.add(reply: SystemClock().monotonicNanoseconds - asked)
            for index in streams.indices {
                try streams[index].read(&buffer)
                tally.positions += streams[index].drainCount()
                if !streams[index].isDenied, streams[index].wasFull {
                    try streams[index].readMore(&buffer)
                    tally.late += streams[index].drainCount()
                }
                if !streams[index].isDenied { tally.unreported += 1 }
            }
            for index in streams.indices where index % 3 == 0 { try streams[index].call() }
            try pause(Int.random(in: 0...140, using: &random), &streams, upTo: Self.clients, &buffer)
            tally.late += streams.indices.reduce(0) { $0 + streams[$1].drainCount() }
            tally.revocations = revocation
            guard tally.isSound else { break }
            try authorize(.always)
            for index in streams.indices {
                // The reply to the call above arrives before the reply to this one.
                try streams[index].call()
            }
            if revocation % 10 == 0 {
                for index in streams.indices { try streams[index].waitForPosition(&buffer) }
            }
        }
        tally.closures = streams.reduce(0) { $0 + $1.closures }
        tally.seconds = Double(SystemClock().monotonicNanoseconds - begin) / 1e9
        print("\(tally)")
        #expect(tally.isSound, "\(tally)")
        #expect(tally.positions > Self.revocations, "hardly anything was there to be revoked: \(tally)")
        #expect(try daemon.stop() == .exited(0))
    }

    @Test func `a client that does not read finds no position that was not sent before the revocation`() throws {
        let apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        // Fast enough to fill a client's kernel buffer soon.
        let receiver = try PlayedReceiver.tenHertz(pace: .times(3))
        defer { receiver.stop() }
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address, logLevel: "warning")
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
        let clients = try (0..<5).map { _ in try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath)) }
        let call = #"{"method":"io.waymark.Location.Monitor","more":true}"#
        for client in clients { #expect(try client.send(message: call) == .everything) }
        func clientsOfStatus() throws -> DaemonStatus.Clients { try manage.status().clients }
        // From then on the newest position waits in the daemon, for all of them.
        #expect(try eventually(within: 60) { try clientsOfStatus().dropped >= 50 }, "\(daemon.log)")
        try manage.authorize("trailmap", .deny)

        // The daemon is stopped while the data sent before is read, so that it cannot send more into the freed space.
        daemon.signal(SIGSTOP)
        let arrived = try clients.map { try $0.readArrived() }
        daemon.signal(SIGCONT)
        #expect(arrived.allSatisfy { $0.bytes.count > 10_000 }, "nothing had been sent")
        // This program is the app, whoever runs it: another program reads an operator's positions.
        let reader = try AppClient(try apps.program("reader"), to: daemon.socketPath, as: geteuid())
        try reader.begin(LocationInterface.Method.monitor.rawValue, more: true)
        for _ in 0..<20 { #expect(try reader.next()?.error == nil, "\(daemon.log)") }
        for client in clients {
            let (bytes, _) = try client.readArrived()
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("\"latitude\":"), "\(text)")
        }
    }

    @Test func `a stream of positions has ended when the app receives the report of the revocation`() throws {
        let apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), logLevel: "warning")
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
        let epoll = try OwnedDescriptor("create an epoll descriptor") { epoll_create1(0) }
        let methods = ["MonitorAuthorization", "Monitor"]
        let clients = try methods.map { method in
            let client = try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath))
            let call = #"{"method":"io.waymark.Location.\#(method)","more":true}"#
            #expect(try client.send(message: call) == .everything)
            #expect(try client.read(messages: 1) != nil)
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.fd = client.socket.number
            #expect(epoll_ctl(epoll.number, EPOLL_CTL_ADD, client.socket.number, &event) == 0)
            return client
        }
        try manage.authorize("trailmap", .deny)
        let hasArrived = eventually {
            var byte: UInt8 = 0
            return clients.allSatisfy { recv($0.socket.number, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0 }
        }
        #expect(hasArrived, "\(daemon.log)")
        // The kernel lists descriptors in the order in which they became ready.
        var events = [epoll_event](repeating: epoll_event(), count: 2)
        #expect(epoll_wait(epoll.number, &events, 2, 0) == 2)
        #expect(events.map(\.data.fd) == clients.reversed().map { $0.socket.number })
    }

    /// Lets so many milliseconds go by, and reads what comes.
    private func pause(
        _ milliseconds: Int, _ streams: inout [Stream], upTo count: Int, _ buffer: inout [UInt8]
    ) throws {
        let deadline = PollDeadline(seconds: Double(milliseconds) / 1_000)
        var entries = streams[..<count].map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
        repeat {
            guard poll(&entries, nfds_t(entries.count), deadline.remainingMilliseconds) > 0 else { continue }
            for index in entries.indices where entries[index].revents != 0 { try streams[index].read(&buffer) }
        } while !deadline.hasPassed
        for index in 0..<count { try streams[index].read(&buffer) }
    }

    /// The result.
    private struct Tally: CustomStringConvertible {
        var revocations = 0
        /// Positions that arrived while they were allowed.
        var positions = 0
        /// Positions that arrived after a revocation had returned.
        var late = 0
        /// Clients that had not received the denial when the revocation returned.
        var unreported = 0
        /// Connections that were ended because a position had been sent in part.
        var closures = 0
        var seconds = 0.0
        private var replies: [UInt64] = []

        mutating func add(reply nanoseconds: UInt64) { replies.append(nanoseconds) }

        var isSound: Bool { late == 0 && unreported == 0 }

        var description: String {
            let sorted = replies.sorted()
            func milliseconds(_ part: Double) -> String {
                guard !sorted.isEmpty else { return "-" }
                let index = min(sorted.count - 1, Int(Double(sorted.count) * part))
                return "\(Double(sorted[index] / 10_000) / 100) ms"
            }
            return """
                \(revocations) revocations among \(RevocationTests.clients) clients at 10 Hz in \(Int(seconds)) s: \
                \(positions) positions while allowed, \(late) after a revocation had returned, \(unreported) clients not \
                notified by then, \(closures) connections ended; durable in \(milliseconds(0.5)) (median), \(milliseconds(0.99)) (99 %), \
                \(milliseconds(1)) (most)
                """
        }
    }

    /// A client's call of `Monitor`, of which only matters whether positions come.
    private struct Stream {
        private let path: String
        private var connection: RawConnection
        private var rest: [UInt8] = []
        private var count = 0
        /// Whether the last message said that the app was denied.
        private(set) var isDenied = false
        /// Whether so much was read last that the daemon may have had to wait for room in the socket.
        private(set) var wasFull = false
        /// How often its connection was ended.
        private(set) var closures = 0

        init(_ path: String) throws {
            self.path = path
            connection = try RawConnection(adopting: OtherUser.connect(to: path))
            try call()
        }

        /// Calls `Monitor`. A call after an open stream on the connection would wait for ever, so the stream is ended
        /// first.
        mutating func call() throws {
            let sent = try connection.send(message: #"{"method":"io.waymark.Location.Monitor","more":true}"#)
            #expect(sent == .everything)
        }

        var number: Int32 { connection.socket.number }

        /// The number of positions read since the last use of this property.
        mutating func drainCount() -> Int {
            defer { count = 0 }
            return count
        }

        /// Reads all pending data.
        mutating func read(_ buffer: inout [UInt8]) throws {
            var total = 0
            defer { wasFull = total > 10_000 }
            while true {
                let read = recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                total += max(0, read)
                if read < 0, errno == EINTR { continue }
                if read < 0, errno == EAGAIN { return }
                // A client that lags may have a position in part when it is revoked: then its connection ends.
                guard read > 0 else { return try connectAgain() }
                for part in buffer[..<read].split(separator: 0, omittingEmptySubsequences: false).enumerated() {
                    if part.offset > 0 { finishMessage() }
                    rest += part.element
                }
            }
        }

        /// Waits for more data, and reads it.
        mutating func readMore(_ buffer: inout [UInt8]) throws {
            _ = try PollDeadline(seconds: 60).poll(number, for: POLLIN)
            try read(&buffer)
        }

        private mutating func connectAgain() throws {
            connection = try RawConnection(adopting: OtherUser.connect(to: path))
            rest.removeAll(keepingCapacity: true)
            isDenied = true
            closures += 1
        }

        /// Reads until a position arrives.
        mutating func waitForPosition(_ buffer: inout [UInt8]) throws {
            let deadline = PollDeadline(seconds: 120)
            while count == 0 || isDenied {
                try #require(try deadline.poll(number, for: POLLIN), "no position arrives")
                try read(&buffer)
            }
        }

        private mutating func finishMessage() {
            let text = String(decoding: rest, as: UTF8.self)
            rest.removeAll(keepingCapacity: true)
            isDenied = text.contains(#""error":"io.waymark.Location.Denied""#)
            if text.contains("\"latitude\":") { count += 1 }
        }
    }
}

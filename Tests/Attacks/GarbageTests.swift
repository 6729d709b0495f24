import Glibc
import Interfaces
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Clients without manners, while a good one reads ten positions a second.
///
/// `Scripts/garbage` runs these with far more of everything.
@Suite(.waits, .serialized) struct GarbageTests {
    /// Bytes of a message that never ends.
    private static let endlessBytes = number("WAYMARK_GARBAGE_BYTES", 8 << 20)
    /// Connections opened and dropped.
    private static let connections = number("WAYMARK_GARBAGE_CONNECTIONS", 2_000)

    private static func number(_ variable: String, _ usual: Int) -> Int {
        getenv(variable).flatMap { Int(String(cString: $0)) } ?? usual
    }

    @Test func `a good client gets every position while others send garbage`() throws {
        // One user sends all of this, as fast as possible: the limit of a user is another test's subject.
        let scene = try Scene("[Socket]\nMaximumConnectionsPerUser=16384\n")
        defer { scene.stop() }
        #expect(scene.reader.receives(3), "\(scene.reader.ending ?? scene.daemon.log)")
        let before = try ProcessFigures(scene.daemon.processID)

        try scene.unchangedAfter("random bytes") { try Self.randomBytes($0) }
        try scene.unchangedAfter("a message without an end") { try Self.endlessMessage($0) }
        try scene.unchangedAfter("deep nesting") { try Self.deepNesting($0) }
        try scene.unchangedAfter("bytes that are not UTF-8") { try Self.invalidUTF8($0) }
        try scene.unchangedAfter("half a message, then the end") { try Self.halfMessage($0) }
        try scene.unchangedAfter("numbers beyond all bounds") { try Self.hugeNumbers($0) }
        try scene.unchangedAfter("a remark of one character and a mebibyte") { try Self.hugeCharacter($0) }
        try scene.unchangedAfter("connections opened and dropped") { path in
            for _ in 0..<Self.connections { _ = try RawConnection(path) }
        }
        // These stay, and do nothing or do not read.
        let pending = try Self.unfinishedCall(scene.daemon.socketPath)
        let deaf = try scene.keepingPlace("calls whose replies are not read") { try Self.deafCaller($0) }
        let slow = try RawConnection(scene.daemon.socketPath)
        #expect(try slow.send(message: #"{"method":"io.waymark.Location.Monitor","more":true}"#) == .everything)

        let after = try ProcessFigures(scene.daemon.processID)
        #expect(scene.reader.receives(10))
        let later = try ProcessFigures(scene.daemon.processID)
        print(
            "garbage: resident \(before.residentKiB) KiB before, \(after.residentKiB) after, at most \(after.peakKiB);",
            "\(later.processorMilliseconds - after.processorMilliseconds) ms of processor for ten positions after it")
        #expect(after.peakKiB - before.residentKiB < 64 << 10, "the peak is not bounded")
        #expect(later.processorMilliseconds - after.processorMilliseconds < 300, "the loop spins")
        withExtendedLifetime((pending, deaf, slow)) {}
        try scene.expectEverything()
    }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `a user with too many connections gets an error, and other users are not affected`() throws {
        let scene = try Scene("[Socket]\nMaximumConnectionsPerUser=8\n")
        defer { scene.stop() }
        func connect() throws -> RawConnection {
            try RawConnection(adopting: OtherUser.connect(to: scene.daemon.socketPath))
        }
        var held = try (0..<8).map { _ in try connect() }
        for connection in held { #expect(try connection.isAnswered) }
        for _ in 0..<200 {
            let refused = try connect()
            let text = try #require(try refused.read(), "a connection too many is closed")
            #expect(text.contains(ErrorName.tooManyConnections.rawValue) && text.contains("message"), "\(text)")
        }
        #expect(scene.reader.receives(5), "\(scene.reader.ending ?? scene.daemon.log)")
        held.removeLast()
        #expect(try eventually { try connect().isAnswered }, "a closed connection is not counted any more")
        try scene.expectEverything()
    }

    @Test func `connections beyond the limit of all users are refused, and existing ones continue`() throws {
        let scene = try Scene("[Socket]\nMaximumConnections=50\n")
        defer { scene.stop() }
        #expect(scene.reader.receives(1), "\(scene.reader.ending ?? scene.daemon.log)")
        var held = try (0..<49).map { _ in try RawConnection(scene.daemon.socketPath) }
        for connection in held { #expect(try connection.isAnswered) }
        for _ in 0..<200 {
            let text = try #require(try RawConnection(scene.daemon.socketPath).read())
            #expect(text.contains(ErrorName.tooManyConnections.rawValue), "\(text)")
        }
        #expect(scene.reader.receives(5))
        held.removeAll()
        #expect(try eventually { try RawConnection(scene.daemon.socketPath).isAnswered })
        try scene.expectEverything()
    }
}

// The good client and its daemon

extension GarbageTests {
    /// A daemon, a receiver of ten positions a second, and a client that reads all of them.
    private final class Scene {
        let daemon: DaemonProcess
        let reader: UpdateReader
        private let receiver: PlayedReceiver

        init(_ configuration: String = "") throws {
            let directory = try TemporaryDirectory()
            let recording = try Products.recording("ten-hertz", seconds: 600, in: directory)
            receiver = try PlayedReceiver(recording)
            daemon = try DaemonProcess(
                in: directory, configuration: configuration, gpsd: receiver.address, logLevel: "info")
            guard chmod(directory.path, 0o711) == 0 else { throw SystemError("chmod", subject: directory.path) }
            reader = try UpdateReader(daemon.socketPath)
        }

        func stop() {
            reader.stop()
            receiver.stop()
        }

        /// Does something to the daemon, after which the good client still gets positions and all places are free.
        func unchangedAfter(_ what: String, _ abuse: (String) throws -> Void) throws {
            try abuse(daemon.socketPath)
            #expect(reader.receives(1), "after \(what): \(reader.ending ?? daemon.log)")
            var connections: Int64 = 0
            let isAlone = try eventually {
                connections = try status().clients.connections
                return connections == 2
            }
            #expect(isAlone, "after \(what) \(connections) connections are left")
        }

        func keepingPlace(_ what: String, _ abuse: (String) throws -> RawConnection) throws -> RawConnection {
            let connection = try abuse(daemon.socketPath)
            #expect(reader.receives(1), "after \(what): \(reader.ending ?? daemon.log)")
            return connection
        }

        func status() throws -> DaemonStatus { try OperatorClient(daemon).status() }

        /// Compares the positions that the good client got with those that the daemon accepted.
        func expectEverything() throws {
            let accepted = try status().accepted
            #expect(eventually { Int64(reader.positions.count) + reader.dropped >= accepted })
            #expect(!reader.wasNeglected)
            #expect(reader.ending == nil)
            // A reader that the machine did not run may have missed some positions, which are counted.
            var (last, missed): (Double?, Int64) = (nil, 0)
            for update in reader.received.map(\.update) {
                missed += update.dropped
                guard let time = update.position?.timestamp else { continue }
                let steps = last.map { ((time - $0) * 10).rounded() }
                #expect(steps == nil || steps == Double(1 + missed), "a position in each tenth of a second")
                (last, missed) = (time, 0)
            }
        }
    }
}

// The garbage

extension GarbageTests {
    private static func randomBytes(_ path: String) throws {
        var generator = SeededGenerator()
        for _ in 0..<50 {
            let connection = try RawConnection(path)
            let bytes = (0..<Int.random(in: 1...20_000, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            // A NUL at the end, so that there is at least one invalid message.
            _ = try connection.send(bytes + [0])
            #expect(try connection.read() == "", "garbage gets no reply, \(generator)")
        }
    }

    private static func endlessMessage(_ path: String) throws {
        let connection = try RawConnection(path)
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        var sent = 0
        while sent < endlessBytes {
            switch try connection.send(piece) {
            case .everything: sent += piece.count
            case .full: return #expect(Bool(false), "the daemon neither reads nor closes after \(sent) bytes")
            case .closed:
                // A mebibyte is read and the socket's own buffers may be full beyond that.
                #expect(sent < 4 << 20)
                return
            }
        }
        #expect(Bool(false), "\(sent) bytes without an end were accepted")
    }

    private static func deepNesting(_ path: String) throws {
        let deep = String(repeating: "[", count: 100_000)
        let closed = deep + String(repeating: "]", count: 100_000)
        let objects = String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17)
        let method = #""method":"io.waymark.Location.GetPosition""#
        for message in [
            deep, closed, #"{\#(method),"parameters":{"unknown":\#(closed)}}"#,
            #"{\#(method),"parameters":{"unknown":\#(objects)}}"#,
        ] {
            let connection = try RawConnection(path)
            _ = try connection.send(message: message)
            #expect(try connection.read() == "", "\(message.prefix(60))")
        }
    }

    private static func invalidUTF8(_ path: String) throws {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] {
            let connection = try RawConnection(path)
            let call = Array(#"{"method":"io.waymark.Journal.Note","parameters":{"text":""#.utf8)
            #expect(try connection.send(call + bytes + Array(#""}}"#.utf8) + [0]) == .everything)
            #expect(try connection.read() == "", "\(bytes)")
        }
    }

    private static func halfMessage(_ path: String) throws {
        for length in [1, 10, 30] {
            let connection = try RawConnection(path)
            let call = #"{"method":"io.waymark.Manage.Status","parameters":{}}"#
            #expect(try connection.send(call.utf8.prefix(length)) == .everything)
            #expect(shutdown(connection.socket.number, Int32(SHUT_WR)) == 0)
            #expect(try connection.read() == "")
        }
    }

    private static func hugeNumbers(_ path: String) throws {
        let calls = [
            (#"Location.GetPosition","parameters":{"timeout":1e308}"#, "InvalidParameter"),
            (#"Location.GetPosition","parameters":{"timeout":-1e308}"#, "InvalidParameter"),
            (#"Location.GetPosition","parameters":{"maximumAge":-1}"#, "InvalidParameter"),
            (#"Location.GetPosition","parameters":{"desiredAccuracy":-0.0,"timeout":1e-300}"#, nil),
            (#"Location.Monitor","more":true,"parameters":{"interval":1e300,"distanceFilter":1e300}"#, nil),
            (#"Journal.Read","parameters":{"limit":9223372036854775807}"#, nil),
            (#"Journal.Read","parameters":{"limit":-9223372036854775808}"#, nil),
            (#"Journal.Read","parameters":{"after":9223372036854775807,"newest":9223372036854775807}"#, nil),
            (#"Journal.Read","parameters":{"since":-1e308,"until":1e308,"newest":0}"#, nil),
            (#"Journal.Read","parameters":{"since":1e308}"#, nil),
        ]
        for (call, error) in calls {
            let connection = try RawConnection(path)
            #expect(try connection.send(message: #"{"method":"io.waymark.\#(call)}"#) == .everything)
            let reply = try #require(try connection.read(messages: 1), "no reply to \(call)")
            if let error { #expect(reply.contains(error), "\(call): \(reply)") }
        }
        for number in ["1e400", "99999999999999999999", "-1e999", String(repeating: "9", count: 100_000)] {
            let connection = try RawConnection(path)
            let call = #"{"method":"io.waymark.Location.GetPosition","parameters":{"timeout":\#(number)}}"#
            #expect(try connection.send(message: call) == .everything)
            let reply = try connection.read(messages: 1) ?? ""
            #expect(reply.isEmpty || reply.contains("error"), "\(number.prefix(20)): \(reply)")
        }
    }

    /// A letter with half a million accents on it is one character to people and to Swift.
    private static func hugeCharacter(_ path: String) throws {
        let connection = try RawConnection(path)
        let text = "e" + String(repeating: "\u{301}", count: 500_000)
        let call = #"{"method":"io.waymark.Journal.Note","parameters":{"text":"\#(text)"}}"#
        #expect(try connection.send(message: call) == .everything)
        #expect(try connection.read(messages: 1)?.contains("InvalidParameter") == true)
    }

    private static func unfinishedCall(_ path: String) throws -> RawConnection {
        let connection = try RawConnection(path)
        #expect(try connection.send(#"{"method":"#.utf8) == .everything)
        return connection
    }

    /// Sends calls until the daemon reads no more, since nobody reads its replies.
    private static func deafCaller(_ path: String) throws -> RawConnection {
        let connection = try RawConnection(path)
        let call = Array(#"{"method":"io.waymark.Manage.Metrics"}"#.utf8) + [0]
        let calls = [UInt8](repeatingContentsOf: call, count: 1_000)
        for _ in 0..<1_000 {
            guard try connection.send(calls, patience: 0.5) == .everything else { return connection }
        }
        #expect(Bool(false), "a million calls were accepted without a reply being read")
        return connection
    }
}

extension [UInt8] {
    fileprivate init(repeatingContentsOf piece: [UInt8], count: Int) {
        self = []
        reserveCapacity(piece.count * count)
        for _ in 0..<count { self += piece }
    }
}

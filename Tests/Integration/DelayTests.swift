import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

/// Positions that are sent together.
@Suite(.waits, .timeLimit(.minutes(15))) struct DelayTests {
    private let gpsd: ScriptedGPSD
    /// Microseconds of the first report: a whole second, because gpsd reports milliseconds.
    private let start = (SystemClock().utcMicroseconds / 1_000_000 - 3_600) * 1_000_000
    /// A position stays valid for an hour: the news that there is none would send what is pending.
    private static let patient = "[Receiver]\nStaleAfter=1h\n"

    init() throws {
        gpsd = try ScriptedGPSD()
    }

    private func report(_ seconds: Range<Int>) {
        gpsd.send(
            seconds.map { ScriptedGPSD.position(at: start + Int64($0) * 1_000_000) }.joined())
    }

    private func second(_ position: Position) -> Int { Int((position.timestamp - Double(start) / 1e6).rounded()) }

    private func client(_ path: String, _ parameters: String, as user: Bool = false) throws -> RawConnection {
        let client = try user ? RawConnection(adopting: OtherUser.connect(to: path)) : RawConnection(path)
        let call = #"{"method":"io.waymark.Location.Monitor","parameters":\#(parameters),"more":true}"#
        #expect(try client.send(message: call) == .everything)
        #expect(try client.read(messages: 1)?.contains("noFix") == true)
        try #require(eventually { gpsd.received.contains("?WATCH") })
        return client
    }

    /// The seconds of the positions in some messages, and how many were missed.
    private func read(_ bytes: [UInt8]) throws -> (seconds: [Int], dropped: Int64) {
        let updates = try bytes.split(separator: 0).compactMap { message in
            try Reply(parsing: Array(message)).parameters["update"].flatMap(LocationUpdate.init)
        }
        return (updates.compactMap(\.position).map(second), updates.reduce(0) { $0 + $1.dropped })
    }

    private func isRead(_ count: Int, by daemon: DaemonProcess) throws {
        let manage = try OperatorClient(daemon)
        try #require(
            try eventually(within: Patience.daemon) {
                try manage.status().receiver.reports.contains { $0.name == "TPV" && $0.value >= count }
            }, "\(daemon.log)")
    }

    @Test func `the first position comes at once, and the others together and in time`() throws {
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(configuration: Self.patient, gpsd: gpsd.address)
        let client = try client(daemon.socketPath, #"{"maximumDelay":8}"#)
        report(0..<1)
        let first = try #require(try client.read(messages: 1))
        #expect(try read(Array(first.utf8)).seconds == [0])
        report(1..<11)
        try isRead(11, by: daemon)
        let clock = SystemClock()
        let begun = clock.monotonicNanoseconds
        #expect(try client.readArrived().bytes.isEmpty)
        let rest = try #require(try client.read(messages: 10))
        let took = Double(clock.monotonicNanoseconds - begun) / 1e9
        // On a busy machine this is late, but before the end of a second delay.
        #expect(took < 16)
        #expect(try read(Array(rest.utf8)).seconds == Array(1...10))
    }

    @Test func `256 positions are sent before their time`() throws {
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(configuration: Self.patient, gpsd: gpsd.address)
        let client = try client(daemon.socketPath, #"{"maximumDelay":3600}"#)
        report(0..<1)
        _ = try client.read(messages: 1)
        report(1..<258)
        try isRead(258, by: daemon)
        let all = try #require(try client.read(messages: 256))
        let (seconds, dropped) = try read(Array(all.utf8))
        #expect(seconds == Array(1...256) && dropped == 0)
        // The last one is sent before the news that there is no position any more.
        gpsd.stop()
        let last = try #require(try client.read(messages: 2))
        #expect(try read(Array(last.utf8)).seconds == [257])
        #expect(last.contains("receiverLost"))
    }

    @Test func `a client wakes up seldom`() throws {
        defer { gpsd.stop() }
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let daemon = try DaemonProcess(gpsd: receiver.address)
        func wakeUps(_ parameters: String) throws -> Int {
            let client = try RawConnection(daemon.socketPath)
            let call = #"{"method":"io.waymark.Location.Monitor","parameters":\#(parameters),"more":true}"#
            #expect(try client.send(message: call) == .everything)
            var (count, positions) = (0, 0)
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while positions < 60 {
                let ready = try PollDeadline(seconds: 60).wait(for: [(client.socket.number, POLLIN)])
                try #require(!ready.isEmpty)
                let size = recv(client.socket.number, &buffer, buffer.count, 0)
                try #require(size > 0)
                count += 1
                positions += String(decoding: buffer[..<size], as: UTF8.self).components(of: "\"latitude\"")
            }
            return count
        }
        let often = try wakeUps("{}")
        let seldom = try wakeUps(#"{"maximumDelay":2}"#)
        // A client that a busy machine delays reads several at once in both cases.
        #expect(seldom <= 8 && often > 2 * seldom, "\(often) \(seldom)")
    }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `a revocation drops what is pending, and nothing of it comes after a new permission`() throws {
        defer { gpsd.stop() }
        let apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration() + Self.patient, gpsd: gpsd.address)
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
        let client = try client(daemon.socketPath, #"{"maximumDelay":3600}"#, as: true)
        report(0..<1)
        _ = try client.read(messages: 1)
        // A change that keeps the access sends what is pending.
        report(1..<5)
        try isRead(5, by: daemon)
        let active = try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath))
        #expect(
            try active.send(
                message: #"{"method":"io.waymark.Location.SetActivity","parameters":{"activity":"active"}}"#)
                == .everything)
        _ = try active.read(messages: 1)
        let flushed = try #require(try client.read(messages: 4))
        #expect(try read(Array(flushed.utf8)).seconds == [1, 2, 3, 4])
        // Full positions are not sent after the accuracy was reduced, nor when it is full again.
        report(5..<9)
        try isRead(9, by: daemon)
        try manage.authorize("trailmap", .always, uid: OtherUser.nobody, accuracy: .reduced)
        try manage.authorize("trailmap", .always, uid: OtherUser.nobody, accuracy: .full)
        report(9..<10)
        try isRead(10, by: daemon)
        var seconds: [Int] = []
        var dropped: Int64 = 0
        while seconds.isEmpty {
            let message = try #require(try client.read(messages: 1), "\(daemon.log)")
            let read = try read(Array(message.utf8))
            #expect(!message.contains("\"accuracy\":\"full\"") || read.seconds.allSatisfy { $0 >= 8 }, "\(message)")
            dropped += read.dropped
            if message.contains("\"accuracy\":\"full\"") { seconds = read.seconds }
        }
        #expect(dropped == 4)
        report(10..<15)
        try isRead(15, by: daemon)
        try manage.authorize("trailmap", .deny, uid: OtherUser.nobody)
        var text = ""
        while !text.contains(ErrorName.denied.rawValue) {
            text = try #require(try client.read(messages: 1))
            #expect(try read(Array(text.utf8)).seconds.allSatisfy { $0 < 10 }, "\(text)")
        }
    }

    @Test func `an orderly stop sends what is pending`() throws {
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(configuration: Self.patient, gpsd: gpsd.address)
        let client = try client(daemon.socketPath, #"{"maximumDelay":3600}"#)
        report(0..<5)
        try isRead(5, by: daemon)
        #expect(try daemon.stop() == .exited(0))
        let all = try #require(try client.read(messages: 5))
        #expect(try read(Array(all.utf8)).seconds == Array(0...4))
    }

    @Test func `the library and the command get all positions of a bundle`() async throws {
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(configuration: Self.patient, gpsd: gpsd.address)
        var updates = WaymarkClient(socketPath: daemon.socketPath).updates(MonitorRequest(maximumDelay: 0.5))
            .makeAsyncIterator()
        #expect(try await updates.next()?.position == nil)
        try #require(eventually { gpsd.received.contains("?WATCH") })
        report(0..<41)
        var seconds: [Int] = []
        while seconds.count < 41, let update = try await updates.next() {
            #expect(update.dropped == 0)
            if let position = update.position { seconds.append(second(position)) }
        }
        #expect(seconds == Array(0...40))
        let printed = try daemon.waymark(["watch", "--maximum-delay", "1", "--count", "1", "--json"])
        #expect(printed.status == .exited(0) && printed.output.contains("latitude"), "\(printed)")
    }
}

extension String {
    /// How often another text occurs in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}

import Authorization
import Configuration
import Cryptography
import Glibc
import GPSD
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import Testing
import Varlink

@testable import Daemon
@testable import Journal

/// A whole daemon under a clock that only the test advances, and a client that calls every method of it and writes down
/// every byte that it receives. Two worlds with the same script differ only in their secrets.
@DaemonActor
final class ObservedWorld {
    /// The secrets of the world, which the client must not learn.
    struct Secret: Sendable {
        /// Where the receiver is, by the number of the step.
        var places: [Coordinate]
        /// Whether the fix is lost and found again between two steps, or, where the client has no permission, for half
        /// of the time.
        var hasTunnels = false
        /// Whether another user's app comes into use, gets positions and disconnects, and an operator writes remarks.
        var isOtherUsed = false
    }

    /// The rights of the client.
    enum Spy: CaseIterable, Sendable {
        case undetermined, denied, reduced
    }

    private static let app = AppID(uid: OtherUser.nobody, name: "spy")
    private static let other = AppID(uid: 65_533, name: "spy")
    private static let start: UInt64 = 1 << 60
    private static let noon: Int64 = 1_795_262_400_000_000

    private let apps: TestApps
    private let daemon: Daemon
    private let clock: ManualClock
    private let spy: Spy
    private let secret: Secret
    private let socketPath: String
    private var connections: [(call: String, socket: RawConnection, rest: [UInt8])] = []
    /// The sockets of `connections`, for one system call that looks at all of them.
    private var sockets: [pollfd] = []
    private var otherConnections: [RawConnection] = []
    private var seconds: Int64 = 0
    /// Everything that the client has received, each message with the step in which it arrived and its call.
    private(set) var transcript: [String] = []

    /// The daemon, with a device key that every world of a test shares.
    init(_ spy: Spy, _ secret: Secret, key: [UInt8]) throws {
        self.spy = spy
        self.secret = secret
        apps = try TestApps()
        clock = ManualClock(monotonicNanoseconds: Self.start, utcMicroseconds: Self.noon)
        try apps.add(
            "spy", name: "Spy", program: try TestApps.ownProgram(),
            "Record=yes\n[TemporaryUsage]\nNavigation=Spoken directions need your exact position.\n")
        try apps.directory.write("state/device.key", bytes: key)
        #expect(chmod(apps.directory.file("state/device.key"), 0o600) == 0)
        #expect(chmod(apps.directory.file("state"), 0o700) == 0)
        socketPath = apps.directory.file("waymark.sock")
        let file = try apps.directory.write(
            "waymark.conf",
            apps.configuration() + "[Journal]\nStateDirectory=\(apps.directory.file("state"))\n"
                + "[Receiver]\nGPSD=unix:\(apps.directory.file("no-gpsd"))\n")
        let configuration = Configuration.load(mainFile: file, isExplicit: true)
        try #require(configuration.problems.isEmpty, "\(configuration.problems)")
        daemon = try Daemon(
            configuration: configuration, clock: clock, source: FixedSource(configuration: configuration))
        try daemon.server.listen(on: UnixSocket.listen(path: socketPath, mode: 0o666), name: "varlink")
    }

    /// Plays the script.
    func play() async throws {
        let isOpen = try await eventually { () async throws -> Bool in
            daemon.journal.status.state == .running && daemon.authorizer.isLoaded
        }
        try #require(isOpen)
        // The first call of a user waits until that user's home was read, on another thread.
        let users = [Self.app.uid, Self.other.uid]
        users.forEach { daemon.library.want($0) }
        let areKnown = try await eventually { () async throws -> Bool in
            users.allSatisfy { daemon.library.isReady(for: $0) }
        }
        try #require(areKnown)
        switch spy {
        case .undetermined: break
        case .denied: await authorize(Self.app, .denied, nil)
        case .reduced: await authorize(Self.app, .always, .reduced)
        }
        await authorize(Self.other, .always, .full)
        for step in secret.places.indices {
            try await happen(step)
            try await walk(step)
        }
        daemon.server.stop()
        _ = daemon.pipeline.stop()
        daemon.reduced.stop()
        await withCheckedContinuation { continuation in daemon.regions.close { continuation.resume() } }
        await withCheckedContinuation { continuation in daemon.journal.close { continuation.resume() } }
    }

    private func authorize(_ app: AppID, _ permission: Permission, _ accuracy: AccuracyAuthorization?) async {
        await withCheckedContinuation { continuation in
            daemon.authorizer.command(.set(app, permission, accuracy), by: 0) { _ in continuation.resume() }
        }
    }

    // Events without the client

    /// Half a minute with a fix; each third step is followed by a tick of reduced positions.
    private func happen(_ step: Int) async throws {
        try await advance(step % 3 == 2 ? 1_170 : 10)
        if secret.isOtherUsed { try await useOther(step) }
        let isInTunnel = secret.hasTunnels && spy != .reduced && step % 4 > 1
        if !isInTunnel { report(secret.places[step]) }
        if secret.hasTunnels {
            // Found again within the same minute, which even a reduced app may not notice.
            daemon.pipeline.handle(.tpv(TPV(mode: 1, receiver: "/dev/one")))
            daemon.recorder.record(Event(.fixLost))
            try await advance(2)
            if !isInTunnel { report(secret.places[step]) }
            daemon.recorder.record(Event(.fixAcquired))
        } else {
            try await advance(2)
            report(secret.places[step])
        }
        try await settle()
    }

    private func report(_ place: Coordinate) {
        daemon.pipeline.handle(
            .tpv(
                TPV(
                    mode: 3, time: UTCTime(microseconds: clock.utcMicroseconds), latitude: place.latitude,
                    longitude: place.longitude, altitudeHAE: 45, altitudeMSL: 3, eph: 5, epv: 9, track: 90, speed: 2,
                    climb: 0.1, receiver: "/dev/one")))
    }

    private func useOther(_ step: Int) async throws {
        if step % 2 == 0 {
            for call in [
                #"{"method":"io.waymark.Location.SetActivity","parameters":{"activity":"active"}}"#,
                #"{"method":"io.waymark.Location.Monitor","parameters":{},"more":true}"#,
                #"{"method":"io.waymark.Recording.Start","parameters":{"identifier":"other"}}"#,
                #"{"method":"io.waymark.Location.RequestTemporaryFullAccuracy","parameters":{"purposeKey":"Navigation"}}"#,
                WalkedCalls.message(
                    "io.waymark.Regions.Add", WalkedCalls.parameters["io.waymark.Regions.Add"] ?? "{}", .plain),
            ] {
                let socket = try RawConnection(adopting: OtherUser.connect(to: socketPath, as: Self.other.uid))
                try await send(call, on: socket)
                otherConnections.append(socket)
            }
        } else {
            otherConnections = []
        }
        daemon.recorder.record(Event(.note, uid: 0, details: ["text": "a remark"]))
        try await settle()
    }

    /// Advances the clock, and runs the only timer of reduced positions meanwhile.
    private func advance(_ count: Int64) async throws {
        let end = seconds + count
        while true {
            let timer = daemon.reduced.timerDeadline.map { Int64(($0 - min($0, Self.start)) / 1_000_000_000) + 1 }
            guard let timer, timer <= end else { break }
            if timer > seconds { clock.advance(seconds: Double(timer - seconds)) }
            seconds = max(seconds, timer)
            // There is a position at every full minute: only the place differs.
            report(secret.places[min(Int(seconds / 600), secret.places.count - 1)])
            let before = daemon.reduced.timerDeadline
            daemon.reduced.timerFired()
            try await settle()
            if daemon.reduced.timerDeadline == before { break }
        }
        clock.advance(seconds: Double(end - seconds))
        seconds = end
        try await settle()
    }

    // The actions and observations of the client

    private func walk(_ step: Int) async throws {
        let methods = WalkedCalls.parameters.keys.sorted()
        for method in methods {
            for form in WalkedCalls.Form.allCases {
                let call = WalkedCalls.message(method, WalkedCalls.parameters[method] ?? "{}", form)
                let socket = try RawConnection(adopting: OtherUser.connect(to: socketPath))
                connections.append((call, socket, []))
                sockets.append(pollfd(fd: socket.socket.number, events: Int16(POLLIN), revents: 0))
                try await send(call, on: socket)
                try collect(step)
            }
        }
    }

    /// Sends a call, and waits until the daemon has begun it and sends no further reply by itself.
    private func send(_ call: String, on socket: RawConnection) async throws {
        func begun() -> Int { daemon.server.statistics.calls + daemon.server.statistics.rejectedCalls }
        let before = begun()
        #expect(try socket.send(message: call) == .everything)
        let isBegun = try await eventually { () async throws -> Bool in begun() > before }
        try #require(isBegun, "\(call)")
        try await settle()
    }

    /// Waits until appended data are durable and reported, and the consequences have happened.
    private func settle() async throws {
        for _ in 0..<2 {
            let page = await withCheckedContinuation { continuation in
                daemon.journal.journal.read(EventQuery()) { continuation.resume(returning: $0) }
            }
            _ = try page.get()
            // Regions are validated, stored and read in turn.
            for _ in 0..<3 {
                await withCheckedContinuation { continuation in
                    daemon.regions.store.compute({ 0 }) { _ in continuation.resume() }
                }
            }
            let isSaved = try await eventually { () async throws -> Bool in !daemon.reduced.isSaving }
            try #require(isSaved)
            try await elapsed(.microseconds(200))
        }
    }

    private func collect(_ step: Int) throws {
        guard poll(&sockets, nfds_t(sockets.count), 0) > 0 else { return }
        for index in sockets.indices where sockets[index].revents != 0 {
            let (bytes, isClosed) = try connections[index].socket.readArrived()
            connections[index].rest += bytes
            while let end = connections[index].rest.firstIndex(of: 0) {
                let message = Array(connections[index].rest[..<end])
                connections[index].rest.removeSubrange(...end)
                note(step, index, message)
            }
            if isClosed {
                transcript.append("step \(step), \(connections[index].call): closed")
                connections[index].call = ""
                // The kernel passes over a negative number.
                sockets[index].fd = -1
                sockets[index].revents = 0
            }
        }
    }

    /// Which events come in one reply depends on when they were committed, so that each of them is noted by itself.
    private func note(_ step: Int, _ index: Int, _ message: [UInt8]) {
        let text = Self.plain(
            String(decoding: message, as: UTF8.self).split(separator: apps.directory.path)
                .joined(separator: "DIRECTORY"))
        let prefix = "step \(step), \(index) \(connections[index].call): "
        guard text.contains(#""events":["#) else { return transcript.append(prefix + text) }
        transcript += text.split(separator: #"{"sequence":"#).dropFirst().map { event in
            let end = event.lastIndex(of: "}") ?? event.endIndex
            return prefix + "event " + event[..<end].prefix { $0 != "]" }
        }
    }

    /// A text without the parts that are random in every world: identifiers of recordings.
    private static func plain(_ text: String) -> String {
        var result = ""
        for part in text.split(separator: #"""#, omittingEmptySubsequences: false) {
            let isIdentifier = part.utf8.count == 36 && part.utf8.count(where: { $0 == UInt8(ascii: "-") }) == 4
            result += (isIdentifier ? "UUID" : String(part)) + #"""#
        }
        return String(result.dropLast())
    }
}

/// A configuration that never changes.
private struct FixedSource: ConfigurationSource {
    let configuration: Configuration

    func load() -> Configuration { configuration }
}

import JSONText
import Location
import Testing

@testable import Upload

/// Commands of a destination: what counts as one, and what the uploader does.
@Suite struct RemoteCommandTests {
    private static let requested = #"{"_type":"cmd","action":"reportLocation"}"#

    private static func read(_ text: String, _ open: RequestWriter.Open? = nil) -> RemoteCommands {
        UploadFormat.owntracks.commands(Array(text.utf8), open)
    }

    private static func commands(_ reports: Bool, ignored: Int = 0) -> RemoteCommands {
        var commands = RemoteCommands()
        (commands.reportsLocation, commands.ignored) = (reports, ignored)
        return commands
    }

    @Test(
        arguments: [
            (requested, commands(true)), ("[\(requested)]", commands(true)), ("[]", commands(false)),
            ("", commands(false)), ("thanks", commands(false)), ("[[\(requested)]]", commands(false)),
            (#"[{"_type":"location","lat":1,"lon":2},\#(requested)]"#, commands(true)),
            (#"{"_type":"cmd","action":"dump"}"#, commands(false, ignored: 1)),
            (#"{"_type":"cmd"}"#, commands(false, ignored: 1)),
            (#"{"_type":"cmd","action":"setConfiguration","configuration":{"host":"x"}}"#, commands(false, ignored: 1)),
            (#"{"_type":"cmd","action":"setWaypoints","waypoints":{}}"#, commands(false, ignored: 1)),
            (#"{"_type":"encrypted","data":"AAAA"}"#, commands(false)),
        ] as [(String, RemoteCommands)])
    func `only reportLocation is a known command, in a message or in a response's array`(
        text: String, expected: RemoteCommands
    ) {
        #expect(Self.read(text) == expected)
    }

    @Test func `with a key only encrypted commands count`() {
        let open: RequestWriter.Open = { $0.first == 7 ? Array($0.dropFirst()) : nil }
        #expect(Self.read(Self.requested, open) == Self.commands(false, ignored: 1))
        func sealed(_ text: String, _ head: UInt8 = 7) -> String {
            #"[{"_type":"encrypted","data":"\#(Base64.text([head] + Array(text.utf8)))"}]"#
        }
        #expect(Self.read(sealed(Self.requested), open) == Self.commands(true))
        #expect(Self.read(sealed(#"{"_type":"cmd","action":"restart"}"#), open) == Self.commands(false, ignored: 1))
        #expect(Self.read(sealed(#"{"_type":"location"}"#), open).isEmpty, "a friend's position is no command")
        #expect(Self.read(sealed(Self.requested, 8), open).isEmpty, "of another key")
    }

    /// As OwnTracks Recorder and Home Assistant reply: one object whose contents are the whole array.
    @Test(
        arguments: [
            ("[\(requested)]", commands(true)), ("[]", commands(false)), ("", commands(false)),
            (
                #"[{"_type":"location","lat":1,"lon":2},\#(requested),{"_type":"cmd","action":"dump"}]"#,
                commands(true, ignored: 1)
            ),
            ("[[\(requested)]]", commands(false)),
            (
                "[" + Array(repeating: #"{"_type":"cmd"}"#, count: 300).joined(separator: ",") + "]",
                commands(false, ignored: 256)
            ),
        ] as [(String, RemoteCommands)])
    func `an encrypted array is read like one that is not encrypted`(text: String, expected: RemoteCommands) {
        #expect(Self.read(text) == expected)
        let envelope = #"{"_type":"encrypted","data":"\#(Base64.text(Array(text.utf8)))"}"#
        #expect(Self.read(envelope) { $0 } == expected)
        #expect(Self.read("[\(envelope)]") { $0 } == expected)
        #expect(Self.read(envelope).isEmpty, "without a key")
        #expect(Self.read(envelope) { _ in nil }.isEmpty, "of another key")
    }

    @Test func `the limit counts the elements of all encrypted arrays, and nothing is decrypted twice`() {
        func sealed(_ text: String) -> String {
            #"{"_type":"encrypted","data":"\#(Base64.text(Array(text.utf8)))"}"#
        }
        let many = sealed("[" + Array(repeating: #"{"_type":"cmd"}"#, count: 200).joined(separator: ",") + "]")
        #expect(Self.read("[\(many),\(many),\(sealed(Self.requested))]") { $0 } == Self.commands(false, ignored: 256))
        #expect(Self.read(sealed(sealed(Self.requested))) { $0 }.isEmpty)
        let mixed = "[\(Self.requested),\(sealed("[\(Self.requested)]"))]"
        #expect(Self.read(mixed) { $0 } == Self.commands(true, ignored: 1), "the one outside is not encrypted")
    }

    @Test func `Base64 is read back, and nothing else is`() {
        for count in 0...10 {
            let bytes = (0..<count).map { UInt8($0 * 37 & 255) }
            #expect(Base64.bytes(Array(Base64.text(bytes).utf8)) == bytes)
        }
        for text in ["A", "AA", "AAA", "A===", "AA=A", "====", "AA==AAAA", "AA A", "AA\u{e4}="] {
            #expect(Base64.bytes(Array(text.utf8)) == nil, "\(text)")
        }
    }

    // The uploader.

    private static func configuration(broker: Bool = false) -> UploadConfiguration {
        var configuration = Samples.configuration(.owntracks, broker: broker)
        configuration.owntracks.reportsLocation = true
        return configuration
    }

    private static let command = commands(true)

    @Test func `the newest position is sent at once, also if it was sent or left out before, and nothing is settled`()
        throws
    {
        var configuration = Self.configuration()
        configuration.filter.interval = .value(.seconds(1_000))
        var bench = Bench(configuration, positions: 5)
        try bench.serve()
        #expect(bench.sent.map { $0.positions.map(\.sequence) } == [[1]])
        bench.act { $0.commanded(Self.command, at: $1) }
        let transfer = try #require(bench.open.first)
        #expect(transfer.lane == .requested && transfer.positions.map(\.sequence) == [5])
        #expect(transfer.idempotencyKey.hasSuffix("/5-5-requested\""))
        let before = bench.uploader.report
        try bench.serve()
        #expect(bench.uploader.report.sent == before.sent && bench.uploader.report.sentInAll == before.sentInAll)
        #expect(bench.uploader.report.commands == 1 && bench.state == .idle)
        bench.pass(.seconds(20))
        #expect(bench.cursor == 5)
    }

    @Test func `with a backlog the newest position is read for it, and sent in its order as well`() throws {
        var bench = Bench(Self.configuration(), positions: 2_000)
        bench.act { $0.commanded(Self.command, at: $1) }
        try bench.serve(most: 100_000) { _ in HTTPAnswer(status: 200) }
        let requested = bench.sent.filter { $0.lane == .requested }
        #expect(requested.map { $0.positions.map(\.sequence) } == [[2_000]])
        #expect(bench.sent.firstIndex { $0.lane == .requested } ?? .max <= 2)
        let others = bench.sent.filter { $0.lane != .requested }.flatMap(\.positions).map(\.sequence)
        #expect(others.sorted() == Array(1...2_000))
        #expect(bench.counted.sent == 2_000)
    }

    @Test func `commands that follow within ten seconds are ignored and counted`() throws {
        var bench = Bench(Self.configuration(), positions: 1)
        try bench.serve()
        for _ in 0..<5 { bench.act { $0.commanded(Self.command, at: $1) } }
        try bench.serve()
        #expect(bench.sent.filter { $0.lane == .requested }.count == 1)
        #expect(bench.uploader.report.commands == 1 && bench.uploader.report.ignoredCommands == 4)
        bench.pass(.seconds(10))
        bench.act { $0.commanded(Self.commands(true, ignored: 2), at: $1) }
        try bench.serve()
        #expect(bench.sent.filter { $0.lane == .requested }.count == 2)
        #expect(bench.uploader.report.ignoredCommands == 6)
    }

    @Test func `without the setting nothing is sent, and without a position neither`() throws {
        var bench = Bench(Samples.configuration(.owntracks), positions: 1)
        try bench.serve()
        bench.act { $0.commanded(Self.command, at: $1) }
        #expect(bench.open.isEmpty)
        var empty = Bench(Self.configuration())
        empty.act { $0.commanded(Self.command, at: $1) }
        #expect(empty.sent.isEmpty && empty.state == .idle)
    }

    @Test func `a withdrawn recording takes the requested position away`() throws {
        var bench = Bench(Self.configuration(), positions: 1)
        try bench.serve()
        bench.act { $0.recordingLost(isWithdrawn: true, at: $1) }
        bench.act { $0.commanded(Self.command, at: $1) }
        bench.open(cursor: 1)
        #expect(bench.open.isEmpty, "the position was acknowledged, and is not held any longer")
    }

    @Test func `a pause, a failure and a path that costs money delay the report`() throws {
        var configuration = Self.configuration()
        configuration.queue.expensive = .defer
        var bench = Bench(configuration, positions: 1)
        try bench.serve()
        bench.act { $0.pause(at: $1) }
        bench.act { $0.commanded(Self.command, at: $1) }
        #expect(bench.open.isEmpty)
        bench.notify(Samples.target(.reachable, expensive: true))
        bench.act { $0.resume(at: $1) }
        #expect(bench.open.isEmpty)
        bench.notify(Samples.target(.reachable, generation: 2))
        try bench.fail(.connectionLost)
        #expect(bench.open.isEmpty)
        bench.wait()
        #expect(bench.open.first?.lane == .requested)
        try bench.serve()
        #expect(bench.sent.filter { $0.lane == .requested }.count == 2)
    }

    @Test func `a refused report is given up`() throws {
        var bench = Bench(Self.configuration(), positions: 1)
        try bench.serve()
        bench.act { $0.commanded(Self.command, at: $1) }
        try bench.serve { _ in HTTPAnswer(status: 422) }
        #expect(bench.deadLetters.isEmpty && bench.state == .idle)
    }

    @Test func `to hear commands the uploader connects to a broker although nothing is pending, and again`() {
        var bench = Bench(Self.configuration(broker: true))
        #expect(bench.effects.filter { $0 == .connect }.count == 1)
        bench.act { $0.connected(isResumed: false, at: $1) }
        bench.act { $0.connectionLost(.connectionLost, at: $1) }
        bench.pass(.seconds(5))
        #expect(bench.effects.filter { $0 == .connect }.count == 2)
    }

    @Test func `on a path that is to be spared it does not connect for commands alone`() {
        var bench = Bench(Self.configuration(broker: true), isReachable: false)
        bench.notify(Samples.target(.reachable, constrained: true))
        #expect(!bench.effects.contains(.connect))
        bench.notify(Samples.target(.reachable, generation: 2))
        #expect(bench.effects.contains(.connect))
    }
}

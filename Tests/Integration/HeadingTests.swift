import Glibc
import Interfaces
import JSONText
import Location
import Platform
import Replay
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

/// Headings from the daemon.
@Suite(.waits, .timeLimit(.minutes(15))) struct HeadingTests {
    private static let method = LocationInterface.Method.monitorHeading.rawValue
    /// A heading stays valid for an hour, so that no test depends on the pauses between its reports.
    private static let patient = "[Receiver]\nStaleAfter=1h\n"

    private static func att(_ heading: Double, _ more: String = "") -> String {
        #"{"class":"ATT","device":"\#(ScriptedGPSD.device)","heading":\#(heading)\#(more)}"# + "\r\n"
    }

    private func headings(_ stream: StreamLog) -> [Heading] {
        stream.replies.compactMap { $0.parameters["heading"].flatMap { Heading($0) } }
    }

    private func next(_ stream: StreamLog, _ count: Int, _ daemon: DaemonProcess) throws -> Heading {
        try #require(
            eventually(within: Patience.daemon) { headings(stream).count >= count },
            "\(stream.ending ?? "") \(stream.replies.map(\.parameters)) \(daemon.log)")
        return headings(stream)[count - 1]
    }

    @Test func `a heading comes at once, after a turn, and with the declination once there is a position`() throws {
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(configuration: Self.patient, gpsd: gpsd.address)
        let stream = try StreamLog(daemon.socketPath, Self.method, #"{"headingFilter":5}"#)
        defer { stream.stop() }
        try #require(eventually { gpsd.received.contains("?WATCH") }, "\(daemon.log)")
        gpsd.send(Self.att(14_223, #","mag_st":"N""#) + Self.att(50, #","mag_st":"C""#) + Self.att(10))
        let first = try next(stream, 1, daemon)
        #expect(first.trueHeading == 10 && first.magneticHeading == nil && first.headingAccuracy == nil)
        gpsd.send(Self.att(14) + Self.att(16, #","pitch":-2.5,"roll":4"#))
        let second = try next(stream, 2, daemon)
        #expect(second.trueHeading == 16 && second.pitch == -2.5 && second.roll == 4)
        gpsd.send(
            ScriptedGPSD.position(at: SystemClock().utcMicroseconds).replacing(
                "\"climb\"", with: "\"magvar\":-9.5,\"climb\""))
        gpsd.send(Self.att(16))
        let third = try next(stream, 3, daemon)
        #expect(third.declination == -9.5 && third.trueHeading == 16 && third.magneticHeading == 25.5)
        // A second caller has the newest at once.
        let late = try StreamLog(daemon.socketPath, Self.method)
        defer { late.stop() }
        #expect(try next(late, 1, daemon).trueHeading == 16)
        // A newer gpsd reports the magnetic heading of a compass that has no other.
        gpsd.send(#"{"class":"ATT","device":"\#(ScriptedGPSD.device)","mheading":90.0}"# + "\r\n")
        let fourth = try next(stream, 4, daemon)
        #expect(fourth.magneticHeading == 90 && fourth.trueHeading == 80.5)
    }

    @Test func `the heading of a simulated compass passes a real gpsd, the daemon, the command and the library`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let receiver = try PlayedReceiver(Products.recording("compass", seconds: 300, in: directory))
        defer { receiver.stop() }
        let daemon = try DaemonProcess(gpsd: receiver.address)
        let stream = try StreamLog(daemon.socketPath, Self.method, #"{"headingFilter":0}"#)
        defer { stream.stop() }
        try #require(
            eventually(within: Patience.daemon) { headings(stream).contains { $0.declination != nil } },
            "\(stream.replies.map(\.parameters)) \(daemon.log)")
        let heading = try #require(headings(stream).last)
        let (direct, magnetic, declination) = try (
            #require(heading.trueHeading), #require(heading.magneticHeading), #require(heading.declination)
        )
        #expect(heading.isSimulated, "the recording is of another day")
        let turned = (direct - magnetic - declination + 720).truncatingRemainder(dividingBy: 360)
        #expect(min(turned, 360 - turned) < 0.01, "\(heading)")

        let printed = try daemon.waymark(["heading"])
        #expect(printed.status == .exited(0) && printed.output.contains("° true"), "\(printed)")
        #expect(printed.output.contains("declination") && printed.output.contains("simulated"), "\(printed)")
        let number = try daemon.waymark(["heading", "--magnetic"])
        #expect(Double(number.output.dropLast()).map { (0..<360).contains($0) } == true, "\(number)")
        let json = try daemon.waymark(["heading", "--json"])
        #expect(Heading(try JSON.parse(Array(json.output.utf8.dropLast())))?.trueHeading != nil, "\(json)")

        var updates = WaymarkClient(socketPath: daemon.socketPath).headings(filter: 0).makeAsyncIterator()
        #expect(try await updates.next()?.trueHeading != nil)
        #expect(try await updates.next()?.isSimulated == true)
    }

    @Test func `the command says so where no compass reports`() throws {
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let printed = try daemon.waymark(["heading"])
        #expect(printed.status == .exited(5) && printed.error.contains("ATT"), "\(printed)")
    }

    @Test(.enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
    func `a revocation ends the stream at once, and reduced accuracy has no heading`() throws {
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let scene = try TrailMapScene(gpsd, receiver: Self.patient)
        func call() throws -> RawConnection { try scene.call(.monitorHeading, #"{"headingFilter":0}"#) }
        let client = try call()
        try scene.waitForDemand()
        gpsd.send(Self.att(10))
        #expect(try client.read(messages: 1)?.contains("\"trueHeading\":10") == true)
        // While the app is not in use the stream is silent, and continues later.
        try scene.authorize(.whileUsing)
        gpsd.send(Self.att(20))
        try #require(
            try eventually {
                try scene.manage.status().receiver.reports.contains { $0.name == "ATT" && $0.value == 2 }
            },
            "\(scene.daemon.log)")
        #expect(try client.readArrived().bytes.isEmpty)
        let active = try RawConnection(adopting: OtherUser.connect(to: scene.daemon.socketPath))
        #expect(
            try active.send(
                message: #"{"method":"io.waymark.Location.SetActivity","parameters":{"activity":"active"}}"#)
                == .everything)
        #expect(try active.read(messages: 1)?.contains("authorizedWhenInUse") == true)
        gpsd.send(Self.att(30))
        #expect(try client.read(messages: 2)?.contains("\"trueHeading\":30") == true)
        try scene.authorize(.deny)
        gpsd.send(Self.att(40))
        var text = ""
        while let message = try client.read(messages: 1) {
            text = message
            if message.contains("error") { break }
        }
        #expect(text.contains(ErrorName.denied.rawValue), "\(text)")
        gpsd.send(Self.att(50))
        try scene.authorize(.always, accuracy: .reduced)
        #expect(try call().read(messages: 1)?.contains(ErrorName.accuracyReduced.rawValue) == true)
        #expect(try client.readArrived().bytes.isEmpty)
    }
}

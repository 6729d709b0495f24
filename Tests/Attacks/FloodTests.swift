import Interfaces
import JSONText
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// The part of a real daemon's journal that remains for others when an app causes events without end.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct FloodTests {
    @Test func `an app that toggles without end leaves a bounded number of events, which say how many are missing`()
        throws
    {
        let apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        let daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        let client = try Client(adopting: OtherUser.connect(to: daemon.socketPath))
        for _ in 0..<500 {
            for activity in ["active", "background"] {
                let parameters: JSON = ["activity": .string(activity)]
                _ = try client.call(LocationInterface.Method.setActivity.rawValue, parameters, timeout: .seconds(60))
            }
        }
        // Decisions are recorded whatever the app did before.
        try OperatorClient(daemon).authorize("trailmap", .always, uid: OtherUser.nobody)
        #expect(try daemon.stop() == .exited(0))
        try daemon.restart()
        let read = JournalInterface.Read(app: "trailmap")
        let entries = try OperatorClient(daemon).client.call(read, timeout: .seconds(60)).events
        let noted = entries.count { ["appAttached", "appInUse", "appLeftUse", "appDetached"].contains($0.kind) }
        // A second one where the test itself lasts so long.
        #expect((60...64).contains(noted), "\(entries)")
        let missing = entries.filter { $0.kind == "eventsDropped" }
        #expect(missing.count == 1 && missing.first?.user == Int64(OtherUser.nobody), "\(entries)")
        let count = try #require(missing.first?.details["count"]?.integerValue)
        #expect(Int(count) + noted >= 1_001)
        #expect(entries.contains { $0.kind == "authorizationChanged" })
    }
}

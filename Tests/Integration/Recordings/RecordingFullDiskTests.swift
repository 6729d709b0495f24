import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Recordings on a full disk.
@Suite(
    .waits,
    .enabled(
        if: OtherUser.isPossible && SmallDisk.isPossible,
        "mounting a tmpfs as another user needs root"))
struct RecordingFullDiskTests {
    @Test
    func `positions are delivered while the disk is full, the status reports it, and recording continues by itself`()
        throws
    {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let apps = try TestApps()
        let program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program, "Record=yes")
        let disk = try SmallDisk(kibibytes: 1_024)
        let state = apps.directory.file("state")
        try retrying("link", subject: state) { symlink(disk.path, state) }
        let daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration(), gpsd: receiver.address)
        let manage = try OperatorClient(daemon)
        try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
        let client = try AppClient(program, to: daemon.socketPath)
        _ = try client.call(
            RecordingInterface.Method.start.rawValue, #"{"identifier":"trip","options":{"onRevoke":"keep"}}"#)
        func status() throws -> DaemonStatus { try manage.status() }
        func recording() throws -> KnownRecording { try #require(try manage.recordings().first) }
        #expect(try eventually(within: 60) { try recording().last >= 5 }, "\(daemon.log)")
        try disk.fill()
        #expect(try eventually(within: 60) { try status().journal.state == .full }, "\(daemon.log)")
        let full = try status()
        #expect(full.health == "journalFull" && full.recordings.problem?.contains("cannot be stored") == true)
        #expect(try recording().state == "journalUnavailable")
        let refused = try client.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"other"}"#)
        #expect(refused.error == ErrorName.recordingJournalUnavailable.rawValue)
        let reader = try AppClient(try apps.program("reader"), to: daemon.socketPath, as: geteuid())
        try reader.begin(LocationInterface.Method.monitor.rawValue, more: true)
        for _ in 0..<10 { #expect(try reader.next()?.error == nil, "\(daemon.log)") }

        let last = try recording().last
        disk.free()
        #expect(try eventually(within: 70) { try recording().last >= last + 20 }, "\(daemon.log)")
        #expect(try status().journal.state == .running && status().recordings.problem == nil)
        let reply = try client.call(
            RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":0,"limit":1000}"#)
        let points = try #require(RecordingPage(reply.parameters)).points
        #expect(points.map(\.sequence) == Array(1...Int64(points.count)), "numbers are dense whatever was lost")
    }
}

import Glibc
import Interfaces
import Location
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Reading exact positions out of a recording while this machine forbids them.
@Suite(.waits, .serialized, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RecordedAccuracyTests {
    private let scene: RecordingScene

    init() throws { scene = try RecordingScene() }

    /// Records some exact positions, of which the second becomes a dead letter, stops, and returns the numbers that
    /// remain.
    private func record(_ client: AppClient) throws -> [Int64] {
        try scene.manage.authorize("trailmap", .always, uid: OtherUser.nobody)
        #expect(try client.call(RecordingInterface.Method.start.rawValue, #"{"identifier":"trip"}"#).error == nil)
        #expect(try eventually(within: 60) { try numbers(client).count >= 5 }, "\(scene.daemon.log)")
        #expect(try client.call(RecordingInterface.Method.stop.rawValue, #"{"identifier":"trip"}"#).error == nil)
        let reject = #"{"identifier":"trip","sequence":2,"status":422,"message":"no"}"#
        #expect(try client.call(RecordingInterface.Method.reject.rawValue, reject).error == nil)
        return try numbers(client)
    }

    private func read(_ client: AppClient, _ method: RecordingInterface.Method = .read) throws -> Reply {
        try client.call(method.rawValue, #"{"identifier":"trip","after":0}"#)
    }

    private func numbers(_ client: AppClient) throws -> [Int64] {
        try read(client).parameters["points"]?.arrayValue?.compactMap { $0["sequence"]?.integerValue } ?? []
    }

    private func operatorsRejected() throws -> String? {
        do {
            _ = try scene.manage.client.call(
                RecordingInterface.Method.readRejected.rawValue, ["identifier": "trip", "after": 0, "app": "trailmap"],
                timeout: .seconds(60))
            return nil
        } catch {
            guard case .reply(let name, _) = error else { throw error }
            return name
        }
    }

    @Test(arguments: [
        ("ForbidFullAccuracy=yes", ErrorName.recordingWithheld), ("ForbidRecording=yes", .restricted),
        ("ForbidRecordin=yes", .restricted),
    ])
    func `exact recorded positions cannot be read while a restriction forbids it, and are complete afterwards`(
        restriction: String, error: ErrorName
    ) throws {
        defer { scene.receiver.stop() }
        let client = try scene.app()
        let before = try record(client)
        let waiter = try scene.app()
        // Two calls: when the first one and a later call of another connection have their replies, the daemon has the second one.
        try waiter.begin(RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":0}"#)
        try waiter.begin(
            RecordingInterface.Method.read.rawValue, #"{"identifier":"trip","after":9223372036854775807,"wait":true}"#)
        #expect(try waiter.next()?.error == nil)
        #expect(try numbers(client) == before)
        try scene.apps.restrict("[Restrictions]\n\(restriction)\n")
        // A reader is notified that it may no longer have the positions that it read.
        let reply = try #require(try waiter.next(), "\(scene.daemon.log)")
        #expect(reply.error == error.rawValue)
        for method in [RecordingInterface.Method.read, .readRejected] {
            let refused = try read(client, method)
            #expect(refused.error == error.rawValue)
            #expect(!"\(refused.parameters)".contains("latitude"))
        }
        #expect(
            try operatorsRejected() == error.rawValue,
            "an operator reads for the app positions that the app may not have")

        try scene.apps.restrict(nil)
        #expect(try eventually { try numbers(client) == before }, "\(scene.daemon.log)")
        #expect(try read(client, .readRejected).parameters["deadLetters"]?.arrayValue?.count == 1)
        #expect(try operatorsRejected() == nil)
    }

    @Test func `a reduced app reads exact rows unless its manifest says RecordedAccuracy=present`() throws {
        defer { scene.receiver.stop() }
        let client = try scene.app()
        let before = try record(client)
        try scene.manage.authorize("trailmap", .always, uid: OtherUser.nobody, accuracy: .reduced)
        #expect(try numbers(client) == before)
        try scene.apps.add(
            "trailmap", name: "Trail Map", program: scene.program, "Record=yes\nRecordedAccuracy=present")
        #expect(
            try eventually { try read(client).error == ErrorName.recordingWithheld.rawValue }, "\(scene.daemon.log)")
        try scene.manage.authorize("trailmap", .always, uid: OtherUser.nobody, accuracy: .full)
        #expect(try numbers(client) == before)
    }
}

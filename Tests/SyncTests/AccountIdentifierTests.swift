import Records
import Storage
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing
import Waymark

@testable import Sync

/// The identifier of an account for the apps of a container.
@Suite(.waits) struct AccountIdentifierTests {
    private static let other = "org.example.maps"

    private func identifier(_ machine: SyncProcess, _ container: String = SyncProcess.container) throws -> String {
        try machine.call(SyncInterface.GetAccountIdentifier(container: container)).identifier
    }

    @Test func `all machines of an account have the same, and other containers and accounts have others`() throws {
        var scene = try SyncMachines("laptop", "phone")
        try scene.add("desktop", of: "bob")
        let identifiers = try scene.machines.map { try identifier($0) }
        #expect(identifiers[0] == identifiers[1] && identifiers[0] != identifiers[2])
        let others = try scene.machines.map { try identifier($0, Self.other) }
        #expect(others[0] == others[1] && Set(identifiers + others).count == 4)
        let shape = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect((identifiers + others).allSatisfy { $0.wholeMatch(of: shape) != nil })
        // Without the network, and after a crash.
        try scene.hub.stop()
        try scene.machines[0].crash()
        #expect(try identifier(scene.machines[0]) == identifiers[0])
    }

    @Test func `the library has it, and without an account there is none`() async throws {
        let scene = try SyncMachines("laptop")
        let container = scene.machines[0].notesContainer
        let first = try await container.accountIdentifier()
        #expect(first == (try identifier(scene.machines[0])))
        _ = try scene.machines[0].call(SyncInterface.Leave(unsent: scene.machines[0].unsent()))
        let error = await #expect(throws: RecordError.self) { try await container.accountIdentifier() }
        #expect(error?.code == .notAuthenticated)
        // Whoever joins the account again has the same one.
        try scene.machines[0].join(scene.hub, as: "laptop2")
        #expect(try await container.accountIdentifier() == first)
    }

    @Test func `an app of another container does not get it, and those that have received one are listed`() throws {
        let scene = try SyncMachines("laptop")
        let folder = scene.machines[0].folder.file("copy")
        try scene.machines[0].stop()
        let container = try #require(ContainerName(SyncProcess.container))
        do {
            let cache = try SyncCache(folder: folder)
            for hour in [3_600_000_000, 7_200_000_000] as [Int64] {
                try cache.write { (tables) throws(StorageError) in
                    try tables.noteReader("notes", container, hour: hour)
                }
            }
        }
        try scene.machines[0].start()
        let readers = try scene.machines[0].call(SyncInterface.ListIdentifierReaders()).readers
        #expect(
            readers.map { "\($0.app) \($0.container) \($0.first) \($0.last)" } == [
                "notes org.example.notes 3600000000 7200000000"
            ])
        // A program that acts for the person is no app, and not listed.
        _ = try identifier(scene.machines[0])
        #expect(try scene.machines[0].call(SyncInterface.ListIdentifierReaders()).readers.count == 1)
        // What a machine has given belongs to its account.
        _ = try scene.machines[0].call(SyncInterface.Leave(unsent: scene.machines[0].unsent()))
        #expect(try scene.machines[0].call(SyncInterface.ListIdentifierReaders()).readers.isEmpty)
    }
}

import Glibc
import Platform
import TestSupport
import Testing

@testable import Varlink

/// What a process keeps for the next one while it ends.
@Suite(.timeLimit(.minutes(15))) struct LeavingTests {
    init() { LoopThread.start() }

    /// Keeps connections in a table alone.
    @DaemonActor
    private final class TableKeeper: ConnectionKeeping {
        let table: KeptTable

        init() throws { table = try KeptTable(capacity: 4) }

        func keep(
            _ socket: Int32, of peer: PeerIdentity, hasPrecedence: Bool, _ fill: (KeptSlot) -> Void
        ) -> KeptSlot? {
            guard let slot = table.add() else { return nil }
            fill(slot)
            #expect(slot.content != nil, "whoever ends here knows nothing of the connection")
            return slot
        }

        func letGo(_ slot: KeptSlot) { slot.end() }

        /// The call that the next process finds.
        func call() throws -> CallRequest? {
            let next = try KeptTable(adopting: OwnedDescriptor("dup") { dup(table.descriptor) })
            return try next.takeSlots().first?.content?.conversation.call.map { try CallRequest(parsing: $0) }
        }
    }

    @Test @DaemonActor func `the next process skips nothing that this one has not said`() async throws {
        let fixture = try await ServerFixture.start()
        let keeper = try TableKeeper()
        fixture.server.keeper = keeper
        let client = try LoopClient(path: fixture.path)
        var numbers: [Int64?] = []
        let request = CallRequest(method: "org.example.test.Hold", parameters: ["text": "from 0"], more: true)
        client.call(request) { result in
            if case .success(let reply) = result { numbers.append(reply.parameters["number"]?.integerValue) }
        }
        try await fixture.eventually("called") { fixture.held.count == 1 }
        let call = try #require(fixture.held.first)
        call.continuation = ["text": "from 1"]
        call.reply(continues: true) { $0.member("number", 1) }
        try await fixture.eventually("told") { numbers == [1] }
        #expect(try keeper.call()?.parameters["text"] == "from 1")
        fixture.server.prepareToLeave()
        call.continuation = ["text": "from 2"]
        call.reply(continues: true) { $0.member("number", 2) }
        // Anything about the connection has it written anew.
        call.connection.note = [1]
        #expect(try keeper.call()?.parameters["text"] == "from 1")
        try await elapsed(.milliseconds(50))
        #expect(numbers == [1])
        client.close()
    }
}

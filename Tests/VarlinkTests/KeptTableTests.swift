import Glibc
import Platform
import TestSupport
import Testing

@testable import Varlink

/// The table as one process writes it and the next one reads it: here the second maps the same file again.
@Suite struct KeptTableTests {
    init() { LoopThread.start() }

    private struct Pair: ~Copyable {
        let ours: OwnedDescriptor
        let theirs: OwnedDescriptor

        init() throws {
            var numbers: [Int32] = [-1, -1]
            try retrying("socketpair") {
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &numbers)
            }
            ours = OwnedDescriptor(adopting: numbers[0])
            theirs = OwnedDescriptor(adopting: numbers[1])
        }
    }

    private func read(_ socket: borrowing OwnedDescriptor, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = recv(socket.number, &bytes, count, Int32(MSG_DONTWAIT))
        return Array(bytes.prefix(max(0, got)))
    }

    @DaemonActor private func next(_ table: KeptTable) throws -> KeptTable {
        try KeptTable(adopting: OwnedDescriptor("dup") { dup(table.descriptor) })
    }

    private static let head: [UInt8] = {
        var kept = KeptConversation()
        kept.call = Array("call".utf8)
        return kept.encoded
    }()

    @Test @DaemonActor func `the next process finds what holds, and what of it was sent`() throws {
        let table = try KeptTable(capacity: 4)
        let slot = try #require(table.add())
        let pair = try Pair()
        let message = Array("hello".utf8)
        slot.keep(Self.head, output: [message], sentOfFirst: 0, received: 3, latest: 9)
        var content = try #require(try next(table).takeSlots().first?.content)
        #expect(content.output == message && content.received == 3 && content.latest == 9)
        #expect(content.conversation.call == Array("call".utf8))

        #expect(slot.send(to: pair.ours.number) == 5)
        content = try #require(try next(table).takeSlots().first?.content)
        #expect(content.output.isEmpty, "it would be sent twice")
        #expect(read(pair.theirs, 10) == message)
    }

    @Test @DaemonActor func `what the kernel took of a long reply is known to the byte`() throws {
        let table = try KeptTable(capacity: 4)
        let slot = try #require(table.add())
        let pair = try Pair()
        var size: Int32 = 4_096
        setsockopt(pair.ours.number, SOL_SOCKET, SO_SNDBUF, &size, 4)
        let long = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        slot.keep(Self.head, output: [long], sentOfFirst: 0, received: 0, latest: 0)
        let sent = slot.send(to: pair.ours.number)
        #expect(sent > 0 && sent < long.count)
        let content = try #require(try next(table).takeSlots().first?.content)
        #expect(content.output == Array(long[sent...]))
        #expect(read(pair.theirs, 200_000) == Array(long[..<sent]))
        // The rest is kept anew before it is sent.
        #expect(slot.hasSent)
        slot.keep(Self.head, output: [long], sentOfFirst: sent, received: 0, latest: 0)
        #expect(!slot.hasSent)
        #expect(try next(table).takeSlots().first?.content?.output == Array(long[sent...]))
    }

    @Test @DaemonActor func `what was received and not kept yet is not lost, and what is kept is not received twice`()
        throws
    {
        let table = try KeptTable(capacity: 4)
        let (slot, other) = (try #require(table.add()), try #require(table.add()))
        let pair = try Pair()
        slot.keep(Self.head, output: [], sentOfFirst: 0, received: 10, latest: 0)
        other.keep(Self.head, output: [], sentOfFirst: 0, received: 10, latest: 0)
        _ = send(pair.theirs.number, "abc", 3, 0)
        guard case .bytes(let bytes) = slot.receive(from: pair.ours.number, after: 10) else {
            Issue.record("nothing came")
            return
        }
        #expect(Array(bytes) == Array("abc".utf8))
        let contents = try next(table).takeSlots().compactMap(\.content)
        #expect(contents.map(\.conversation.input).sorted { $0.count < $1.count } == [[], Array("abc".utf8)])
        #expect(contents.map(\.received).sorted() == [10, 13])
        slot.keep(Self.head, output: [], sentOfFirst: 0, received: 13, latest: 0)
        #expect(try next(table).takeSlots().allSatisfy { $0.content?.conversation.input == [] })
    }

    @Test(arguments: [300, 3_000, 300_000])
    @DaemonActor func `each change replaces the last whole`(_ size: Int) throws {
        let table = try KeptTable(capacity: 2)
        let slot = try #require(table.add())
        for round in 0..<6 {
            let output = [UInt8](repeating: UInt8(round), count: round % 3 == 2 ? 10 : size)
            slot.keep(Self.head, output: [output], sentOfFirst: 0, received: 0, latest: 0)
            #expect(try next(table).takeSlots().first?.content?.output == output)
        }
    }

    @Test @DaemonActor func `what is too long is not kept, and not taken for what was kept before`() throws {
        let table = try KeptTable(capacity: 2)
        let slot = try #require(table.add())
        slot.keep(Self.head, output: [[1]], sentOfFirst: 0, received: 0, latest: 0)
        let tooLong = [UInt8](repeating: 0, count: KeptTable.slotSize)
        slot.keep(Self.head, output: [tooLong], sentOfFirst: 0, received: 0, latest: 0)
        #expect(!slot.isKept && slot.content == nil)
        slot.keep(Self.head, output: [[2]], sentOfFirst: 0, received: 0, latest: 0)
        #expect(slot.content?.output == [2])
    }

    @Test @DaemonActor func `slots are used again, numbers are not`() throws {
        let table = try KeptTable(capacity: 2)
        var ids: Set<UInt64> = []
        for _ in 0..<5 {
            let slots = [try #require(table.add()), try #require(table.add())]
            #expect(table.add() == nil)
            for slot in slots {
                slot.keep(Self.head, output: [Array("secret".utf8)], sentOfFirst: 0, received: 0, latest: 0)
                ids.insert(slot.id)
                slot.end()
                #expect(slot.content == nil && slot.id == 0)
            }
        }
        #expect(ids.count == 10)
        #expect(try next(table).takeSlots().isEmpty)
    }

    @Test @DaemonActor func `a damaged byte makes a connection unreadable, not another`() throws {
        let table = try KeptTable(capacity: 1)
        let slot = try #require(table.add())
        let output = Array("hello".utf8)
        slot.keep(Self.head, output: [output], sentOfFirst: 0, received: 3, latest: 9)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let offset = 128 << 10
        #expect(pread(table.descriptor, &bytes, bytes.count, offset) == bytes.count)
        // From the lengths to the end of what is kept: all but what the kernel writes, which is bounded otherwise.
        for index in (64 + 80)..<(64 + 112 + Self.head.count + output.count) {
            var byte = bytes[index] ^ 0x10
            #expect(pwrite(table.descriptor, &byte, 1, offset + index) == 1)
            #expect(slot.content == nil, "byte \(index)")
            #expect(pwrite(table.descriptor, &bytes[index], 1, offset + index) == 1)
        }
        #expect(slot.content?.output == output)
    }

    @Test @DaemonActor func `an attempt in which the process ends is counted`() throws {
        let table = try KeptTable(capacity: 1)
        let slot = try #require(table.add())
        slot.attempt { #expect(slot.attempts == 1) }
        #expect(slot.attempts == 0)
    }

    @Test @DaemonActor func `what is no table, or one of another version, is refused`() throws {
        let table = try KeptTable(capacity: 1)
        var version: UInt32 = 2
        #expect(pwrite(table.descriptor, &version, 4, 8) == 4)
        #expect(throws: KeptTable.Unreadable.self) { try next(table) }
        #expect(ftruncate(table.descriptor, 100) == 0)
        #expect(throws: KeptTable.Unreadable.self) { try next(table) }
    }
}

import Authorization
import Location
import TestSupport
import TestTraits
import Testing

@testable import Identities

/// Random queries, resets, removals, failures of the disk and restarts, compared with what apps have received.
@Suite(.computes) struct IdentityPropertyTests {
    private static let keys = (0..<2).flatMap { uid in
        [Vendor(.system, .named, "a"), Vendor(.user, .named, "a"), Vendor(.system, .app, "a")].map {
            IdentifierKey(uid: UInt32(uid), vendor: $0)
        } + [IdentifierKey(advertisingFor: UInt32(uid))]
    }
    private static let apps = ["one", "two"]

    /// The book, the disk, and what the apps know.
    private struct World {
        var book = IdentityBook()
        var disk: [IdentifierKey: String] = [:]
        /// What is being stored, in its order: a record, or a removal.
        var writes: [(key: IdentifierKey, record: IdentifierRecord?)] = []
        /// What apps have received since the last reset.
        var present: [IdentifierKey: UniqueID] = [:]
        /// What apps have received before.
        var past: [IdentifierKey: Set<UniqueID>] = [:]
        var now = UTCTime(microseconds: 1_750_000_000_000_000)

        mutating func look() {
            for key in IdentityPropertyTests.keys {
                for app in IdentityPropertyTests.apps {
                    guard let identifier = book.received(key, by: app) else { continue }
                    #expect(present[key] ?? identifier == identifier, "\(key) has changed without a reset")
                    #expect(past[key]?.contains(identifier) != true, "\(key) is one from before a reset again")
                    #expect(
                        disk[key].flatMap { IdentifierRecord(text: $0) }?.identifier == identifier,
                        "\(key) is not stored")
                    present[key] = identifier
                }
            }
            #expect(Set(present.values).count == present.count, "two keys have one identifier")
        }

        mutating func remove(_ removed: Set<IdentifierKey>) {
            for key in removed {
                if let identifier = present.removeValue(forKey: key) { past[key, default: []].insert(identifier) }
                writes.append((key, nil))
            }
        }

        mutating func finishWrite(isSuccess: Bool) {
            guard !writes.isEmpty else { return }
            let (key, record) = writes.removeFirst()
            if isSuccess {
                disk[key] = record?.text
                book.stored(record, for: key)
            } else if let record {
                book.notStored(record, for: key)
            }
        }

        /// The daemon is killed: only the disk is left.
        mutating func restart() {
            writes = []
            book = IdentityBook()
            for (key, text) in disk {
                guard let record = IdentifierRecord(text: text) else { continue }
                book.restore(record, for: key)
                // A removal that was not stored is not in effect any more.
                past[key]?.remove(record.identifier)
            }
            #expect(present.allSatisfy { book.record(of: $0.key)?.identifier == $0.value }, "a received one is lost")
        }
    }

    @Test func `an app receives one identifier, stored before, until it is reset, and no other app's`() throws {
        var generator = SeededGenerator()
        var world = World()
        var received = 0
        for _ in 0..<20_000 {
            let key = try #require(Self.keys.randomElement(using: &generator))
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<45:
                let app = try #require(Self.apps.randomElement(using: &generator))
                let answer = world.book.query(key, by: app, at: world.now, new: .random())
                if answer.mustBeStored { world.writes.append((key, world.book.record(of: key))) }
            case 45..<85: world.finishWrite(isSuccess: Int.random(in: 0..<5, using: &generator) > 0)
            case 85..<90: world.now = UTCTime(microseconds: world.now.microseconds + 1_800_000_000)
            case 90..<93: world.remove(world.book.reset(uid: key.uid))
            case 93..<94: world.remove(world.book.reset(uid: nil))
            case 94..<97: world.remove(world.book.review { other, _ in other == key })
            default: world.restart()
            }
            world.look()
            received += world.present.count
        }
        #expect(received > 10_000, "the test has to receive identifiers, or it checks nothing")
    }
}

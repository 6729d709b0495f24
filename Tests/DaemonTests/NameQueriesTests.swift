import Accounts
import NetworkPaths
import Resolver
import Testing

@testable import Daemon

@Suite struct NameQueriesTests {
    private static let limits = NameQueries.Limits(
        running: 2, runningOfUser: 2, runningInAll: 2, waiting: 3, waitingOfUser: 3, callers: 10, patience: 100,
        queueing: 250)
    private var queries = NameQueries(limits)
    private let answer = NameAnswer.addresses([HostAddress("192.0.2.1")].compactMap { $0 })

    private func name(_ number: Int) throws -> HostName { try #require(HostName("host\(number).example")) }

    @Test mutating func `a name is looked up at once while there is a process for it`() throws {
        #expect(try queries.query(name(1), for: 7, at: 0)?.effects == [.start(1, name(1))])
        #expect(try queries.query(name(2), for: 7, at: 0)?.effects == [.start(2, name(2))])
        #expect(try queries.query(name(3), for: 7, at: 0)?.effects == [])
        #expect(queries.processCount == 2 && queries.waitingCount == 1)
        #expect(queries.answered(1, answer) == [.stop(1), .notify(1, answer)])
        #expect(queries.processCount == 2, "a process counts until it has exited")
        #expect(try queries.ended(1, at: 5, withoutAnswer: .failed("never")) == [.start(3, name(3))])
        #expect(queries.waitingCount == 0)
    }

    @Test mutating func `two requests for the same name share a lookup, queued or running`() throws {
        let first = try #require(try queries.query(name(1), for: 7, at: 0)?.id)
        #expect(try queries.query(#require(HostName("HOST1.Example")), for: 7, at: 1)?.id == first)
        _ = try queries.query(name(2), for: 7, at: 1)
        let third = try #require(try queries.query(name(3), for: 7, at: 1)?.id)
        #expect(try queries.query(name(3), for: 7, at: 1)?.id == third)
        #expect(queries.joined == 2 && queries.waitingCount == 1)
        #expect(queries.withdraw(from: first, at: 2) == [], "another request still waits")
        #expect(queries.withdraw(from: first, at: 2) == [.stop(first)])
        #expect(queries.withdraw(from: third, at: 2) == [])
        #expect(queries.withdraw(from: third, at: 2) == [])
        #expect(queries.waitingCount == 0)
    }

    @Test mutating func `the same name requested by two users is looked up for each of them`() throws {
        let first = try #require(try queries.query(name(1), for: 7, at: 0)?.id)
        let other = try #require(try queries.query(name(1), for: 8, at: 1))
        #expect(try other.effects == [.start(other.id, name(1))])
        #expect(queries.joined == 0)
        // One user's result does not end the other's lookup, and each is still joined by its own user's requests.
        #expect(queries.answered(first, answer) == [.stop(first), .notify(first, answer)])
        #expect(try queries.query(name(1), for: 8, at: 2)?.id == other.id)
    }

    @Test mutating func `a full queue accepts only requests for names that it has`() throws {
        for number in 1...5 { #expect(try queries.query(name(number), for: 7, at: 0) != nil) }
        #expect(try queries.query(name(6), for: 7, at: 0) == nil)
        for number in 1...5 { #expect(try queries.query(name(number), for: 7, at: 0) != nil) }
        #expect(try queries.query(name(1), for: 7, at: 0) == nil, "the queue is full")
        #expect(queries.refused == 2)
        #expect(queries.withdraw(from: 1, at: 0) == [])
        #expect(try queries.query(name(1), for: 7, at: 0)?.id == 1)
    }

    @Test mutating func `lookups time out, and later the queued ones end as not looked up`() throws {
        for number in 1...3 { _ = try queries.query(name(number), for: 7, at: 0) }
        #expect(queries.deadline == 100)
        #expect(queries.timePassed(at: 99) == [])
        #expect(
            queries.timePassed(at: 100) == [.stop(1), .notify(1, .notAnswering), .stop(2), .notify(2, .notAnswering)])
        #expect(queries.deadline == 250)
        #expect(queries.timePassed(at: 250) == [.notify(3, nil)])
        #expect(queries.deadline == nil && queries.expired == 3)
        #expect(queries.answered(1, answer) == [], "it is too late")
        #expect(queries.ended(1, at: 101, withoutAnswer: .failed("late")) == [])
        #expect(queries.ended(2, at: 101, withoutAnswer: .failed("late")) == [])
        #expect(queries.processCount == 0)
    }

    @Test mutating func `one user's lookups that hang do not keep another's from running`() throws {
        for number in 1...4 { _ = try queries.query(name(number), for: 7, at: 0) }
        let other = try #require(try queries.query(name(5), for: 8, at: 0)?.id)
        // As when the path changes and all names are requested: the running lookups hang and are given up at once.
        #expect(queries.timePassed(at: 100).contains(.stop(1)))
        #expect(try queries.ended(1, at: 101, withoutAnswer: nil) == [.start(other, name(5))])
        #expect(try queries.ended(2, at: 102, withoutAnswer: nil) == [.start(3, name(3))])
        #expect(queries.answered(other, answer) == [.stop(other), .notify(other, answer)])
        #expect(try queries.ended(other, at: 103, withoutAnswer: nil) == [.start(4, name(4))])
    }

    @Test mutating func `the time limit of a lookup starts with its process`() throws {
        for number in 1...3 { _ = try queries.query(name(number), for: 7, at: 0) }
        _ = queries.answered(1, answer)
        _ = queries.ended(1, at: 90, withoutAnswer: .failed(""))
        _ = queries.answered(2, answer)
        #expect(queries.deadline == 190)
    }

    @Test mutating func `a process that exits without a reply has failed`() throws {
        _ = try queries.query(name(1), for: 7, at: 0)
        #expect(queries.ended(1, at: 1, withoutAnswer: .failed("it crashed")) == [.notify(1, .failed("it crashed"))])
        #expect(queries.ended(1, at: 1, withoutAnswer: .failed("again")) == [])
    }

    @Test mutating func `after a change of the network a name is looked up again, and both lookups get their results`()
        throws
    {
        let before = try #require(try queries.query(name(1), for: 7, at: 0)?.id)
        queries.networkChanged()
        let after = try #require(try queries.query(name(1), for: 7, at: 1))
        #expect(after.id != before)
        #expect(try after.effects == [.start(after.id, name(1))])
        #expect(queries.answered(before, .notFound) == [.stop(before), .notify(before, .notFound)])
        #expect(try queries.query(name(1), for: 7, at: 2)?.id == after.id)
        let waiting = try #require(try queries.query(name(2), for: 7, at: 2)?.id)
        queries.networkChanged()
        #expect(try queries.query(name(2), for: 7, at: 2)?.id == waiting, "a queued lookup has queried no server yet")
    }

    @Test func `lookups that hang leave another user's lookups their share at once`() throws {
        var queries = NameQueries()
        for number in 1...60 { _ = try queries.query(name(number), for: 7, at: 0) }
        #expect(queries.processCount == 4, "half of the processes")
        for user: UInt32 in 8...30 {
            let other = try #require(try queries.query(name(1), for: user, at: 1))
            #expect(try other.effects == [.start(other.id, name(1))])
        }
        #expect(queries.processCount == 27)
        // The end of a process gives none to a user who has four.
        #expect(
            queries.ended(1, at: 2, withoutAnswer: .notAnswering).count {
                if case .start = $0 { true } else { false }
            } == 0)
    }

    @Test func `user ids without an account share their turns`() throws {
        var queries = NameQueries()
        for user: UInt32 in 100_000..<100_060 {
            _ = try queries.query(name(1), for: user, share: UserAccounts.unaccounted, at: 0)
        }
        #expect(queries.processCount == 4 && queries.waitingCount == 56)
    }
}

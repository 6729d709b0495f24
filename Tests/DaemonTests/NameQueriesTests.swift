import NetworkPaths
import Resolver
import Testing

@testable import Daemon

@Suite struct NameQuestionsTests {
    private static let limits = NameQuestions.Limits(
        running: 2, runningOfUser: 2, runningInAll: 2, waiting: 3, waitingOfUser: 3, askers: 10, patience: 100,
        queueing: 250)
    private var questions = NameQuestions(limits)
    private let answer = NameAnswer.addresses([HostAddress("192.0.2.1")].compactMap { $0 })

    private func name(_ number: Int) throws -> HostName { try #require(HostName("host\(number).example")) }

    @Test mutating func `a name is looked up at once while there is a process for it`() throws {
        #expect(try questions.ask(name(1), for: 7, at: 0)?.effects == [.start(1, name(1))])
        #expect(try questions.ask(name(2), for: 7, at: 0)?.effects == [.start(2, name(2))])
        #expect(try questions.ask(name(3), for: 7, at: 0)?.effects == [])
        #expect(questions.processCount == 2 && questions.waitingCount == 1)
        #expect(questions.answered(1, answer) == [.stop(1), .tell(1, answer)])
        #expect(questions.processCount == 2, "a process counts until it has exited")
        #expect(try questions.ended(1, at: 5, withoutAnswer: .failed("never")) == [.start(3, name(3))])
        #expect(questions.waitingCount == 0)
    }

    @Test mutating func `two requests for the same name share a lookup, queued or running`() throws {
        let first = try #require(try questions.ask(name(1), for: 7, at: 0)?.id)
        #expect(try questions.ask(#require(HostName("HOST1.Example")), for: 7, at: 1)?.id == first)
        _ = try questions.ask(name(2), for: 7, at: 1)
        let third = try #require(try questions.ask(name(3), for: 7, at: 1)?.id)
        #expect(try questions.ask(name(3), for: 7, at: 1)?.id == third)
        #expect(questions.joined == 2 && questions.waitingCount == 1)
        #expect(questions.withdraw(from: first, at: 2) == [], "another request still waits")
        #expect(questions.withdraw(from: first, at: 2) == [.stop(first)])
        #expect(questions.withdraw(from: third, at: 2) == [])
        #expect(questions.withdraw(from: third, at: 2) == [])
        #expect(questions.waitingCount == 0)
    }

    @Test mutating func `the same name requested by two users is looked up for each of them`() throws {
        let first = try #require(try questions.ask(name(1), for: 7, at: 0)?.id)
        let other = try #require(try questions.ask(name(1), for: 8, at: 1))
        #expect(try other.effects == [.start(other.id, name(1))])
        #expect(questions.joined == 0)
        // One user's result does not end the other's lookup, and each is still joined by its own user's requests.
        #expect(questions.answered(first, answer) == [.stop(first), .tell(first, answer)])
        #expect(try questions.ask(name(1), for: 8, at: 2)?.id == other.id)
    }

    @Test mutating func `a full queue accepts only requests for names that it has`() throws {
        for number in 1...5 { #expect(try questions.ask(name(number), for: 7, at: 0) != nil) }
        #expect(try questions.ask(name(6), for: 7, at: 0) == nil)
        for number in 1...5 { #expect(try questions.ask(name(number), for: 7, at: 0) != nil) }
        #expect(try questions.ask(name(1), for: 7, at: 0) == nil, "the queue is full")
        #expect(questions.refused == 2)
        #expect(questions.withdraw(from: 1, at: 0) == [])
        #expect(try questions.ask(name(1), for: 7, at: 0)?.id == 1)
    }

    @Test mutating func `lookups time out, and later the queued ones end as not looked up`() throws {
        for number in 1...3 { _ = try questions.ask(name(number), for: 7, at: 0) }
        #expect(questions.deadline == 100)
        #expect(questions.timePassed(at: 99) == [])
        #expect(
            questions.timePassed(at: 100) == [.stop(1), .tell(1, .notAnswering), .stop(2), .tell(2, .notAnswering)])
        #expect(questions.deadline == 250)
        #expect(questions.timePassed(at: 250) == [.tell(3, nil)])
        #expect(questions.deadline == nil && questions.expired == 3)
        #expect(questions.answered(1, answer) == [], "it is too late")
        #expect(questions.ended(1, at: 101, withoutAnswer: .failed("late")) == [])
        #expect(questions.ended(2, at: 101, withoutAnswer: .failed("late")) == [])
        #expect(questions.processCount == 0)
    }

    @Test mutating func `one user's lookups that hang do not keep another's from running`() throws {
        for number in 1...4 { _ = try questions.ask(name(number), for: 7, at: 0) }
        let other = try #require(try questions.ask(name(5), for: 8, at: 0)?.id)
        // As when the path changes and all names are requested: the running lookups hang and are given up at once.
        #expect(questions.timePassed(at: 100).contains(.stop(1)))
        #expect(try questions.ended(1, at: 101, withoutAnswer: nil) == [.start(other, name(5))])
        #expect(try questions.ended(2, at: 102, withoutAnswer: nil) == [.start(3, name(3))])
        #expect(questions.answered(other, answer) == [.stop(other), .tell(other, answer)])
        #expect(try questions.ended(other, at: 103, withoutAnswer: nil) == [.start(4, name(4))])
    }

    @Test mutating func `the time limit of a lookup starts with its process`() throws {
        for number in 1...3 { _ = try questions.ask(name(number), for: 7, at: 0) }
        _ = questions.answered(1, answer)
        _ = questions.ended(1, at: 90, withoutAnswer: .failed(""))
        _ = questions.answered(2, answer)
        #expect(questions.deadline == 190)
    }

    @Test mutating func `a process that exits without a reply has failed`() throws {
        _ = try questions.ask(name(1), for: 7, at: 0)
        #expect(questions.ended(1, at: 1, withoutAnswer: .failed("it crashed")) == [.tell(1, .failed("it crashed"))])
        #expect(questions.ended(1, at: 1, withoutAnswer: .failed("again")) == [])
    }

    @Test mutating func `after a change of the network a name is looked up again, and both lookups get their results`()
        throws
    {
        let before = try #require(try questions.ask(name(1), for: 7, at: 0)?.id)
        questions.networkChanged()
        let after = try #require(try questions.ask(name(1), for: 7, at: 1))
        #expect(after.id != before)
        #expect(try after.effects == [.start(after.id, name(1))])
        #expect(questions.answered(before, .notFound) == [.stop(before), .tell(before, .notFound)])
        #expect(try questions.ask(name(1), for: 7, at: 2)?.id == after.id)
        let waiting = try #require(try questions.ask(name(2), for: 7, at: 2)?.id)
        questions.networkChanged()
        #expect(try questions.ask(name(2), for: 7, at: 2)?.id == waiting, "a queued lookup has queried no server yet")
    }

    @Test func `lookups that hang leave another user's lookups their share at once`() throws {
        var questions = NameQuestions()
        for number in 1...60 { _ = try questions.ask(name(number), for: 7, at: 0) }
        #expect(questions.processCount == 4, "half of the processes")
        for user: UInt32 in 8...30 {
            let other = try #require(try questions.ask(name(1), for: user, at: 1))
            #expect(try other.effects == [.start(other.id, name(1))])
        }
        #expect(questions.processCount == 27)
        // The end of a process gives none to a user who has four.
        #expect(
            questions.ended(1, at: 2, withoutAnswer: .notAnswering).count {
                if case .start = $0 { true } else { false }
            } == 0)
    }

    @Test func `user ids without an account share their turns`() throws {
        var questions = NameQuestions()
        for user: UInt32 in 100_000..<100_060 {
            _ = try questions.ask(name(1), for: user, share: UserAccounts.unaccounted, at: 0)
        }
        #expect(questions.processCount == 4 && questions.waitingCount == 56)
    }
}

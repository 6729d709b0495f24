import Location
import Resolver
import Testing

@testable import Daemon

@Suite struct NameQuestionsTests {
    private static let limits = NameQuestions.Limits(running: 2, waiting: 3, askers: 10, patience: 100)
    private var questions = NameQuestions(limits)
    private let answer = NameAnswer.addresses([HostAddress("192.0.2.1")].compactMap { $0 })

    private func name(_ number: Int) throws -> HostName { try #require(HostName("host\(number).example")) }

    @Test mutating func `a name is asked at once as long as there is a process for it`() throws {
        #expect(try questions.ask(name(1), at: 0)?.effects == [.start(1, name(1))])
        #expect(try questions.ask(name(2), at: 0)?.effects == [.start(2, name(2))])
        #expect(try questions.ask(name(3), at: 0)?.effects == [])
        #expect(questions.processCount == 2 && questions.waitingCount == 1)
        #expect(questions.answered(1, answer) == [.stop(1), .tell(1, answer)])
        #expect(questions.processCount == 2, "a process counts until it is gone")
        #expect(try questions.ended(1, at: 5, withoutAnswer: .failed("never")) == [.start(3, name(3))])
        #expect(questions.waitingCount == 0)
    }

    @Test mutating func `the same name asked twice is one question, whether it waits or is looked up`() throws {
        let first = try #require(try questions.ask(name(1), at: 0)?.id)
        #expect(try questions.ask(#require(HostName("HOST1.Example")), at: 1)?.id == first)
        _ = try questions.ask(name(2), at: 1)
        let third = try #require(try questions.ask(name(3), at: 1)?.id)
        #expect(try questions.ask(name(3), at: 1)?.id == third)
        #expect(questions.joined == 2 && questions.waitingCount == 1)
        #expect(questions.withdraw(from: first, at: 2) == [], "somebody else still wants to know")
        #expect(questions.withdraw(from: first, at: 2) == [.stop(first)])
        #expect(questions.withdraw(from: third, at: 2) == [])
        #expect(questions.withdraw(from: third, at: 2) == [])
        #expect(questions.waitingCount == 0)
    }

    @Test mutating func `a full queue takes nothing in but what it has`() throws {
        for number in 1...5 { #expect(try questions.ask(name(number), at: 0) != nil) }
        #expect(try questions.ask(name(6), at: 0) == nil)
        for number in 1...5 { #expect(try questions.ask(name(number), at: 0) != nil) }
        #expect(try questions.ask(name(1), at: 0) == nil, "as many as can wait do")
        #expect(questions.refused == 2)
        #expect(questions.withdraw(from: 1, at: 0) == [])
        #expect(try questions.ask(name(1), at: 0)?.id == 1)
    }

    @Test mutating func `what has no answer in time is given up, also where it never had its turn`() throws {
        for number in 1...3 { _ = try questions.ask(name(number), at: 0) }
        #expect(questions.deadline == 100)
        #expect(questions.timePassed(at: 99) == [])
        #expect(
            questions.timePassed(at: 100) == [
                .stop(1), .tell(1, .notAnswering), .stop(2), .tell(2, .notAnswering), .tell(3, .notAnswering),
            ])
        #expect(questions.deadline == nil && questions.expired == 3)
        #expect(questions.answered(1, answer) == [], "it is too late")
        #expect(questions.ended(1, at: 101, withoutAnswer: .failed("late")) == [])
        #expect(questions.ended(2, at: 101, withoutAnswer: .failed("late")) == [])
        #expect(questions.processCount == 0)
    }

    @Test mutating func `the time for an answer begins with the process`() throws {
        for number in 1...3 { _ = try questions.ask(name(number), at: 0) }
        _ = questions.answered(1, answer)
        _ = questions.ended(1, at: 90, withoutAnswer: .failed(""))
        _ = questions.answered(2, answer)
        #expect(questions.deadline == 190)
    }

    @Test mutating func `a process that ends without an answer has failed`() throws {
        _ = try questions.ask(name(1), at: 0)
        #expect(questions.ended(1, at: 1, withoutAnswer: .failed("it crashed")) == [.tell(1, .failed("it crashed"))])
        #expect(questions.ended(1, at: 1, withoutAnswer: .failed("again")) == [])
    }

    @Test mutating func `after the network has changed a name is asked anew, and both questions have their answers`()
        throws
    {
        let before = try #require(try questions.ask(name(1), at: 0)?.id)
        questions.networkChanged()
        let after = try #require(try questions.ask(name(1), at: 1))
        #expect(after.id != before)
        #expect(try after.effects == [.start(after.id, name(1))])
        #expect(questions.answered(before, .notFound) == [.stop(before), .tell(before, .notFound)])
        #expect(try questions.ask(name(1), at: 2)?.id == after.id)
        let waiting = try #require(try questions.ask(name(2), at: 2)?.id)
        questions.networkChanged()
        #expect(try questions.ask(name(2), at: 2)?.id == waiting, "what waits has asked nobody yet")
    }
}

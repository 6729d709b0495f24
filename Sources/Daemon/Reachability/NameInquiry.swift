import Platform
import Resolver

/// Somebody who looks one name up: a process, or whoever answers behind a socket.
@DaemonActor
protocol NameInquiry: AnyObject {
    /// Ends it, and returns whether it is gone at once; where it is not, its end is told.
    func stop() -> Bool
}

/// What is heard of an inquiry.
enum NameInquiryEvent {
    /// It has answered.
    case answered(NameAnswer)
    /// It is gone, how, for a person.
    case ended(String)
    /// It is gone before it took the question: nobody was asked.
    case refused
}

/// What was heard of an answer so far.
struct PartialAnswer {
    private(set) var bytes: [UInt8] = []

    /// The most bytes to be read next: one more than an answer has at most.
    var room: Int { NameAnswer.mostBytes + 1 - bytes.count }

    /// The answer, where it is a whole one.
    var answer: NameAnswer? { NameAnswer(lines: bytes) }

    /// Takes what was read; an answer where it is too much for one.
    mutating func append(_ more: some Sequence<UInt8>) -> NameAnswer? {
        bytes += more
        return room > 0 ? nil : .failed("the resolver says more than an answer has")
    }
}

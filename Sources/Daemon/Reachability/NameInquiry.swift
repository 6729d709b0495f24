import Platform
import Resolver

/// A pending lookup of one name, by a process or over a socket.
@DaemonActor
protocol NameInquiry: AnyObject {
    /// Ends the lookup. Returns whether it has ended at once; otherwise its end is reported as an event.
    func stop() -> Bool
}

/// An event of a lookup.
enum NameInquiryEvent {
    /// The lookup has a result.
    case answered(NameAnswer)
    /// The lookup has ended without a result, with the reason for a person.
    case ended(String)
    /// The lookup ended before the resolver read the name: no name server was queried.
    case refused
}

/// The part of a resolver's reply received so far.
struct PartialAnswer {
    private(set) var bytes: [UInt8] = []

    /// The maximum number of bytes to read next: one more than a reply may have, so that an overlong one is recognized.
    var room: Int { NameAnswer.mostBytes + 1 - bytes.count }

    /// The decoded reply, if it is complete.
    var answer: NameAnswer? { NameAnswer(lines: bytes) }

    /// Appends received bytes. Returns a failure if the reply is too long.
    mutating func append(_ more: some Sequence<UInt8>) -> NameAnswer? {
        bytes += more
        return room > 0 ? nil : .failed("the resolver's reply is too long")
    }
}

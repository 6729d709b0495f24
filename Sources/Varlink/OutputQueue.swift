/// The sending half of a connection: replies, or calls, that wait because the socket takes no more.
///
/// Two kinds wait differently. Messages appended are never dropped and are bounded by their bytes, but one that waits
/// alone may be of any length: who makes it bounds it. Of those offered only the newest waits, behind what is appended,
/// and it is known how many it replaced.
struct OutputQueue<Offer> {
    /// More bytes wait than may.
    struct Full: Error, Equatable {}

    private let limit: Int
    /// What waits, oldest first from `head` on.
    private var messages: [[UInt8]] = []
    private var head = 0
    /// How much of the oldest has been sent.
    private var sent = 0
    private var offer: (value: Offer, dropped: Int)?
    /// Bytes that wait.
    private(set) var queuedBytes = 0

    /// A queue of so many bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether no appended reply waits, so that another may be sent at once.
    var isEmpty: Bool { queuedBytes == 0 }

    /// Whether neither an appended nor an offered reply waits.
    var isDrained: Bool { queuedBytes == 0 && offer == nil }

    /// Lets a reply wait, of which so many bytes are sent already. The bytes are shared, not copied.
    mutating func append(_ message: [UInt8], sent: Int = 0) throws(Full) {
        guard isEmpty || message.count - sent <= limit - queuedBytes else { throw Full() }
        if messages.isEmpty { self.sent = sent }
        messages.append(message)
        queuedBytes += message.count - sent
    }

    /// What is appended and not sent yet; what is offered is not among it.
    var waitingBytes: [UInt8] { Array(messages[head...].joined().dropFirst(sent)) }

    /// Takes back what was appended.
    mutating func retract() {
        messages = []
        (head, sent, queuedBytes) = (0, 0, 0)
    }

    /// Lets an offered reply wait in place of the one that waits; says whether there was one.
    mutating func offer(_ value: Offer) -> Bool {
        let replaces = offer != nil
        offer = (value, (offer?.dropped ?? 0) + (replaces ? 1 : 0))
        return replaces
    }

    /// Puts back an offered reply that was taken and could not be sent.
    mutating func putBack(_ value: Offer, dropped: Int) {
        offer = (value, dropped)
    }

    /// Takes the offered reply, and how many it replaced, once nothing appended waits before it.
    mutating func removeOffer() -> (value: Offer, dropped: Int)? {
        guard isEmpty else { return nil }
        defer { offer = nil }
        return offer
    }

    /// Forgets the offered reply that waits; says how many the client does not get by that, those it replaced among
    /// them.
    mutating func discardOffer() -> Int {
        defer { offer = nil }
        return offer.map { $0.dropped + 1 } ?? 0
    }

    /// Sends what is appended until the sink takes no more of it; returns how many bytes it took.
    mutating func flush<Failure: Error>(
        _ sink: (ArraySlice<UInt8>) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        var total = 0
        while head < messages.count {
            let rest = messages[head][sent...]
            let count = try sink(rest)
            total += count
            queuedBytes -= count
            sent += count
            guard count == rest.count else { return total }
            sent = 0
            messages[head] = []
            head += 1
            // Given back in steps, so that a long queue costs no more than its length.
            if head == messages.count || head >= 64 {
                messages.removeSubrange(..<head)
                head = 0
            }
        }
        return total
    }
}

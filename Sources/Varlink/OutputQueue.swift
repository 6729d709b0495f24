/// The sending half of a connection: replies or calls that are queued while the socket accepts no more.
///
/// There are two kinds. Appended messages are never dropped, and their total size is limited; a single one may have any
/// size, which its sender limits. Of the offered messages only the newest is stored, behind the appended ones, with the
/// number of those before it that the client does not receive.
struct OutputQueue<Offer> {
    /// The limit of queued bytes is exceeded.
    struct Full: Error, Equatable {}

    private let limit: Int
    /// The appended messages, oldest first, from `head` on.
    private var messages: [[UInt8]] = []
    private var head = 0
    /// How many bytes of the oldest message were sent.
    private var sent = 0
    private var offer: (value: Offer, dropped: Int)?
    /// The number of queued bytes.
    private(set) var queuedBytes = 0

    /// A queue with this limit in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether no appended message is queued, so that another one may be sent directly.
    var isEmpty: Bool { queuedBytes == 0 }

    /// Whether no message is queued, appended or offered.
    var isDrained: Bool { queuedBytes == 0 && offer == nil }

    /// Queues a message of which `sent` bytes were already sent. The bytes are shared, not copied.
    mutating func append(_ message: [UInt8], sent: Int = 0) throws(Full) {
        guard isEmpty || message.count - sent <= limit - queuedBytes else { throw Full() }
        if messages.isEmpty { self.sent = sent }
        messages.append(message)
        queuedBytes += message.count - sent
    }

    /// The appended bytes that are not sent yet, without an offered message.
    var waitingBytes: [UInt8] { Array(messages[head...].joined().dropFirst(sent)) }

    /// Removes all appended messages.
    mutating func retract() {
        messages = []
        (head, sent, queuedBytes) = (0, 0, 0)
    }

    /// Queues an offered message in place of the earlier one. Returns whether there was one. `missed` is the number of earlier
    /// messages that were discarded.
    mutating func offer(_ value: Offer, missed: Int = 0) -> Bool {
        let replaced = discardOffer()
        offer = (value, replaced + missed)
        return replaced > 0
    }

    /// Restores an offered message that was removed and could not be sent.
    mutating func putBack(_ value: Offer, dropped: Int) {
        offer = (value, dropped)
    }

    /// Removes the offered message, with the number of those before it that the client does not receive, if no appended message
    /// is queued.
    mutating func removeOffer() -> (value: Offer, dropped: Int)? {
        guard isEmpty else { return nil }
        defer { offer = nil }
        return offer
    }

    /// Discards the offered message. Returns the number of messages that the client does not receive, including those
    /// that it replaced, and those that were discarded before it.
    mutating func discardOffer() -> Int {
        defer { offer = nil }
        return offer.map { $0.dropped + 1 } ?? 0
    }

    /// Sends appended messages until the sink accepts no more. Returns the number of bytes sent.
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
            // Removed in steps, so that a long queue has linear costs.
            if head == messages.count || head >= 64 {
                messages.removeSubrange(..<head)
                head = 0
            }
        }
        return total
    }
}

import Location
import Platform

/// A period in which the journal cannot write, because the disk is full or has failed, and tries again after pauses.
struct JournalBlockage {
    /// When it began, microseconds since 1970.
    let sinceMicroseconds: Int64
    /// Why the last attempt failed.
    var reason = ""
    /// The pause before the next attempt.
    private(set) var pause = Duration.zero
    private var backoff: DoublingPause

    init(sinceMicroseconds: Int64, _ options: JournalOptions) {
        self.sinceMicroseconds = sinceMicroseconds
        backoff = DoublingPause(first: options.firstPause, longest: options.longestPause)
    }

    /// Makes the pause longer after an attempt that has failed.
    mutating func lengthenPause() { pause = backoff.next() }

    /// The event that reports, once the journal can write again, since when it could not, and why.
    var event: Event {
        Event(
            .journalFull,
            details: [
                "since": .text(UTCTime(microseconds: sinceMicroseconds).iso8601(fraction: 6)),
                "reason": .text(reason),
            ])
    }
}

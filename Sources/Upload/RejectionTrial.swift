import Durations
import Location

/// The evidence that decides whether a refusal concerns one position or the whole destination.
///
/// A destination that is being updated may reply 404, 400 or 413 to every request. A refused position therefore becomes
/// a dead letter only after the destination has refused it alone, has then accepted another position, and has refused
/// it alone again. Until then the position is a suspect: neither waiting nor settled, so that the cursor cannot pass
/// it.
///
/// | event | consequence |
/// | --- | --- |
/// | a position is refused alone | it becomes a suspect; the next positions are tried |
/// | `mostAtOnce` suspects | up to `allowedWitnesses` positions from elsewhere in the recording are sent alone |
/// | a position is accepted that was sent after a suspect | the suspect is sent alone once more |
/// | a suspect is refused again after that | it becomes a dead letter |
/// | all witnesses are refused, or no other position waits | the destination is blocked, all suspects wait again |
/// | a failure, a block, the loss, replacement or improvement of the path, a resume, `flush`, a reload or the end of a suspend | all suspects wait again |
struct RejectionTrial: Sendable {
    /// A position that was refused alone, with the status of the refusal.
    struct Suspect: Sendable {
        var position: RecordedPosition
        var status: Int
        /// The transfer that carried the position. Only the acceptance of a later transfer, which the destination
        /// handled after this one, shows that the destination accepts other positions. A broker confirms many messages
        /// at once, and some late.
        var transferID: UInt64
    }

    /// The number of suspects after which witnesses are sent ahead of the order.
    static let mostAtOnce = 2
    /// The number of witnesses in the first trial. It grows by the same amount after each trial in which all witnesses
    /// were refused, up to `mostWitnessesEver`, so that a few acceptable positions among many others are found
    /// eventually.
    static let mostWitnesses = 3
    static let mostWitnessesEver = 24
    /// Refusals up to this long before the destination was found to refuse everything are doubted too, because one of
    /// several servers may be updated before the others.
    static let doubted = Duration.seconds(900)
    /// Refusals up to this long before the recording was opened are doubted when it is opened, because it is not known whether the
    /// destination refused everything during the previous process.
    static let doubtedAtStart = Duration.seconds(86_400)
    /// The most dead letters that are sent once more because of such a doubt.
    static let mostRequeued = 64

    /// The positions that were refused alone since the destination last accepted one.
    var suspects: [Suspect] = []
    /// The number of witnesses that this trial has sent.
    var witnesses = 0
    /// Former suspects that are to be sent alone once more.
    var unconfirmed: [RecordedPosition] = []
    /// The transfers that send a former suspect once more.
    var confirmations: Set<UInt64> = []
    /// Counts the witnesses, so that each trial chooses other positions than the last one.
    var witnessNumber = 0
    /// How often in a row the destination was found to refuse everything.
    var blockages = 0
    /// Whether the next recorded position ends the block, because too few positions were tried for a certain result.
    var endsWithNextPosition = false
    /// Dead letters since this time are sent once more as soon as the destination accepts a position. They are stored
    /// in the recording, so that a restart loses none of them.
    var requeuedSince: UTCTime?

    /// The most witnesses in this trial.
    var allowedWitnesses: Int { min(Self.mostWitnessesEver, Self.mostWitnesses * (1 + blockages)) }

    /// Whether the trial is still undecided.
    var isOpen: Bool { !suspects.isEmpty || !unconfirmed.isEmpty || !confirmations.isEmpty }

    /// The index of the next witness among `count` positions. Successive indices are spread evenly over all positions.
    /// `count` is at least 1.
    mutating func nextPlace(among count: Int) -> Int {
        witnessNumber = (witnessNumber + 1) % 1_024
        let fraction = (Double(witnessNumber) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1)
        return min(count - 1, Int(fraction * Double(count)))
    }

    /// Records that dead letters since this time are doubted.
    mutating func requeue(since time: UTCTime) { requeuedSince = min(requeuedSince ?? time, time) }

    /// The same for dead letters since `duration` before `now`.
    mutating func requeue(_ duration: Duration, before now: UTCTime) {
        requeue(since: UTCTime(microseconds: now.microseconds.before(duration)))
    }
}

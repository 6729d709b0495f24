import Location

/// What is known while it is open whether a refusal concerns a position or the whole destination.
///
/// A destination that is being updated may answer 404, 400 or 413 to everything. A refused position therefore becomes a
/// dead letter only when the destination has refused it alone, has then accepted another one, and has refused it alone
/// once more. Until then it is a suspect: neither waiting nor settled, so that the cursor cannot pass it.
///
/// | event | what follows |
/// | --- | --- |
/// | a position is refused alone | it becomes a suspect; the next positions are tried |
/// | `mostInTurn` suspects | up to `allowedWitnesses` positions that lie apart are sent alone |
/// | any position is accepted that was sent after it | the suspect is sent alone once more |
/// | a suspect is refused again after that | it becomes a dead letter |
/// | all witnesses are refused, or no other position waits | the destination is blocked, all suspects wait again |
/// | any failure, block or change of the path | all suspects wait again |
struct RejectionTrial: Sendable {
    /// A position that was refused alone, and with which status.
    struct Suspect: Sendable {
        var position: RecordedPosition
        var status: Int
        /// The transfer that carried it: only what was sent after that, and so was dealt with after it, shows that the destination
        /// accepts others. A broker confirms many at once, and some late.
        var transferID: UInt64
    }

    /// How many suspects there may be before positions are tried out of turn.
    static let mostInTurn = 2
    /// How many positions are tried out of turn, and so many more after each trial in which all were refused, up to the last
    /// figure: few good ones among many bad ones are found in the end.
    static let mostWitnesses = 3
    static let mostWitnessesEver = 24
    /// How long before a destination was found to refuse everything its refusals are doubted already, as one of several servers may
    /// be updated before the others.
    static let doubted = Duration.seconds(900)
    /// The same for the time before the process started.
    static let doubtedAtStart = Duration.seconds(86_400)
    /// How many dead letters are sent once more because of that.
    static let mostRequeued = 64

    /// Positions that were refused alone since the destination accepted one last.
    var suspects: [Suspect] = []
    /// How many positions were tried out of turn since then.
    var witnesses = 0
    /// Former suspects that are to be sent alone once more.
    var unconfirmed: [RecordedPosition] = []
    /// The transfers that carry such positions.
    var confirmations: Set<UInt64> = []
    /// Counts the witnesses that were chosen from among many, so that each trial chooses others.
    var turn = 0
    /// How often in a row the destination was found to refuse everything.
    var blockages = 0
    /// Whether the next position to be recorded ends the block: too few were tried to be certain.
    var endsWithNextPosition = false
    /// The dead letters since then are sent once more as soon as the destination accepts something. The recording knows which these
    /// are, so that a restart loses nothing.
    var requeuedSince: UTCTime?

    /// How many positions this trial tries out of turn at most.
    var allowedWitnesses: Int { min(Self.mostWitnessesEver, Self.mostWitnesses * (1 + blockages)) }

    /// Whether it is open whether a refusal concerns a position.
    var isOpen: Bool { !suspects.isEmpty || !unconfirmed.isEmpty || !confirmations.isEmpty }

    /// Which of so many positions is tried next: any number of turns is spread evenly over all of them.
    mutating func nextPlace(among count: Int) -> Int {
        turn = (turn + 1) % 1_024
        let fraction = (Double(turn) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1)
        return min(count - 1, Int(fraction * Double(count)))
    }

    /// Dead letters since this time are no proof against their positions.
    mutating func requeue(since time: UTCTime) { requeuedSince = min(requeuedSince ?? time, time) }

    /// The same for those of so long before an instant.
    mutating func requeue(_ duration: Duration, before now: UTCTime) {
        requeue(since: UTCTime(microseconds: now.microseconds - duration.components.seconds * 1_000_000))
    }
}

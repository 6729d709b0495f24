/// The delay of a notification after each change, in microseconds.
struct Latencies {
    private(set) var losses: [Double] = []
    private(set) var gains: [Double] = []
    /// Changes without a notification.
    var missed = 0

    mutating func add(_ microseconds: Double, isLoss: Bool) {
        if isLoss { losses.append(microseconds) } else { gains.append(microseconds) }
    }

    mutating func add(_ other: Latencies) {
        losses += other.losses
        gains += other.gains
        missed += other.missed
    }

    var loss: Distribution { Distribution(losses) }
    var gain: Distribution { Distribution(gains) }
    var all: Distribution { Distribution(losses + gains) }
}

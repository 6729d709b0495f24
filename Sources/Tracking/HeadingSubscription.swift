import Location

/// Which headings are due for one client: pure.
public struct HeadingSubscription {
    /// Degrees by which the heading has to change.
    public var filter: Double
    private var delivered: Heading?

    /// A subscription to which nothing was delivered.
    public init(filter: Double) {
        self.filter = filter
    }

    /// Whether a heading is due: the first, one that has changed by the filter since the last one delivered, or one with another
    /// accuracy, `isSimulated` or set of known directions. With a filter of 0 every heading is. A due heading counts as delivered.
    public mutating func isDue(_ heading: Heading) -> Bool {
        if let delivered, !hasChanged(delivered, heading) { return false }
        delivered = heading
        return true
    }

    /// Forgets what was delivered: the next heading is due.
    public mutating func reset() { delivered = nil }

    private func hasChanged(_ last: Heading, _ heading: Heading) -> Bool {
        if last.headingAccuracy != heading.headingAccuracy || last.isSimulated != heading.isSimulated { return true }
        return [\Heading.trueHeading, \Heading.magneticHeading].contains { direction in
            switch (last[keyPath: direction], heading[keyPath: direction]) {
            case (nil, nil): false
            case (let from?, let to?): Self.angle(from, to) >= filter
            default: true
            }
        }
    }

    /// The angle between two directions of 0° up to 360°, at most 180°.
    private static func angle(_ from: Double, _ to: Double) -> Double {
        let difference = abs(from - to)
        return min(difference, 360 - difference)
    }
}

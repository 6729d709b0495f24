import NetworkPaths

/// Delays the report of a new path until it is known whether sending over it costs money.
///
/// A route and NetworkManager's report about its interface come from two sources, up to a second apart. A client that
/// defers expensive traffic would send in between if the path were reported as free. A path that was not reported
/// before is therefore reported once its cost is known, and after `patience` at the latest, because a source may never
/// reply. A cost that a source no longer reports stays valid for as long, because the source may be restarting.
struct CostWait: Sendable {
    /// The time allowed for a source's reply, in nanoseconds.
    static let patience: UInt64 = 2_000_000_000

    /// The last report of the source.
    private(set) var report = CostReport()
    /// Until when a reply of the queried source is awaited; nil if it has replied, or was too slow.
    private var sourceUntil: UInt64?
    /// Until when a path over each interface is delayed, by interface index; 0 once the delay has passed.
    private var deadlines: [Int32: UInt64] = [:]
    /// The costs that the source reported before and no longer reports.
    private var former: [String: Bool] = [:]
    /// Until when these costs are valid; nil if there are none.
    private var formerUntil: UInt64?

    /// Applies a report of the source. Returns whether anything has changed.
    mutating func apply(_ new: CostReport, at now: UInt64) -> Bool {
        guard new != report else { return false }
        // A service that stops removes its interfaces before it disconnects, and one that has just started lists an
        // interface before it knows the cost that it had reported before.
        let lost = report.metered.filter { new.metered[$0.key] == nil }
        former = former.filter { new.metered[$0.key] == nil }.merging(lost) { $1 }
        if !lost.isEmpty || new.awaited != nil && new.awaited != report.awaited {
            formerUntil = now + Self.patience
        }
        if former.isEmpty { formerUntil = nil }
        if let awaited = new.awaited {
            if awaited != report.awaited { sourceUntil = now + Self.patience }
        } else {
            sourceUntil = nil
        }
        report = new
        deadlines = deadlines.filter { $0.value != 0 }
        return true
    }

    /// Whether each interface is metered, by name, as far as it is known or was known just before.
    var metered: [String: Bool] { former.isEmpty ? report.metered : former.merging(report.metered) { $1 } }

    /// Whether to withhold a path over an interface because its cost is unknown. `isUsed` says that a path over this
    /// interface was already reported.
    mutating func withholds(_ interface: NetworkInterface?, isUsed: Bool, at now: UInt64) -> Bool {
        guard let interface else { return false }
        guard !isUsed, !interface.isExpensive, isUndecided(interface.name, at: now) else {
            deadlines[interface.index] = nil
            return false
        }
        let until = deadlines[interface.index] ?? now + Self.patience
        deadlines[interface.index] = now < until ? until : 0
        return now < until
    }

    /// When the next delay ends; nil if nothing is delayed.
    var deadline: UInt64? {
        (deadlines.values.filter { $0 > 0 } + [sourceUntil, formerUntil].compactMap(\.self)).min()
    }

    /// Ends the delays that have passed at this instant. Returns whether the network has to be evaluated for that.
    mutating func expire(at now: UInt64) -> Bool {
        let expired = deadlines.filter { $0.value > 0 && $0.value <= now }.keys
        for index in expired { deadlines[index] = 0 }
        let isTooSlow = sourceUntil.map { $0 <= now } ?? false
        let isFormerOver = formerUntil.map { $0 <= now } ?? false
        if isTooSlow { sourceUntil = nil }
        if isFormerOver { (former, formerUntil) = ([:], nil) }
        return isTooSlow || isFormerOver || !expired.isEmpty
    }

    private func isUndecided(_ name: String, at now: UInt64) -> Bool {
        if report.undecided.contains(name) { return true }
        return sourceUntil.map { now < $0 } ?? false && metered[name] == nil
    }
}

extension NetworkPath {
    /// The path while the cost of sending over it is unknown.
    var withheld: NetworkPath {
        var path = self
        path.status = .requiresConnection
        path.reason = .costUnknown
        (path.supportsIPv4, path.supportsIPv6, path.supportsDNS) = (false, false, false)
        return path
    }
}

extension TargetReachability {
    /// The host while the cost of sending to it is unknown.
    var withheld: TargetReachability {
        var target = self
        target.status = .requiresConnection
        target.reason = .costUnknown
        (target.isSuspect, target.finding) = (false, nil)
        return target
    }
}

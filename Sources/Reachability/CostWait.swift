import NetworkPaths

/// How long a new way waits until it is known whether sending over it costs money.
///
/// A route and the word of NetworkManager about its interface come from two sources, up to a second apart. Who defers what is
/// expensive would send in between if the way were reported as free. A way that nobody was told of is therefore reported once
/// its cost is known, and after `patience` at the latest, as a source may never answer. What was told of an interface in use
/// holds for as long where the source goes away and comes back.
struct CostWait: Sendable {
    /// Nanoseconds that a source may take.
    static let patience: UInt64 = 2_000_000_000

    /// What the source said last.
    private(set) var report = CostReport()
    /// Until when the source is waited for that was asked; nil where it has answered, or has taken too long.
    private var sourceUntil: UInt64?
    /// Until when a way over each interface waits, by number; 0 once it has waited long enough.
    private var deadlines: [Int32: UInt64] = [:]
    /// What was known before the source went away.
    private var former: [String: Bool] = [:]

    /// The source says this. Returns whether anything is another.
    mutating func apply(_ new: CostReport, at now: UInt64) -> Bool {
        guard new != report else { return false }
        if let awaited = new.awaited {
            if awaited != report.awaited { sourceUntil = now + Self.patience }
            former.merge(report.metered) { $1 }
        } else {
            sourceUntil = nil
            former = [:]
        }
        report = new
        deadlines = deadlines.filter { $0.value != 0 }
        return true
    }

    /// Whether each interface is metered, by name, as far as it is known or was known just before.
    var metered: [String: Bool] { former.isEmpty ? report.metered : former.merging(report.metered) { $1 } }

    /// Whether a way over an interface is to be kept back, as it is not known what it costs; `isUsed` says that somebody was
    /// told of a way over it already.
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

    /// When something has waited long enough; nil where nothing waits.
    var deadline: UInt64? { (deadlines.values.filter { $0 > 0 } + [sourceUntil].compactMap(\.self)).min() }

    /// Whether something has waited long enough at this moment, for which the network has to be looked at.
    mutating func expire(at now: UInt64) -> Bool {
        let expired = deadlines.filter { $0.value > 0 && $0.value <= now }.keys
        for index in expired { deadlines[index] = 0 }
        guard let until = sourceUntil, until <= now else { return !expired.isEmpty }
        sourceUntil = nil
        former = [:]
        return true
    }

    private func isUndecided(_ name: String, at now: UInt64) -> Bool {
        if report.undecided.contains(name) { return true }
        return sourceUntil.map { now < $0 } ?? false && metered[name] == nil
    }
}

extension NetworkPath {
    /// The path while it is not known what sending over it costs.
    var withheld: NetworkPath {
        var path = self
        path.status = .requiresConnection
        path.reason = .costUnknown
        (path.supportsIPv4, path.supportsIPv6, path.supportsDNS) = (false, false, false)
        return path
    }
}

extension TargetReachability {
    /// The host while it is not known what sending to it costs.
    var withheld: TargetReachability {
        var target = self
        target.status = .requiresConnection
        target.reason = .costUnknown
        (target.isSuspect, target.finding) = (false, nil)
        return target
    }
}

import Interfaces

/// Findings about regions: monitors that are not monitored at present, and regions about which nothing is known.
extension Diagnosis {
    /// The limit of reported monitors.
    private static let most = 5

    /// An operator's or app's monitor, and why the states of its regions are unknown.
    struct MonitorFacts: Equatable {
        var monitor: RegionsInterface.MonitorSummary
        /// The number of regions by the reason why their state is unknown; empty where the caller may not know.
        var doubts: [RegionsInterface.Doubt: Int] = [:]
        /// Whether these are the first regions of many.
        var isPartial = false
    }

    var regions: [Finding] {
        facts.monitors.filter { $0.monitor.regions > 0 }.flatMap(findings).prefix(Self.most).map(\.self)
    }

    private func findings(_ facts: MonitorFacts) -> [Finding] {
        let monitor = facts.monitor
        guard monitor.state == .monitoring || monitor.state == .locationUnavailable else {
            return [
                Finding(
                    severity: .note, subject: "Regions",
                    text: "\(Self.name(monitor)) reports nothing: \(RegionText.sentence(monitor.state)).",
                    advice: Self.advice(monitor))
            ]
        }
        var findings: [Finding] = []
        for (doubt, count) in facts.doubts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let least = facts.isPartial ? "at least " : ""
            findings.append(
                Finding(
                    severity: .note, subject: "Regions",
                    text: "of \(Self.name(monitor)), the state of \(least)\(Measure.count(count, "region")) is unknown:"
                        + " \(RegionText.sentence(doubt)).",
                    advice: Self.advice(doubt)))
        }
        if findings.isEmpty, monitor.state == .locationUnavailable {
            findings.append(
                Finding(
                    severity: .note, subject: "Regions",
                    text: "\(Self.name(monitor)) reports nothing: there is no position.",
                    advice: "See the findings about the receiver."))
        }
        // Half of what is stored before the oldest events are dropped, by default.
        if monitor.pending >= 5_000 {
            findings.append(
                Finding(
                    severity: .note, subject: "Regions",
                    text:
                        "of \(Self.name(monitor)), \(Measure.count(monitor.pending, "event")) are not acknowledged; the"
                        + " oldest will be dropped.",
                    advice: "The app that reads them may not run. For the command line it is: waymark regions on"
                        + " \(monitor.name) -- COMMAND"))
        }
        return findings
    }

    private static func name(_ monitor: RegionsInterface.MonitorSummary) -> String {
        let user = UserName.text(Int64(monitor.uid))
        return "the monitor \(monitor.name) of \(monitor.app.map { "\($0) (\(user))" } ?? user)"
    }

    private static func advice(_ monitor: RegionsInterface.MonitorSummary) -> String? {
        let user = UserName.text(Int64(monitor.uid))
        let app = monitor.app ?? "APP"
        switch monitor.state {
        case .denied, .notDetermined, .notInUse: return "waymark authorize \(app) always --user \(user)"
        case .accuracyReduced: return "waymark authorize \(app) always --precise --user \(user)"
        case .deniedGlobally: return "waymark services on"
        case .restricted: return "waymark restrictions"
        case .manifestMissing: return "waymark apps \(app)"
        case .notOperator: return "Make \(user) an operator again, or remove the monitor as root."
        default: return nil
        }
    }

    private static func advice(_ doubt: RegionsInterface.Doubt) -> String? {
        switch doubt {
        case .undetermined:
            "A fix that is accurate enough for the distance to the border decides. If none comes, see the"
                + " findings about the receiver."
        case .insufficientAccuracy:
            "Larger regions need no better receiver: a border has to be about twice as far away as the accuracy that"
                + " `waymark get` shows."
        case .fixLost, .receiverLost: "See the findings about the receiver."
        case .unauthorized: "It becomes known with the next fix after the authorization."
        default: nil
        }
    }
}

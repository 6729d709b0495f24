import Interfaces
import Tracking

/// Findings after the daemon and gpsd were reached: the receiver's data and its use.
extension Diagnosis {
    var data: [Finding] {
        guard let listening = facts.listening, status?.receiver.state == .watching else { return [] }
        if case .answers(_, let devices) = facts.gpsd, devices.isEmpty { return [] }
        let seconds = Measure.age(listening.seconds)
        if let receiver = status?.receiver, let finding = silence(of: receiver) { return [finding] }
        if listening.reports == 0, !hasPosition {
            return [
                problem(
                    "Data", "nothing came from the receiver in \(seconds).",
                    "Check it with `cgps` or `gpsmon`. The usual reasons are a wrong speed of a serial port, or another"
                        + " program that uses the port (ModemManager, brltty).")
            ]
        }
        if listening.reports == 0 {
            return [
                Finding(
                    severity: .note, subject: "Data",
                    text: "no report from the receiver in \(seconds), but the last position is recent.",
                    advice:
                        "If the receiver reports more often than that, run `waymark doctor` again: it may have stopped."
                )
            ]
        }
        return [
            Finding(
                severity: .good, subject: "Data",
                text: "\(Measure.count(listening.reports, "report")) from the receiver in \(seconds).")
        ]
    }

    /// A finding about a silent connection, a silent receiver, or missing positions; nil without any of these.
    private func silence(of receiver: DaemonStatus.Receiver) -> Finding? {
        if receiver.awaitsAnswer, let silence = receiver.silence {
            return problem(
                "Data",
                "the daemon's connection to gpsd is stalled: no data for \(Measure.age(silence)), and gpsd has not"
                    + " replied to a query on it.",
                "The daemon reconnects within seconds. If that happens repeatedly, restart gpsd: sudo systemctl restart"
                    + " gpsd.")
        }
        // One reporting receiver among several is enough.
        if let silent = receiver.devices.first, receiver.devices.allSatisfy(\.isStale) {
            return problem(
                "Data", "\(silent.path) has fallen silent.",
                "Unplug the receiver and plug it in again; then check it with `gpsmon \(silent.path)`.")
        }
        if let other = receiver.devices.first, !receiver.devices.contains(where: \.hasReportedPositions),
            facts.listening.map({ $0.reports > 0 }) == true
        {
            return problem(
                "Data", "\(other.path) sends data, but none of its reports is about a position.",
                "If it is a receiver of something else, such as AIS, connect a GNSS receiver as well. If it is a GNSS"
                    + " receiver, make it send positions: `gpsctl -n \(other.path)` sets it to NMEA.")
        }
        return nil
    }

    /// The signal that a receiver can use for a position, in dB-Hz, and the number of satellites needed.
    private static let usableSignal = 25.0
    private static let satellitesForFix = 4

    var satellites: [Finding] {
        guard let signals = facts.listening?.signals, facts.listening?.isSimulated != true else { return [] }
        let usable = signals.count { $0 >= Self.usableSignal }
        let seen = "\(Measure.count(signals.count, "satellite")) seen, \(usable) with a sufficient signal"
        if usable >= Self.satellitesForFix {
            return [Finding(severity: .good, subject: "Satellites", text: "\(seen).")]
        }
        let place =
            signals.allSatisfy { $0 <= 0 }
            ? "no signal at all: the antenna is not connected, or deep indoors"
            : "too weak: the antenna is indoors or covered"
        return [
            problem(
                "Satellites", "\(seen); \(place).",
                "Give the antenna a view of the sky, without roofs, walls and screens nearby, and watch `waymark"
                    + " satellites --watch` meanwhile. A receiver that was off for long needs some minutes.")
        ]
    }

    var rejections: [Finding] {
        guard let listening = facts.listening else { return [] }
        // A few rejections are normal when a receiver starts, and irrelevant where there is a position.
        let least = hasPosition ? 5 : 1
        return listening.rejected.filter { $0.value >= least }.compactMap { rejection in
            // Most reasons without advice are normal: repeated epochs, a receiver without a fix, one of several.
            guard let reason = Rejection(rawValue: rejection.name),
                let advice = reason == .noTime ? undatedAdvice : reason.explanation.advice
            else { return nil }
            return problem(
                "Reports", "\(Measure.grouped(rejection.value)) rejected: \(reason.explanation.summary).", advice)
        }
    }

    /// Advice about positions without a date.
    private var undatedAdvice: String? {
        switch status?.receiver.undated ?? .none {
        // The rejections are earlier ones.
        case .none, .stamped: nil
        case .waiting:
            "The receiver reports its position, but not the date yet: most do so within a minute. If there is no date"
                + " after ten seconds, this machine's clock is used where it is synchronized."
        case .clockUnsynchronized:
            "The receiver reports no date, and this machine's clock is not known to be synchronized: synchronize it"
                + " (timedatectl set-ntp true), or set SystemTimestamps=always in waymark.conf if it is right"
                + " nevertheless. A receiver of NMEA 0183 reports the date in its RMC or ZDA sentences: enable these."
        case .disabled:
            "The receiver reports no date, and SystemTimestamps=never forbids this machine's clock: change that in"
                + " waymark.conf, or enable the receiver's RMC or ZDA sentences."
        }
    }

    var clock: [Finding] {
        if facts.clockYear < 2024 {
            return [
                Finding(
                    severity: .problem, subject: "Clock", text: "this machine's clock says \(facts.clockYear).",
                    advice: "Set it, with NTP or by hand: timedatectl. Dates of GPS are completed with it.")
            ]
        }
        guard let listening = facts.listening, !listening.isSimulated, let offset = listening.positionOffset,
            abs(offset) > 10
        else { return [] }
        let direction = offset > 0 ? "behind" : "ahead of"
        return [
            Finding(
                severity: .note, subject: "Clock",
                text: "this machine's clock is \(Measure.age(abs(offset))) \(direction) the receiver's.",
                advice:
                    "Set it with NTP, or let chrony get the time from gpsd, also from a closed one: `refclock SHM 0` in"
                    + " chrony.conf, and the option -n for gpsd.")
        ]
    }

    var journal: [Finding] {
        guard let journal = status?.journal else { return [] }
        let reason = journal.reason.map { ": \($0)" } ?? ""
        switch journal.state {
        case .opening: return []
        case .running where journal.dropped == 0: return []
        case .running:
            return [
                Finding(
                    severity: .note, subject: "Journal", text: "\(Measure.count(journal.dropped, "event")) lost.",
                    advice: "See `waymark log --kind eventsDropped`.")
            ]
        case .full:
            return [
                Finding(
                    severity: .note, subject: "Journal", text: "it cannot be written\(reason).",
                    advice: "Free disk space for \(journal.path); positions are not affected.")
            ]
        case .failed:
            return [
                Finding(
                    severity: .note, subject: "Journal", text: "it has failed\(reason).",
                    advice: "Check \(journal.path) and its disk, and restart the daemon; positions are not affected.")
            ]
        }
    }

    var position: Finding {
        if let refusal = facts.refusal {
            return Finding(severity: .problem, subject: "Position", text: "you may not know. \(refusal)")
        }
        guard let listening = facts.listening else {
            return Finding(
                severity: .problem, subject: "Position",
                text: "none, because the daemon could not be queried.")
        }
        if let accuracy = listening.accuracy, hasPosition {
            let made = listening.isSimulated ? ", simulated" : ""
            return Finding(
                severity: .good, subject: "Position", text: "known to \(Measure.distance(accuracy))\(made).")
        }
        return Finding(
            severity: .problem, subject: "Position",
            text: "none in \(Measure.age(listening.seconds)). "
                + DiagnosticText.sentence(
                    listening.diagnostics, authorization: listening.authorization, withAdvice: false
                ))
    }
}

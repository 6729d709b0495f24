import CommandLineKit
import Interfaces

/// Why there is a position or none: decided from facts alone.
struct Diagnosis {
    let facts: DoctorFacts

    /// What was found, in the order in which a position comes about.
    var findings: [Finding] {
        var findings = configuration + [daemon]
        findings += gpsd + devices + data + satellites
        findings += rejections + clock + journal
        return findings + [position]
    }

    /// 0 where there is a position, 3 where the daemon does not run, 4 where this user may not ask it, else 5.
    var code: ExitCode {
        switch facts.daemon {
        case .noSocket, .nobodyListens, .fails: .notRunning
        case .noPermission: .notAuthorized
        case .answers, .refusesStatus:
            facts.refusal != nil
                ? .notAuthorized : facts.listening?.positionOffset == nil ? .noPosition : .success
        }
    }

    private var status: DaemonStatus? {
        guard case .answers(let status) = facts.daemon else { return nil }
        return status
    }

    private var hasPosition: Bool { facts.listening?.positionOffset != nil }

    private var configuration: [Finding] {
        facts.configurationProblems.map {
            Finding(
                severity: status == nil ? .problem : .note, subject: "Configuration", text: $0,
                advice: "Correct it, and check it with `waymark config check`.")
        }
    }

    private var daemon: Finding {
        let socket = facts.socketPath
        func problem(_ text: String, _ advice: String) -> Finding {
            Finding(severity: .problem, subject: "Daemon", text: text, advice: advice)
        }
        switch facts.daemon {
        case .answers(let status):
            return Finding(
                severity: .good, subject: "Daemon",
                text: "version \(status.version) answers at \(socket).")
        case .refusesStatus:
            return Finding(
                severity: .note, subject: "Daemon",
                text: "it answers at \(socket), but tells only operators how it stands.",
                advice: "Run this with sudo, or join the operators' group: sudo usermod -aG waymark $USER.")
        case .noSocket:
            return problem(
                "it does not run: there is no socket at \(socket).",
                "Start it: sudo systemctl enable --now waymark.socket waymark.service. If it runs elsewhere, name its"
                    + " socket with --socket or WAYMARK_SOCKET.")
        case .nobodyListens:
            return problem(
                "it does not run: nobody listens at \(socket).",
                "Start it, sudo systemctl start waymark, and see why it ended: journalctl -u waymark.")
        case .noPermission:
            return problem(
                "you may not connect to \(socket).",
                "Look at the modes of the socket and of the directories above it: ls -ld \(socket).")
        case .fails(let reason): return problem(reason, "See what it logged: journalctl -u waymark.")
        }
    }

    private var gpsd: [Finding] {
        switch facts.gpsd {
        case .answers(let version, let devices):
            return [
                Finding(
                    severity: .good, subject: "gpsd",
                    text:
                        "\(version) answers at \(facts.gpsdAddress) and knows \(Measure.count(devices.count, "receiver"))."
                )
            ] + connection
        case .refused:
            let advice =
                !facts.isGPSDLocal
                ? "Start it on that machine, with -G so that others may connect."
                : facts.isGPSDInstalled
                    ? "Start it: sudo systemctl enable --now gpsd.socket." : "Install it: sudo apt-get install gpsd."
            return [problem("gpsd", "it does not run: nobody listens at \(facts.gpsdAddress).", advice)]
        case .unreachable(let reason):
            return [
                problem(
                    "gpsd", "\(facts.gpsdAddress) cannot be reached: \(reason).",
                    "Check [Receiver] GPSD= in the configuration, and --gpsd of waymarkd.")
            ]
        case .stranger:
            return [
                problem(
                    "gpsd", "what answers at \(facts.gpsdAddress) is no gpsd.",
                    "Check [Receiver] GPSD= in the configuration.")
            ]
        case .unconfigured:
            return [
                problem(
                    "gpsd", "none is configured, so the daemon has no receiver.",
                    "Set [Receiver] GPSD=localhost:2947 in the configuration.")
            ]
        }
    }

    /// The daemon's own connection, which may fail where this program's did not.
    private var connection: [Finding] {
        guard let status, facts.listening != nil else { return [] }
        switch status.receiver.state {
        case .watching, .idle: return []
        case .unconfigured:
            return [problem("gpsd", "the daemon has none configured.", "Set [Receiver] GPSD= in the configuration.")]
        case .connecting, .waiting:
            return [
                problem(
                    "gpsd", "the daemon does not get through: \(status.receiver.reason ?? "still connecting").",
                    "If gpsd has just been started, wait a minute; else see journalctl -u waymark.")
            ]
        }
    }

    private var devices: [Finding] {
        guard case .answers(_, let known) = facts.gpsd else { return [] }
        if known.isEmpty {
            return [
                problem(
                    "Receiver", "gpsd has none.",
                    "Plug it in. If gpsd does not take it by itself, name it in DEVICES= of /etc/default/gpsd, or try"
                        + " gpsdctl add /dev/ttyACM0; `dmesg | tail` shows what the kernel made of it.")
            ]
        }
        return facts.deviceFiles.compactMap { device in
            switch device.state {
            case .usable: nil
            case .missing:
                problem(
                    "Receiver", "\(device.path) is gone.",
                    "Plug it in again; under another name, tell gpsd: gpsdctl add PATH.")
            case .notReadable:
                // gpsd opens a device before it gives up root, so that this user's permission is not the point.
                nil
            case .notADevice:
                problem("Receiver", "\(device.path) is no device.", "Correct DEVICES= in /etc/default/gpsd.")
            }
        }
    }

    private func problem(_ subject: String, _ text: String, _ advice: String) -> Finding {
        // With a position nothing keeps positions away.
        Finding(severity: hasPosition ? .note : .problem, subject: subject, text: text, advice: advice)
    }
}

extension Diagnosis {
    private var data: [Finding] {
        guard let listening = facts.listening, status?.receiver.state == .watching else { return [] }
        let seconds = Measure.age(listening.seconds)
        if let silent = status?.receiver.devices.first(where: \.isStale) {
            return [
                problem(
                    "Data", "\(silent.path) has fallen silent.",
                    "Unplug the receiver and plug it in again; then look at `gpsmon \(silent.path)`.")
            ]
        }
        if listening.reports == 0, !hasPosition {
            return [
                problem(
                    "Data", "nothing came from the receiver in \(seconds).",
                    "Look at it with `cgps` or `gpsmon`. The wrong speed of a serial port, or another program that holds"
                        + " it (ModemManager, brltty), are the usual reasons.")
            ]
        }
        return [
            Finding(
                severity: .good, subject: "Data",
                text: "\(Measure.count(listening.reports, "report")) from the receiver in \(seconds).")
        ]
    }

    /// A signal that a receiver can use for a position, dB-Hz, and how many satellites it takes.
    private static let usableSignal = 25.0
    private static let satellitesForFix = 4

    private var satellites: [Finding] {
        guard let signals = facts.listening?.signals, facts.listening?.isSimulated != true else { return [] }
        let usable = signals.count { $0 >= Self.usableSignal }
        let seen = "\(Measure.count(signals.count, "satellite")) seen, \(usable) with a signal that suffices"
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
                "Give the antenna a view of the sky, away from roofs, walls and screens, and look at"
                    + " `waymark satellites --watch` meanwhile. A receiver that was off for long needs some minutes.")
        ]
    }

    private var rejections: [Finding] {
        guard let listening = facts.listening else { return [] }
        // A few are normal when a receiver starts, and nothing to tell of where there is a position.
        let least = hasPosition ? 5 : 1
        return listening.rejected.filter { $0.count >= least }.compactMap { rejection in
            guard let advice = Self.advice[rejection.name] else { return nil }
            return problem(
                "Reports", "\(Measure.grouped(rejection.count)) rejected: \(RejectionText.words(rejection.name)).",
                advice)
        }
    }

    /// What to do about a reason for a rejection. Those that are not here need nothing: repeated epochs, a receiver
    /// without a fix, one of several receivers.
    private static let advice = [
        "noTime": "The receiver knows where but not when: it needs some minutes with a view of the sky.",
        "noAccuracy": "The receiver gives no error estimate: let gpsd read its own protocol instead of bare NMEA, or"
            + " enable its GST or GSA sentences.",
        "implausibleAccuracy": "The receiver is hardly better than guessing: it needs a view of the sky.",
        "nullIsland": "The receiver reports 0°, 0° where it should report nothing: update its firmware.",
        "weekRollover":
            "The receiver's or gpsd's date is off by 1,024 weeks: update the receiver's firmware, or gpsd, and"
            + " check this machine's clock.",
        "timeBackwards": "Time runs backwards, as in a log that is played in a loop: wait, or restart what plays it.",
        "impossibleSpeed": "The position jumps, as with reflections between buildings or two receivers in one: see"
            + " `waymark satellites`.",
        "notFinite": "The receiver reports what is no number: update its firmware.",
        "outOfRange": "The receiver reports what is no place: update its firmware.",
        "implausibleAltitude": "The receiver reports an impossible altitude: it needs a view of the sky.",
    ]

    private var clock: [Finding] {
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
                advice: "Set it with NTP, or let chrony take the time from gpsd.")
        ]
    }

    private var journal: [Finding] {
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
                    advice: "Make room for \(journal.path); positions come all the same.")
            ]
        case .failed:
            return [
                Finding(
                    severity: .note, subject: "Journal", text: "it has failed\(reason).",
                    advice: "Check \(journal.path) and its disk, and restart the daemon; positions come all the same.")
            ]
        }
    }

    private var position: Finding {
        if let refusal = facts.refusal {
            return Finding(severity: .problem, subject: "Position", text: "you may not know. \(refusal)")
        }
        guard let listening = facts.listening else {
            return Finding(severity: .problem, subject: "Position", text: "none, as the daemon could not be asked.")
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

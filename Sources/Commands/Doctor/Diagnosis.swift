import CommandLineKit
import Interfaces
import Waymark

/// The diagnosis of a missing position, computed from facts alone.
struct Diagnosis {
    let facts: DoctorFacts

    /// The findings, in the order in which a position is produced.
    var findings: [Finding] {
        var findings = configuration + [daemon] + release
        findings += gpsd + doors + devices + data + satellites
        findings += rejections + clock + journal + network + apps + accounts + uploads + regions
        var position = position
        if position.severity == .problem, facts.listening != nil, !findings.contains(where: { $0.severity == .problem })
        {
            position.advice =
                "No fault was found. Wait: a receiver that was off for long may need a quarter of an hour with a view"
                + " of the sky."
        }
        return findings + [position]
    }

    /// 0 with a position, 3 where the daemon does not run, 4 where it refuses this user, else 5.
    var code: ExitCode {
        switch facts.daemon {
        case .noSocket, .nobodyListens, .fails: .notRunning
        case .noPermission: .notAuthorized
        case .answers, .refusesStatus:
            facts.refusal != nil
                ? .notAuthorized : facts.listening?.positionOffset == nil ? .noPosition : .success
        }
    }

    /// The status of the daemon, if it sent one.
    var status: DaemonStatus? {
        guard case .answers(let status) = facts.daemon else { return nil }
        return status
    }

    /// Whether a position was received.
    var hasPosition: Bool { facts.listening?.positionOffset != nil }

    private var configuration: [Finding] {
        facts.configurationProblems.map {
            Finding(
                severity: status == nil ? .problem : .note, subject: "Configuration", text: $0,
                advice: "Correct it, and check it with `waymark config check`.")
        }
    }

    private var daemon: Finding {
        let socket = facts.socketPath
        /// An obstacle for positions.
        func problem(_ text: String, _ advice: String) -> Finding {
            Finding(severity: .problem, subject: "Daemon", text: text, advice: advice)
        }
        switch facts.daemon {
        case .answers(let status):
            return Finding(
                severity: .good, subject: "Daemon",
                text: "version \(DaemonRelease(status).description) responds at \(socket).")
        case .refusesStatus:
            return Finding(
                severity: .note, subject: "Daemon",
                text: "it responds at \(socket), but reports its status to operators only.",
                advice: facts.operatorAdvice)
        case .noSocket:
            return problem(
                "it does not run: there is no socket at \(socket).",
                "Start it: sudo systemctl enable --now waymark.socket waymark.service. If it runs elsewhere, name its"
                    + " socket with --socket or WAYMARK_SOCKET.")
        case .nobodyListens:
            return problem(
                "it does not run: no program listens at \(socket).",
                "Start it, sudo systemctl start waymark, and see why it ended: sudo journalctl -u waymark.")
        case .noPermission:
            return problem(
                "you may not connect to \(socket).",
                "Check the modes of the socket and of the directories above it: ls -ld \(socket).")
        case .fails(let reason): return problem(reason, "See its log: sudo journalctl -u waymark.")
        }
    }

    /// A method that only one of the two releases knows is refused; that is no reason for a missing position.
    private var release: [Finding] {
        guard let release = facts.release, let difference = release.difference else { return [] }
        return [
            Finding(
                severity: .note, subject: "Release",
                text: "the daemon, \(release.description), \(difference). Features that only one of them supports do"
                    + " not work.",
                advice: release.advice)
        ]
    }

    private var gpsd: [Finding] {
        switch facts.gpsd {
        case .answers(let version, let devices):
            return [
                Finding(
                    severity: .good, subject: "gpsd",
                    text:
                        "\(version) responds at \(facts.gpsdAddress) and has"
                        + " \(devices.isEmpty ? "no receiver" : Measure.count(devices.count, "receiver"))."
                )
            ] + connection
        case .refused:
            let advice =
                !facts.isGPSDLocal
                ? "Start it on that machine, with -G so that others may connect."
                : facts.isGPSDInstalled
                    ? "Start it: sudo systemctl enable --now gpsd.socket." : "Install it: sudo apt-get install gpsd."
            return [problem("gpsd", "it does not run: no program listens at \(facts.gpsdAddress).", advice)]
        case .unreachable where facts.isGPSDClosed: return [closedGPSD] + connection
        case .unreachable(let reason):
            return [
                problem(
                    "gpsd", "\(facts.gpsdAddress) cannot be reached: \(reason).",
                    "Check [Receiver] GPSD= in the configuration, and --gpsd of waymarkd.")
            ]
        case .stranger:
            return [
                problem(
                    "gpsd", "the program at \(facts.gpsdAddress) is not gpsd.",
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

    /// The daemon's own connection, which may fail where this program's was successful.
    private var connection: [Finding] {
        guard let status, facts.listening != nil else { return [] }
        switch status.receiver.state {
        case .watching, .idle: return []
        case .unconfigured:
            return [problem("gpsd", "the daemon has none configured.", "Set [Receiver] GPSD= in the configuration.")]
        case .connecting, .waiting:
            return [
                problem(
                    "gpsd", "the daemon is not connected: \(status.receiver.reason ?? "still connecting").",
                    "If gpsd has just been started, wait a minute; else see sudo journalctl -u waymark.")
            ]
        }
    }

    private var devices: [Finding] {
        guard case .answers(_, let known) = facts.gpsd else { return [] }
        if known.isEmpty {
            return [
                problem(
                    "Receiver", "gpsd has none.",
                    "Plug it in; `sudo dmesg | tail` shows its name, such as /dev/ttyACM0. If gpsd does not open it"
                        + " automatically, write the name into DEVICES= of /etc/default/gpsd, then run"
                        + " `sudo systemctl restart gpsd`. Until the next boot only: `sudo gpsdctl add /dev/ttyACM0`.")
            ]
        }
        return facts.deviceFiles.compactMap { device in
            switch device.state {
            case .usable: nil
            case .missing:
                problem(
                    "Receiver", "\(device.path) does not exist any more.",
                    "Plug it in again; if it gets another name, add it to gpsd: `sudo gpsdctl add PATH`.")
            case .notReadable:
                // gpsd opens a device before it gives up root, so this user's permission is irrelevant.
                nil
            case .notADevice:
                problem(
                    "Receiver", "\(device.path) is not a device.",
                    "Correct DEVICES= in /etc/default/gpsd, then run `sudo systemctl restart gpsd`.")
            }
        }
    }

    /// An obstacle for positions.
    func problem(_ subject: String, _ text: String, _ advice: String) -> Finding {
        // With a position it is no obstacle.
        Finding(severity: hasPosition ? .note : .problem, subject: subject, text: text, advice: advice)
    }
}

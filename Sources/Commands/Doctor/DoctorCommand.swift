import CommandLineKit
import Varlink

/// `waymark doctor`: finds the reason for a missing position.
enum DoctorCommand {
    static let command = Command(
        "doctor", "find out why there is no position, and what to do",
        discussion: [
            "Checks the configuration, the daemon, gpsd, the receiver, its data, the satellites and the clock, and"
                + " requests positions meanwhile. No position is shown.",
            "Ends with 0 where there is a position, 5 where there is none, 3 where the daemon does not run, and 4 where"
                + " you may not connect to it.",
        ],
        options: [
            CommonOptions.json,
            Option("timeout", Value("S", .number(1...600), default: "8"), "how long to wait for a position"),
        ],
        examples: [
            Command.Example("sudo waymark doctor", "As an operator, for all findings."),
            Command.Example("waymark doctor --json | jq -r 'select(.severity == \"problem\") | .text'", "In a script."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let examination = DoctorExamination(
            session: session, patience: session.invocation.number("timeout") ?? 8,
            interruption: try session.interruption())
        let diagnosis = Diagnosis(facts: try examination.facts())
        for finding in diagnosis.findings {
            if session.isJSON {
                try session.print(json: finding.json)
            } else {
                try session.print(finding.lines(for: session.terminal))
            }
        }
        if diagnosis.code != .success { throw .ended(diagnosis.code) }
    }
}

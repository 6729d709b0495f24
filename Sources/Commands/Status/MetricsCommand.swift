import CommandLineKit
import Interfaces

/// `waymark metrics`: counters and gauges for a monitoring system.
enum MetricsCommand {
    static let command = Command(
        "metrics", "print counters and gauges as OpenMetrics text",
        discussion: [
            "For Prometheus' textfile collector and similar programs. Contains no coordinate. Needs an operator."
        ],
        examples: [
            Command.Example(
                "waymark metrics >/var/lib/node_exporter/waymark.prom", "From a timer, for the node exporter.")
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        session.output.bytes(try session.daemon.call(ManageInterface.Metrics()).text.utf8)
        try session.flush()
    }
}

import CommandLineKit
import Interfaces

/// `waymark metrics`: counters and gauges for a monitoring system.
enum MetricsCommand {
    static let command = Command(
        "metrics", "print counters and gauges as OpenMetrics text",
        discussion: ["For Prometheus' textfile collector and the like. Holds no coordinate. Needs an operator."],
        examples: [
            Command.Example(
                "waymark metrics >/var/lib/node_exporter/waymark.prom", "From a timer, for the node exporter.")
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let reply = try session.daemon.call(ManageMethod.metrics.rawValue)
        guard let text = reply.parameters["text"]?.stringValue else {
            throw CommonReply.notUnderstood("metrics without text")
        }
        session.output.bytes(text.utf8)
        try session.flush()
    }
}

import CommandLineKit

/// What NAME and `--monitor` on the command line name: a monitor, or a region in one.
struct RegionTarget: Equatable {
    /// The monitor.
    var monitor: String
    /// The region; nil for all of the monitor.
    var region: String?

    /// NAME alone is a monitor, and with `--monitor` a region in that monitor. Nil without both.
    init?(name: String?, monitor: String?) {
        guard let target = monitor ?? name else { return nil }
        self.monitor = target
        region = monitor == nil ? nil : name
    }

    /// The target of a command line.
    init?(_ session: Session) {
        self.init(name: session.invocation.argument("NAME"), monitor: session.invocation.text("monitor"))
    }

    /// Whether the daemon accepts it as the name of a monitor.
    static func isMonitorName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.utf8.allSatisfy { byte in
                (97...122).contains(byte | 0x20) || (48...57).contains(byte) || "._-".utf8.contains(byte)
            }
    }
}

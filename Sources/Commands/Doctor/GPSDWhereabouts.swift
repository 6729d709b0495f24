import Configuration
import Glibc
import Platform

/// Where the daemon looks for gpsd: as it says itself, or as what it is started with says where it does not answer.
struct GPSDWhereabouts {
    /// What the daemon says; nil where it does not answer, or not to this user.
    var reported: GPSDAddress?
    /// What the files of the configuration say; nil where they say nothing.
    var configured: GPSDAddress?
    /// A variable of the environment.
    var variable: (String) -> String?
    /// A property of a system unit, by the unit's name and its own, as systemctl(1) shows it.
    var property: (String, String) -> String?

    /// Where a program that is not the daemon can ask it.
    var address: GPSDAddress {
        let variable = variable(Self.variableName).flatMap(Self.parse)
        let address = reported ?? configured ?? variable ?? ofUnit ?? .standard
        guard address == .throughSystemUnit else { return address }
        // What is beyond that socket anybody may ask, and the socket itself only the daemon.
        return beyondProxy ?? .standard
    }

    /// What the daemon's unit sets where the configuration says nothing.
    private var ofUnit: GPSDAddress? {
        let variables = property("waymark.service", "Environment")?.split(whereSeparator: \.isWhitespace) ?? []
        let prefix = Self.variableName + "="
        return variables.last { $0.hasPrefix(prefix) }.flatMap { Self.parse(String($0.dropFirst(prefix.count))) }
    }

    /// To where systemd's proxy leads: its last argument, systemd-socket-proxyd(8).
    private var beyondProxy: GPSDAddress? {
        let words = property("waymark-gpsd.service", "ExecStart")?.split(separator: " ") ?? []
        let arguments = words.drop { !$0.hasPrefix("argv[]=") }.dropFirst().prefix { $0 != ";" }
        guard let last = arguments.last.map(String.init) else { return nil }
        return Self.parse(last.hasPrefix("/") ? "unix:\(last)" : last)
    }

    private static let variableName = "WAYMARK_GPSD"

    private static func parse(_ text: String) -> GPSDAddress? {
        do throws(ValueError) { return try GPSDAddress(parsing: text) } catch { return nil }
    }
}

extension GPSDWhereabouts {
    /// On this machine, where the daemon has told this of itself, if it has.
    init(reported: String?, _ configuration: Configuration) {
        self.reported = reported.flatMap(Self.parse)
        configured =
            configuration.source(of: \.receiver.gpsd) == .builtIn ? nil : configuration.settings.receiver.gpsd
        variable = { name in getenv(name).map { String(cString: $0) } }
        property = Self.property
    }

    /// Nil where there is no systemd, or no such unit.
    private static func property(of unit: String, _ name: String) -> String? {
        guard let program = ExecutableSearch.find("systemctl") else { return nil }
        do throws(SystemError) {
            let run = try CompletedProcess.run(
                program, ["show", "--property=\(name)", "--value", unit], seconds: 3)
            guard run.status.isSuccess, !run.output.isEmpty else { return nil }
            return run.output
        } catch {
            return nil
        }
    }
}

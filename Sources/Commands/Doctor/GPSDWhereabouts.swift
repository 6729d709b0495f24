import Configuration
import Glibc
import Platform

/// The address of gpsd that the daemon uses: from its status, or from its unit and its configuration where it does not
/// reply.
struct GPSDWhereabouts {
    /// The address in the daemon's status; nil where it does not reply, or refuses this user.
    var reported: GPSDAddress?
    /// The address in the configuration files; nil where they have none.
    var configured: GPSDAddress?
    /// A variable of the environment.
    var variable: (String) -> String?
    /// A property of a system unit, by the unit's name and the property's, in the form of systemctl(1).
    var property: (String, String) -> String?

    /// The address at which a program other than the daemon can query it.
    var address: GPSDAddress {
        let variable = variable(Self.variableName).flatMap(Self.parse)
        let address = reported ?? configured ?? variable ?? ofUnit ?? .standard
        guard address == .throughSystemUnit else { return address }
        // Any program may connect to the gpsd behind the daemon's socket, but only the daemon to the socket itself.
        return beyondProxy ?? .standard
    }

    /// The address that the daemon's unit sets where the configuration has none.
    private var ofUnit: GPSDAddress? {
        let variables = property("waymark.service", "Environment")?.split(whereSeparator: \.isWhitespace) ?? []
        let prefix = Self.variableName + "="
        return variables.last { $0.hasPrefix(prefix) }.flatMap { Self.parse(String($0.dropFirst(prefix.count))) }
    }

    /// The destination of systemd's proxy: its last argument, systemd-socket-proxyd(8).
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
    /// The address on this machine, with the one from the daemon's status, if any.
    init(reported: String?, _ configuration: Configuration) {
        self.reported = reported.flatMap(Self.parse)
        configured =
            configuration.source(of: \.receiver.gpsd) == .builtIn ? nil : configuration.settings.receiver.gpsd
        variable = { name in getenv(name).map { String(cString: $0) } }
        property = Self.property
    }

    /// Nil without systemd, or without such a unit.
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

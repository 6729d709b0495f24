import CommandLineKit
import Glibc
import Location
import Platform
import Varlink

/// Looks for problems of a hub and its folder, and names the next step for each.
struct HubDoctor {
    /// A problem that a person has to solve, for the exit code.
    struct Problems: Error, CustomStringConvertible {
        let count: Int
        var description: String { count == 1 ? "there is a problem" : "there are \(count) problems" }
    }

    /// What was found about one thing.
    struct Finding: Equatable {
        enum Kind: String { case good = "ok", warning = "warning", problem = "problem" }

        var kind: Kind
        var text: String

        init(_ kind: Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }
    }

    private let folder: HubFolder

    init(_ invocation: Invocation) {
        folder = HubFolder(path: invocation.text("folder") ?? HubFolder.standard)
    }

    func run() throws {
        let output = Output(descriptor: STDOUT_FILENO)
        let now = Int(SystemClock().utcMicroseconds / 1_000_000)
        var findings = [Self.permissions(of: folder.path), Self.space(of: folder.path)]
        do throws(VarlinkError) {
            let client = try Client(path: folder.controlSocket, timeout: .seconds(10))
            findings += Self.findings(try client.call(HubInterface.GetStatistics(), timeout: .seconds(10)), at: now)
        } catch {
            findings.append(
                Finding(
                    .problem, "no hub answers at \(folder.controlSocket): \(error). Start it with `waymark-hub serve`.")
            )
        }
        for finding in findings { try output.line("\(finding.kind.rawValue): \(finding.text)") }
        try output.flush()
        let problems = findings.count { $0.kind == .problem }
        if problems > 0 { throw Problems(count: problems) }
    }

    // Each of them is pure but for the file system.

    static func permissions(of folder: String) -> Finding {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            return Finding(
                .problem,
                "\(folder) cannot be examined: \(SystemError.text(errno)). Name the hub's folder with --folder.")
        }
        guard status.st_mode & 0o077 == 0 else {
            return Finding(
                .problem,
                "others can read \(folder), which has the records of all accounts. Close it with `chmod 700 \(folder)`."
            )
        }
        return Finding(.good, "only its user can read \(folder)")
    }

    static func space(of folder: String) -> Finding {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else {
            return Finding(.warning, "the space on the disk of \(folder) is unknown: \(SystemError.text(errno))")
        }
        return space(free: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    static func space(free: UInt64) -> Finding {
        let mebibytes = free >> 20
        // Below this a few days of changes, or one large request, may fill the disk.
        guard mebibytes >= 64 else {
            return Finding(
                .problem, "the disk has \(mebibytes) MiB of space. Free some: nothing can be saved without it.")
        }
        guard mebibytes >= 1_024 else { return Finding(.warning, "the disk has \(mebibytes) MiB of space") }
        return Finding(.good, "the disk has \(mebibytes >> 10) GiB of space")
    }

    static func findings(_ statistics: HubInterface.GetStatistics.Reply, at now: Int) -> [Finding] {
        var findings = [Finding(.good, "the hub runs, release \(statistics.version), at \(statistics.address)")]
        if let expires = statistics.certificateExpires { findings.append(certificate(expires: Int(expires), at: now)) }
        if statistics.failures > 0 {
            findings.append(
                Finding(
                    .problem,
                    "\(statistics.failures) times the records could not be stored or read since the start. Its log has the"
                        + " reason: `journalctl --unit waymark-hub`."))
        }
        // Besides connections the process has some twenty descriptors.
        if statistics.descriptorLimit < statistics.connectionLimit + 32 {
            findings.append(
                Finding(
                    .warning,
                    "\(statistics.connectionLimit) connections are accepted, but the process may have"
                        + " \(statistics.descriptorLimit) descriptors. Raise LimitNOFILE= of the service, or lower"
                        + " --connections."))
        }
        if statistics.connections * 10 >= statistics.connectionLimit * 9 {
            findings.append(
                Finding(
                    .warning,
                    "\(statistics.connections) of \(statistics.connectionLimit) connections are open. Raise --connections."
                ))
        }
        return findings
    }

    private static func certificate(expires: Int, at now: Int) -> Finding {
        let day = UTCTime(microseconds: Int64(expires) * 1_000_000).iso8601()
        guard expires > now else {
            return Finding(
                .problem, "the certificate was valid until \(day). Clients refuse it: replace it, and restart.")
        }
        guard expires - now > 14 * 86_400 else {
            return Finding(.warning, "the certificate is valid until \(day) only. Replace it, and restart the hub.")
        }
        return Finding(.good, "the certificate is valid until \(day)")
    }
}

import CommandLineKit
import Interfaces
import Waymark

/// The lines of `waymark --version` about the daemon.
enum ReleaseText {
    /// The time limit for the daemon's reply.
    private static let patience = Duration.seconds(2)

    /// The lines about the daemon of a command line.
    static func ofDaemon(_ invocation: Invocation) -> [String] {
        let client = WaymarkClient(socketPath: invocation.text("socket"))
        do throws(WaymarkError) {
            return lines(try client.release(within: patience), at: client.socketPath)
        } catch {
            return ["no daemon responds at \(client.socketPath)"]
        }
    }

    /// The lines about a daemon that replied.
    static func lines(_ release: DaemonRelease, at path: String) -> [String] {
        var lines = ["\(release.product) \(release.description) responds at \(path)"]
        // Features that this release does not know are left out.
        let offered = DaemonFeature.known.filter(release.features.contains).map(\.rawValue)
        if !offered.isEmpty { lines.append("it offers \(offered.joined(separator: ", "))") }
        if let difference = release.difference, let advice = release.advice {
            lines.append("it \(difference). \(advice)")
        }
        return lines
    }
}

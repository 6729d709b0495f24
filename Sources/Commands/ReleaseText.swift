import CommandLineKit
import Interfaces
import Waymark

/// What `waymark --version` says besides its own release: that of the daemon.
enum ReleaseText {
    /// How long the daemon may take to answer.
    private static let patience = Duration.seconds(2)

    /// The lines about the daemon that a command line means.
    static func ofDaemon(_ invocation: Invocation) -> [String] {
        let client = WaymarkClient(socketPath: invocation.text("socket"))
        do throws(WaymarkError) {
            return lines(try client.release(within: patience), at: client.socketPath)
        } catch {
            return ["no daemon answers at \(client.socketPath)"]
        }
    }

    /// The lines about a daemon that answered.
    static func lines(_ release: DaemonRelease, at path: String) -> [String] {
        var lines = ["\(release.product) \(release.description) answers at \(path)"]
        // Words that this release does not know mean nothing to who reads them here.
        let offered = DaemonFeature.known.filter(release.features.contains).map(\.rawValue)
        if !offered.isEmpty { lines.append("it offers \(offered.joined(separator: ", "))") }
        if let difference = release.difference, let advice = release.advice {
            lines.append("it \(difference). \(advice)")
        }
        return lines
    }
}

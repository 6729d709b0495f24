import CommandLineKit
import Configuration
import Destinations
import Interfaces
import JSONText
import Manifests
import Varlink

/// `waymark completion`: a script for a shell, and the names that it offers.
enum CompletionCommand {
    static let command = Command(
        "completion", "print a script that completes waymark's command lines in a shell",
        discussion: [
            "The script completes the names of apps, uploads, recordings, regions and users, and the numbers of requests, with"
                + " --names. Users who are no operators get the installed manifests, the files of destinations and the"
                + " accounts of people instead."
        ],
        options: [
            Option("names", Value("WHAT", .choice(Names.allCases.map(\.rawValue))), "list these names, one a line")
        ],
        arguments: [
            Command.Argument(Value("SHELL", .choice(Shell.allCases.map(\.rawValue))), "the shell", isOptional: true)
        ],
        examples: [
            Command.Example("source <(waymark completion bash)", "In ~/.bashrc; with zsh in ~/.zshrc, after compinit."),
            Command.Example("waymark completion fish >~/.config/fish/completions/waymark.fish", "Once, for fish."),
        ])

    /// The kinds of names that can be listed.
    private enum Names: String, CaseIterable {
        case apps, uploads, recordings, monitors, regions, users, requests
    }

    static func run(_ session: Session) throws(CommandFailure) {
        if let names = session.invocation.text("names").flatMap(Names.init) {
            return try session.print(Set(self.names(names, session).filter(isPlain)).sorted())
        }
        guard let shell = session.invocation.argument("SHELL").flatMap(Shell.init) else {
            throw .usage("SHELL is missing: one of bash, zsh or fish.", command: "completion")
        }
        session.output.bytes(WaymarkProgram.command.completionScript(for: shell).utf8)
        try session.flush()
    }

    /// Whether a shell treats the name as a plain word: names chosen by others reach scripts that the shell runs.
    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (97...122).contains(byte | 0x20) || (48...57).contains(byte) || "._-@".utf8.contains(byte)
            }
    }

    private static func names(_ names: Names, _ session: Session) -> [String] {
        switch names {
        case .apps:
            let reported = listed(ManageInterface.ListApps(), session) { $0.apps.map(\.id) }
            return reported.isEmpty ? installedApps : reported
        case .uploads:
            return listed(UploadsInterface.List(), session) { $0.uploads.map(\.name) } + installedUploads
        case .recordings:
            return listed(RecordingInterface.List(), session) { $0.recordings.map(\.identifier) }
        case .monitors: return monitors(session)
        case .regions:
            let monitors = monitors(session)
            return monitors + monitors.prefix(8).flatMap { regions($0, session) }
        case .users:
            // An account that was removed has a number only.
            let known = listed(ManageInterface.ListUsers(), session) { $0.users.map { $0.name ?? String($0.uid) } }
            return known + UserName.people()
        case .requests:
            return listed(ManageInterface.ListRequests(), session) { $0.requests.map { String($0.id) } }
        }
    }

    private static func monitors(_ session: Session) -> [String] {
        do throws(CommandFailure) { return try RegionListing.own(session).map(\.name) } catch { return [] }
    }

    private static func regions(_ monitor: String, _ session: Session) -> [String] {
        listed(RegionsInterface.Show(monitor: monitor), session) { $0.regions.map(\.region.identifier) }
    }

    /// The names that the daemon lists; empty if it does not reply in time, because a person is waiting at the
    /// keyboard.
    private static func listed<Method: VarlinkMethod>(
        _ method: Method, _ session: Session, _ names: (Method.Reply) -> [String]
    ) -> [String] {
        do throws(VarlinkError) {
            let client = try Client(path: session.socketPath, timeout: .seconds(1))
            return names(try client.call(method, timeout: .seconds(1)))
        } catch {
            return []
        }
    }

    private static var installedApps: [String] {
        do throws(CommandFailure) {
            let ids = try ManifestCommand.folders().flatMap(\.appIDs)
            // A template can have any number of instances: these are the uploaders of configured destinations.
            let uploaders = ids.contains(uploader) ? installedUploads.map { uploader + $0 } : []
            return ids.filter { !$0.hasSuffix("@") } + uploaders
        } catch {
            return []
        }
    }

    /// The template of `waymark-upload@.service`.
    private static let uploader = "waymark-upload@"

    private static var installedUploads: [String] {
        do throws(ConfigurationProblem) {
            return try ConfigurationFolder(path: DestinationFile.folder).files().compactMap { path in
                path.split(separator: "/").last.map { String($0.dropLast(".conf".utf8.count)) }
            }
        } catch {
            return []
        }
    }
}

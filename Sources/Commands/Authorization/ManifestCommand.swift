import CommandLineKit
import Configuration
import Glibc
import Manifests
import Platform
import Varlink

/// `waymark manifest`: the manifests of apps.
enum ManifestCommand {
    static let command = Command(
        "manifest", "check the manifests of apps, or find out how to write one",
        subcommands: [
            Command(
                "check", "find mistakes in manifests, and show the corrections",
                discussion: [
                    "Finds errors that make a manifest invalid, texts that do not help a person, rights that are never"
                        + " used, and programs that another installed manifest claims. Needs no daemon.",
                    "Without a FILE it checks every manifest that is installed, yours in ~/.config/waymark/apps"
                        + " included. A FILE elsewhere is checked as a manifest of root's, with --personal as one of"
                        + " yours; for a folder every manifest in it is checked.",
                    "Ends with 1 where a manifest has an error and is therefore invalid; warnings alone are no"
                        + " failure.",
                ],
                options: [
                    CommonOptions.json,
                    Option("personal", "check as a user's own manifest, which allows fewer keys"),
                ],
                arguments: [
                    Command.Argument(
                        Value("FILE", .file), "manifests, APPID.app, or folders with some", isOptional: true,
                        repeats: true)
                ],
                examples: [
                    Command.Example("waymark manifest check trailmap.app", "Before it is installed."),
                    Command.Example("waymark manifest check --json *.app", "In a build: one object for each finding."),
                ]),
            Command(
                "identify", "show which properties identify a running program, and which app it is",
                discussion: [
                    "Prints the lines of a manifest that would match the process, strongest proof first. Needs no"
                        + " daemon. Only root sees all properties of other users' processes.",
                    "A unit whose name changes at each start is shown as a pattern.",
                ],
                options: [CommonOptions.json],
                arguments: [
                    Command.Argument(Value("PID", .integer(1...Int(pid_t.max))), "the process's number")
                ],
                examples: [
                    Command.Example(
                        "waymark manifest identify $(pgrep -n trailmap)", "A program that was just started.")
                ]),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        session.invocation.path.last == "identify" ? try identify(session) : try check(session)
    }

    // Check

    private static func check(_ session: Session) throws(CommandFailure) {
        let paths = session.invocation.arguments("FILE")
        let owner: FileOwner = session.invocation.has("personal") ? .user(getuid()) : .root
        let check = ManifestCheck(among: try folders(), as: owner)
        var problems: [FileProblem]
        var count: Int
        if paths.isEmpty {
            (problems, count) = check.installedProblems
        } else {
            let (files, unusable) = check.files(at: paths)
            problems = unusable + check.problems(of: files)
            count = files.count
        }
        try FileProblemText.print(problems, session)
        if !session.isJSON {
            let subject = count == 0 ? "No manifest is installed" : Measure.count(count, "manifest")
            session.remarks.say(FileProblemText.summary(problems, of: subject))
        }
        if problems.contains(where: { $0.severity == .error }) { throw .ended(.failure) }
    }

    /// The machine's folders, from the daemon's settings, and the caller's own.
    static func folders() throws(CommandFailure) -> [ManifestFolder] {
        let settings = Configuration.load().settings.authorization
        do throws(SystemError) {
            let machine = settings.manifests.map { ManifestFolder(path: $0, owner: .root) }
            guard settings.personalManifests != .no, let own = try ManifestFolder.personal(of: getuid()) else {
                return machine
            }
            return machine + [own]
        } catch {
            throw CommandFailure(error)
        }
    }

    // Identify

    private static func identify(_ session: Session) throws(CommandFailure) {
        guard let number = session.invocation.argument("PID").flatMap({ pid_t($0) }) else { return }
        let evidence: PeerEvidence
        do throws(SystemError) { evidence = try PeerEvidence.ofProcess(number) } catch {
            guard error.code == ENOENT || error.code == ESRCH else { throw CommandFailure(error) }
            throw .failed("NoSuchProcess", "There is no process \(number).")
        }
        var catalogue = Catalogue()
        catalogue.readShared(try folders())
        do throws(SystemError) {
            if let folder = try ManifestFolder.personal(of: evidence.userID) { catalogue.readPersonal(folder) }
        } catch {
            session.remarks.say("The user's own manifests were not checked: could not \(error).")
        }
        let text = IdentityText(evidence: evidence, match: catalogue.match(evidence), terminal: session.terminal)
        if session.isJSON { return try session.print(json: text.json) }
        try session.print(text.lines)
    }
}

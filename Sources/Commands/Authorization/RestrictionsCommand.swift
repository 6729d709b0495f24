import Authorization
import CommandLineKit
import Configuration
import Glibc
import JSONText
import Manifests
import Varlink

/// `waymark restrictions`: root's restrictions on this machine.
enum RestrictionsCommand {
    static let command = Command(
        "restrictions", "show this machine's restrictions, and find mistakes in their files",
        discussion: [
            "Reads \(RestrictionRules.folder)/*.conf as the daemon does, and needs no daemon; with FILE those files"
                + " instead, as a check before they are installed.",
            "A file with an error forbids everything that it might have forbidden, until it is corrected. Ends with 1"
                + " where there is one.",
        ],
        options: [CommonOptions.json],
        arguments: [
            Command.Argument(Value("FILE", .file), "files to read instead", isOptional: true, repeats: true)
        ],
        examples: [
            Command.Example("waymark restrictions", "The restrictions in force on this machine."),
            Command.Example(
                "waymark restrictions kiosk.conf && sudo install -m 644 kiosk.conf \(RestrictionRules.folder)",
                "Installs a file only if it has no error."),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let files = session.invocation.arguments("FILE")
        let rules = files.isEmpty ? installed : RestrictionRules(files: files)
        if session.isJSON {
            try session.print(json: RestrictionText(rules: rules).json)
        } else {
            try session.print(RestrictionText(rules: rules).lines)
        }
        if !rules.problems.isEmpty { throw .ended(.failure) }
    }

    /// The restrictions in the folder that the daemon's settings name.
    static var installed: RestrictionRules {
        RestrictionRules(folder: Configuration.load().settings.authorization.restrictions)
    }
}

/// The combined effect of restrictions.
struct RestrictionText {
    let rules: RestrictionRules

    /// For a person: the problems first, because they forbid more than intended.
    var lines: [String] {
        var lines = rules.problems.map { $0.description.escapingControls }
        if !rules.problems.isEmpty {
            let rights = Restrictions.Right.allCases.filter { rules.forbiddenByProblems.contains($0) }
            lines.append(
                "Until that is corrected, the following is forbidden as a precaution: "
                    + rights.map(Self.words).joined(separator: ", ") + ".")
        }
        lines += sentences
        return lines.isEmpty ? ["Nothing is restricted."] : lines
    }

    /// The intended restrictions, without those that result from problems.
    var sentences: [String] {
        var sentences: [String] = []
        for right in Restrictions.Right.allCases
        where rules.forbidden.contains(right) && !rules.forbiddenByProblems.contains(right) {
            sentences.append("Nobody may have \(Self.words(right)).")
        }
        if let allowed = rules.allowedApps {
            sentences.append("Only these apps may have positions: \(Self.list(allowed.sorted())).")
        }
        if !rules.deniedApps.isEmpty {
            sentences.append("These apps may have no positions: \(Self.list(rules.deniedApps.sorted())).")
        }
        if !rules.deniedUIDs.isEmpty {
            let users = rules.deniedUIDs.sorted().map { UserName.text(Int64($0)) }
            sentences.append("Apps of these users may have no positions: \(Self.list(users)).")
        }
        return sentences
    }

    private static func list(_ words: [String]) -> String { words.isEmpty ? "none" : words.joined(separator: ", ") }

    private static func words(_ right: Restrictions.Right) -> String {
        switch right {
        case .position: "positions"
        case .always: "positions while not in use"
        case .fullAccuracy: "full accuracy"
        case .recording: "recordings"
        case .regions: "monitoring of regions"
        case .tracking: "the advertising identifier"
        }
    }

    /// For programs.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("forbidden", rules.forbidden.map(\.rawValue).sorted())
            writer.member("forbiddenByProblems", rules.forbiddenByProblems.map(\.rawValue).sorted())
            writer.member("deniedApps", rules.deniedApps.sorted())
            writer.array("deniedUsers") { writer in
                for uid in rules.deniedUIDs.sorted() { writer.integer(uid) }
            }
            if let allowed = rules.allowedApps { writer.member("allowedApps", allowed.sorted()) }
            writer.member("problems", rules.problems.map(\.description))
        }
        return writer.bytes
    }
}

import Authorization
import Configuration
import Location
import Platform

/// Root's restrictions on this machine, read from the files of a folder.
public struct RestrictionRules: Equatable, Sendable {
    /// The folder of the files.
    public static let folder = "/etc/waymark/restrictions.d"
    static let maximumFiles = 256
    static let maximumBytes = 1 << 20

    /// What is forbidden where a file cannot be read.
    private static let everyRight = Restrictions.Right.allCases

    /// The rights that are forbidden to all apps.
    public private(set) var forbidden: Set<Restrictions.Right> = []
    /// The denied app ids; a template's id denies all its instances.
    public private(set) var deniedApps: Set<String> = []
    /// The users whose apps are denied.
    public private(set) var deniedUIDs: Set<UInt32> = []
    /// The only app ids that are not denied; nil if there is no such list.
    public private(set) var allowedApps: Set<String>?
    /// The least class of data protection of recordings.
    public private(set) var minimumProtection = ProtectionClass.none
    /// The problems of the files. Everything that an invalid part may have been intended to forbid is in `forbidden`.
    public private(set) var problems: [FileProblem] = []
    /// The rights that are forbidden because of the problems.
    public private(set) var forbiddenByProblems: Set<Restrictions.Right> = []

    /// No restrictions.
    public init() {}

    /// The combined restrictions of the files `*.conf` in a folder: none lifts what another one restricts.
    public init(folder: String) {
        do throws(FileProblem) {
            let names = try TrustedFile.names(in: folder, suffix: ".conf", owner: .root, limit: Self.maximumFiles)
            for name in names { apply(file: "\(folder)/\(name)") }
        } catch {
            fail(error, mightMean: Self.everyRight)
        }
    }

    /// The combined restrictions of these files, wherever they are and whoever owns them. For checking them only.
    public init(files: [String]) {
        for file in files { apply(file: file, owner: nil) }
    }

    private mutating func apply(file path: String, owner: FileOwner? = .root) {
        do throws(FileProblem) {
            let bytes = try TrustedFile.bytes(of: path, owner: owner, limit: Self.maximumBytes)
            if let bytes { return apply(bytes, path: path) }
            if owner == nil { throw FileProblem(.error, file: path, "there is no such file") }
        } catch {
            fail(error, mightMean: Self.everyRight)
        }
    }

    /// Adds the content of a file. An invalid part forbids everything that it may have been intended to forbid.
    public mutating func apply(_ bytes: [UInt8], path: String) {
        var isInSection = false
        EntryScanner.scan(bytes) { line, entry in
            switch entry {
            case .section("Restrictions"): isInSection = true
            case .section(let name):
                isInSection = false
                fail(path, line, "[\(name)]", "unknown section. The only one is [Restrictions]", Self.everyRight)
            case .malformed(let complaint): fail(path, line, nil, complaint, Self.everyRight)
            case .value(let key, let locale, let text):
                guard isInSection else {
                    return fail(path, line, key, "does not stand below [Restrictions]", Self.everyRight)
                }
                guard locale == nil else { return fail(path, line, key, "has no translations", Self.everyRight) }
                apply(key, text, path, line)
            }
        }
    }

    static let answers: [String: Restrictions.Right] = [
        "DenyAll": .position, "ForbidAlways": .always, "ForbidFullAccuracy": .fullAccuracy,
        "ForbidRecording": .recording, "ForbidRegions": .regions, "ForbidTracking": .tracking,
    ]
    static let lists = ["DenyApps", "DenyUsers", "AllowOnlyApps"]
    static let protectionKey = "MinimumProtection"

    private mutating func apply(_ key: String, _ text: String, _ path: String, _ line: Int) {
        if let right = Self.answers[key] {
            switch text {
            case "yes", "true", "on", "1": forbidden.insert(right)
            case "no", "false", "off", "0": break
            default:
                let quoted = ConfigurationProblem.quoted(text)
                fail(
                    path, line, key, "\(quoted) is neither yes nor no. Allowed: yes, no, true, false, on, off, 1 or 0",
                    [right])
            }
        } else if key == Self.protectionKey {
            // Files only ever demand more than each other.
            guard let protection = ProtectionClass(word: text) else {
                minimumProtection = max(minimumProtection, .completeUnlessOpen)
                let quoted = ConfigurationProblem.quoted(text)
                let words = ProtectionClass.allCases.map(\.word).joined(separator: ", ")
                return fail(path, line, key, "\(quoted) is no class of data protection. Allowed: \(words)", [])
            }
            minimumProtection = max(minimumProtection, protection)
        } else if Self.lists.contains(key) {
            applyList(key, text.split { $0 == " " || $0 == "\t" || $0 == "," }.map(String.init), path, line)
        } else {
            let keys = Self.answers.keys.sorted() + Self.lists + [Self.protectionKey]
            let hint = Spelling.nearest(to: key, among: keys).map { "Did you mean \($0)?" }
            fail(
                path, line, key, "unknown restriction. \(hint ?? "There are \(keys.joined(separator: ", "))")",
                Self.everyRight)
        }
    }

    private mutating func applyList(_ key: String, _ items: [String], _ path: String, _ line: Int) {
        guard !items.isEmpty else {
            return fail(path, line, key, "names nothing. Remove the line, or name some", [.position])
        }
        for item in items {
            let quoted = ConfigurationProblem.quoted(item)
            if key == "DenyUsers" {
                guard let uid = Self.uid(item) else {
                    fail(path, line, key, "\(quoted) is no user here. Allowed: names and numbers of users", [.position])
                    continue
                }
                deniedUIDs.insert(uid)
            } else if !AppName.isValid(item), !AppName.isTemplate(item) {
                fail(path, line, key, "\(quoted) is no app id. Allowed: \(AppName.allowed)", [.position])
            } else if key == "DenyApps" {
                deniedApps.insert(item)
            }
        }
        // With two lists, only the apps in both are permitted.
        if key == "AllowOnlyApps" { allowedApps = allowedApps.map { Self.common($0, Set(items)) } ?? Set(items) }
    }

    /// The intersection of two lists, in which a template stands for all its instances.
    private static func common(_ one: Set<String>, _ other: Set<String>) -> Set<String> {
        one.filter { Restrictions.names(other, $0) }.union(other.filter { Restrictions.names(one, $0) })
    }

    /// The uid of a number, or of a name in the user database.
    private static func uid(_ text: String) -> UInt32? {
        if text.utf8.allSatisfy({ (48...57).contains($0) }) { return UInt32(text) }
        // A name that cannot be looked up is like an unknown one: the entry forbids positions for everybody.
        do throws(SystemError) { return try UserDatabase.entry(.name(text))?.uid } catch { return nil }
    }

    private mutating func fail(
        _ path: String, _ line: Int, _ key: String?, _ message: String, _ rights: [Restrictions.Right]
    ) {
        fail(FileProblem(.error, file: path, line: line, key: key, message), mightMean: rights)
    }

    private mutating func fail(_ problem: FileProblem, mightMean rights: [Restrictions.Right]) {
        if problems.count < 100 { problems.append(problem) }
        forbidden.formUnion(rights)
        forbiddenByProblems.formUnion(rights)
    }
}

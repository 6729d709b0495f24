import Authorization
import Configuration
import Containers
import Location
import Platform

/// The result of reading a manifest.
public struct ManifestReading: Sendable {
    /// The largest manifest, 64 KiB.
    public static let maximumBytes = 65_536
    /// The longest name, which is a prompt's heading.
    static let maximumNameLetters = 100
    /// The longest text, enough for a few sentences.
    static let maximumUsageLetters = 1_000
    static let maximumPurposes = 32
    static let maximumAlertTexts = 64
    /// The longest name of a vendor, in bytes.
    static let maximumVendorBytes = 100
    static let maximumContainers = 16
    static let maximumProblems = 100

    /// The manifest; nil if the file has an error, because the meaning of a partly invalid file is uncertain.
    public let manifest: ManifestFile?
    /// All problems by line; beyond 100 only their number.
    public let problems: [FileProblem]
    /// The line of each key, for further checks.
    let lines: [String: Int]

    /// Reads the content of the file at this path, for the app with this id.
    public init(_ bytes: [UInt8], id: String, path: String, owner: FileOwner) {
        var reader = ManifestReader(path: path, owner: owner)
        if !AppName.isValid(id), !AppName.isTemplate(id) {
            reader.report(.error, nil, nil, "the file's name is no app id with .app. Allowed: \(AppName.allowed)")
        }
        if bytes.count > Self.maximumBytes {
            reader.report(.error, nil, nil, "has more than 64 KiB, which no manifest has")
        } else {
            EntryScanner.scan(bytes) { line, entry in reader.apply(entry, line: line) }
        }
        manifest = reader.finish(id: id)
        problems = reader.allProblems
        lines = reader.lines
    }
}

/// Reads a manifest line by line.
struct ManifestReader {
    private enum Section: String {
        case none, app = "", temporaryUsage = "TemporaryUsage/", alerts = "Alerts/", wake = "Wake/", unknown
    }

    let path: String
    let owner: FileOwner
    private(set) var lines: [String: Int] = [:]
    private var section = Section.none
    private var problems: [FileProblem] = []
    private var unlisted = 0
    private var hasError = false
    private var texts: [String: TranslatedText] = [:]
    private var purposes: [String: TranslatedText] = [:]
    private var alertTexts: [String: TranslatedText] = [:]
    private var identity: [IdentityKey: String] = [:]
    private var hasWrongIdentity = false
    private var answers: [String: Bool] = [:]
    private var recordedAccuracy = RecordedAccuracy.recorded
    private var vendor: String?
    private var protection: ProtectionClass?
    private var containers: [String] = []
    private var environment = ContainerEnvironment.production
    /// Nil if there is no such section.
    private var wake: WakeSection?

    static let sections = ["App", "TemporaryUsage", "Alerts", "Wake"]
    private static let textKeys = [
        "Name", "WhenInUseUsageDescription", "AlwaysAndWhenInUseUsageDescription", "UserTrackingUsageDescription",
    ]
    private static let answerKeys = ["DefaultAccuracyReduced", "Record", "AlwaysInUse"]
    private static let recordedAccuracyKey = "RecordedAccuracy"
    private static let vendorKey = "Vendor"
    private static let protectionKey = "Protection"
    private static let containersKey = "Containers"
    private static let environmentKey = "Environment"
    static let appKeys =
        textKeys + answerKeys + [recordedAccuracyKey, protectionKey, vendorKey, containersKey, environmentKey]
        + IdentityKey.allCases.map(\.rawValue)

    init(path: String, owner: FileOwner) {
        self.path = path
        self.owner = owner
    }

    var allProblems: [FileProblem] {
        unlisted == 0 ? problems : problems + [FileProblem(.warning, file: path, "\(unlisted) more are not listed")]
    }

    mutating func report(
        _ severity: FileProblem.Severity, _ line: Int?, _ key: String?, _ message: @autoclosure () -> String
    ) {
        if severity == .error { hasError = true }
        guard problems.count < ManifestReading.maximumProblems else { return unlisted += 1 }
        problems.append(FileProblem(severity, file: path, line: line, key: key, message()))
    }

    mutating func apply(_ entry: Entry, line: Int) {
        switch entry {
        case .malformed(let complaint): report(.error, line, nil, complaint)
        case .section(let name): begin(name, line)
        case .value(let key, let locale, let text):
            let whole = locale.map { "\(key)[\($0)]" } ?? key
            guard section != .unknown, !key.hasPrefix("X-") else { return }
            let place = section.rawValue + whole
            if let first = lines[place] {
                return report(.error, line, whole, "is set for the second time: it was in line \(first). Remove one")
            }
            lines[place] = line
            switch section {
            case .none: report(.error, line, whole, "stands before the first [SECTION]. Begin with [App]")
            case .app: applyApp(key, locale, text, line)
            case .temporaryUsage: applyPurpose(key, locale, text, line)
            case .alerts: applyAlert(key, locale, text, line)
            case .wake: applyWake(key, locale, text, line)
            case .unknown: break
            }
        }
    }

    private mutating func begin(_ name: String, _ line: Int) {
        switch name {
        case "App": section = .app
        case "TemporaryUsage": section = .temporaryUsage
        case "Alerts": section = .alerts
        case "Wake":
            section = .wake
            if wake == nil { (wake, lines["[Wake]"]) = (WakeSection(), line) }
        default:
            section = .unknown
            guard !name.hasPrefix("X-") else { return }
            report(.warning, line, "[\(name)]", Self.unknown(section: name))
        }
    }

    private mutating func applyApp(_ key: String, _ locale: String?, _ text: String, _ line: Int) {
        if Self.textKeys.contains(key) {
            let limit = key == "Name" ? ManifestReading.maximumNameLetters : ManifestReading.maximumUsageLetters
            applyText(\.texts, key, locale, text, limit, line)
        } else if let identityKey = IdentityKey(rawValue: key), locale == nil {
            applyIdentity(identityKey, text, line)
        } else if Self.answerKeys.contains(key), locale == nil {
            applyAnswer(key, text, line)
        } else if key == Self.recordedAccuracyKey, locale == nil {
            applyRecordedAccuracy(key, text, line)
        } else if key == Self.vendorKey, locale == nil {
            applyVendor(text, line)
        } else if key == Self.protectionKey, locale == nil {
            applyProtection(key, text, line)
        } else if key == Self.containersKey, locale == nil {
            applyContainers(text, line)
        } else if key == Self.environmentKey, locale == nil {
            applyEnvironment(text, line)
        } else if Self.appKeys.contains(key) {
            report(.error, line, key, "has no translations. Write \(key)=")
        } else {
            report(.warning, line, key, Self.unknown(key))
        }
    }

    /// Computed only for problems that are listed, because the search for similar keys takes time.
    private static func unknown(_ key: String) -> String {
        let hint = Spelling.nearest(to: key, among: appKeys).map { "Did you mean \($0)?" }
        return "unknown key. \(hint ?? "[App] has \(appKeys.joined(separator: ", "))")"
    }

    private static func unknown(section name: String) -> String {
        let hint = Spelling.nearest(to: name, among: sections).map { "Did you mean [\($0)]?" }
        return "unknown section. \(hint ?? "The sections are [App], [TemporaryUsage], [Alerts], [Wake]")"
    }

    private mutating func applyPurpose(_ key: String, _ locale: String?, _ text: String, _ line: Int) {
        guard AppName.isPlain(key), key.utf8.count <= 64 else {
            return report(
                .error, line, key, "is not a purpose. Allowed: a name of letters, digits, . _ and -, at most 64")
        }
        guard purposes[key] != nil || purposes.count < ManifestReading.maximumPurposes else {
            return report(.error, line, key, "is one purpose too many: \(ManifestReading.maximumPurposes) are allowed")
        }
        applyText(\.purposes, key, locale, text, ManifestReading.maximumUsageLetters, line)
    }

    private mutating func applyAlert(_ key: String, _ locale: String?, _ text: String, _ line: Int) {
        guard AppName.isPlain(key), key.utf8.count <= 64 else {
            return report(
                .error, line, key, "is no key of a text. Allowed: a name of letters, digits, . _ and -, at most 64")
        }
        guard alertTexts[key] != nil || alertTexts.count < ManifestReading.maximumAlertTexts else {
            return report(.error, line, key, "is one text too many: \(ManifestReading.maximumAlertTexts) are allowed")
        }
        applyText(\.alertTexts, key, locale, text, ManifestReading.maximumUsageLetters, line)
    }

    private mutating func applyText(
        _ texts: WritableKeyPath<ManifestReader, [String: TranslatedText]>, _ key: String, _ locale: String?,
        _ text: String,
        _ limit: Int, _ line: Int
    ) {
        if let objection = TranslatedText.objection(to: text, maximumLetters: limit) {
            return report(.error, line, locale.map { "\(key)[\($0)]" } ?? key, objection)
        }
        if key == "Name", !text.isEmpty, !VisibleText.isAnythingSeen(of: text) {
            return report(.error, line, locale.map { "\(key)[\($0)]" } ?? key, "has no letter, digit or symbol")
        }
        // An empty text counts as missing, because a prompt needs one.
        if let locale {
            if !text.isEmpty { self[keyPath: texts][key, default: TranslatedText("")].translations[locale] = text }
        } else {
            self[keyPath: texts][key, default: TranslatedText("")].text = text
        }
    }

    private mutating func applyIdentity(_ key: IdentityKey, _ text: String, _ line: Int) {
        if key.isRootsOnly, owner != .root {
            return report(.warning, line, key.rawValue, "does not count here: only root's manifests may say that")
        }
        if let objection = key.objection(to: text) {
            hasWrongIdentity = true
            let quoted = ConfigurationProblem.quoted(text)
            return report(.error, line, key.rawValue, "\(quoted) \(objection). Allowed: \(key.allowed)")
        }
        identity[key] = text
    }

    private mutating func applyAnswer(_ key: String, _ text: String, _ line: Int) {
        switch text {
        case "yes", "true", "on", "1": answers[key] = true
        case "no", "false", "off", "0": answers[key] = false
        default:
            let quoted = ConfigurationProblem.quoted(text)
            return report(
                .error, line, key, "\(quoted) is neither yes nor no. Allowed: yes, no, true, false, on, off, 1 or 0")
        }
        if key == "AlwaysInUse", answers[key] == true, owner != .root {
            answers[key] = nil
            report(.warning, line, key, "does not count here: only root's manifests may say that")
        }
    }

    private mutating func applyRecordedAccuracy(_ key: String, _ text: String, _ line: Int) {
        guard let value = RecordedAccuracy(rawValue: text) else {
            let quoted = ConfigurationProblem.quoted(text)
            return report(.error, line, key, "\(quoted) is no accuracy of recordings. Allowed: recorded or present")
        }
        recordedAccuracy = value
    }

    private mutating func applyVendor(_ text: String, _ line: Int) {
        guard AppName.isPlain(text), text.utf8.count <= ManifestReading.maximumVendorBytes else {
            let quoted = ConfigurationProblem.quoted(text)
            return report(
                .error, line, Self.vendorKey,
                "\(quoted) is no name of a vendor. Allowed: letters, digits, . _ and -, at most"
                    + " \(ManifestReading.maximumVendorBytes), beginning with a letter or digit, without .., such as"
                    + " org.example")
        }
        vendor = text
    }

    private mutating func applyProtection(_ key: String, _ text: String, _ line: Int) {
        guard let value = ProtectionClass(word: text) else {
            let quoted = ConfigurationProblem.quoted(text)
            let words = ProtectionClass.allCases.map(\.word).joined(separator: ", ")
            return report(.error, line, key, "\(quoted) is no class of data protection. Allowed: \(words)")
        }
        protection = value
    }

    private mutating func applyContainers(_ text: String, _ line: Int) {
        let names = text.split(separator: " ").map(String.init)
        let most = ManifestReading.maximumContainers
        guard (1...most).contains(names.count), Set(names).count == names.count,
            names.allSatisfy(AppName.isPlain)
        else {
            return report(
                .error, line, Self.containersKey,
                "\(ConfigurationProblem.quoted(text)) is no list of containers. Allowed: 1 to \(most) different names with"
                    + " spaces between them, each of letters, digits, . _ and -, beginning with a letter or digit, without"
                    + " .., such as org.example.notes")
        }
        containers = names
    }

    private mutating func applyEnvironment(_ text: String, _ line: Int) {
        switch text {
        case "production": environment = .production
        case "development" where owner == .root:
            report(
                .warning, line, Self.environmentKey,
                "does not count here: an installed app uses production. Only a user's own manifest may say development")
        case "development": environment = .development
        default:
            report(
                .error, line, Self.environmentKey,
                "\(ConfigurationProblem.quoted(text)) is no environment. Allowed: production or development")
        }
    }

    private mutating func applyWake(_ key: String, _ locale: String?, _ text: String, _ line: Int) {
        if locale != nil, WakeSection.keys.contains(key) {
            return report(.error, line, key, "has no translations. Write \(key)=")
        }
        do throws(WakeSection.Objection) { try wake?.apply(key, text) } catch {
            report(error.severity, line, key, error.message)
        }
    }

    /// The declaration of the section [Wake]; nil without the section or if it has an error.
    private mutating func finishWake(_ id: String) -> WakeDeclaration? {
        guard let wake else { return nil }
        if AppName.isTemplate(id) {
            report(
                .error, lines["[Wake]"], "[Wake]",
                "does not say which instance of a template it wakes. Give the instance that is to be woken a manifest of"
                    + " its own")
        }
        do throws(WakeSection.MissingKey) { return try wake.finish() } catch {
            report(.error, lines["[Wake]"], error.key, error.message)
            return nil
        }
    }

    mutating func finish(id: String) -> ManifestFile? {
        for (key, text) in (texts.sorted { $0.key < $1.key }) where text.text.isEmpty && !text.translations.isEmpty {
            report(.error, nil, key, "has translations only. Add a text for all other languages: \(key)=")
        }
        for (key, text) in (purposes.sorted { $0.key < $1.key }) where text.text.isEmpty {
            report(.error, lines["TemporaryUsage/\(key)"], key, "says nothing. Write why full accuracy is needed")
        }
        for (key, text) in (alertTexts.sorted { $0.key < $1.key }) where text.text.isEmpty {
            report(
                .error, lines["Alerts/\(key)"], key, "says nothing. Write what the alert says in all other languages")
        }
        let name = texts["Name"] ?? TranslatedText("")
        if name.text.isEmpty, name.translations.isEmpty {
            report(.error, lines["Name"], "Name", "is missing: what the app is called")
        }
        if identity.isEmpty, !hasWrongIdentity {
            let keys = IdentityKey.allCases.filter { owner == .root || !$0.isRootsOnly }.map { "\($0.rawValue)=" }
            report(
                .error, nil, nil,
                "no key identifies the processes of this app. Add one of \(keys.joined(separator: ", "))")
        }
        if AppName.isTemplate(id) { checkTemplate() }
        let wake = finishWake(id)
        guard !hasError else { return nil }
        let manifest = Manifest(
            name: name.localized, binding: ManifestBinding(identity),
            whenInUseUsage: usage("WhenInUseUsageDescription"),
            alwaysUsage: usage("AlwaysAndWhenInUseUsageDescription"), temporaryUsages: purposes.mapValues(\.localized),
            trackingUsage: usage("UserTrackingUsageDescription"),
            isDefaultAccuracyReduced: answers["DefaultAccuracyReduced"] ?? false, mayRecord: answers["Record"] ?? false,
            recordedAccuracy: recordedAccuracy, protection: protection, isAlwaysInUse: answers["AlwaysInUse"] ?? false,
            isRoots: owner == .root, wake: wake, vendor: vendor,
            containers: containers.map { SyncedContainer($0, environment) })
        return ManifestFile(
            id: id, path: path, owner: owner, identity: identity, manifest: manifest, environment: environment,
            alertTexts: alertTexts.mapValues(\.localized))
    }

    /// The processes of a template's apps can only be distinguished by the names of their units.
    private mutating func checkTemplate() {
        for (key, value) in identity.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where UnitTemplate(value, of: key) == nil {
            report(
                .error, lines[key.rawValue], key.rawValue,
                "does not distinguish the instances of a template. Write Unit=NAME@.service or UserUnit=NAME@.service")
        }
    }

    private func usage(_ key: String) -> LocalizedText? {
        guard let text = texts[key], !text.text.isEmpty else { return nil }
        return text.localized
    }
}

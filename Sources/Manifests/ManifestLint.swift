import Authorization
import Configuration

/// Advice of `waymark manifest check` beyond the errors: shortcomings for the person at a prompt or for the
/// administrator.
public enum ManifestLint {
    /// All problems of a manifest, including those of reading it, errors first.
    ///
    /// With a catalogue it is compared with the machine's other manifests too.
    public static func examine(_ reading: ManifestReading, among others: Catalogue? = nil) -> [FileProblem] {
        var problems = reading.problems
        if let manifest = reading.manifest {
            var lint = Examination(manifest: manifest, lines: reading.lines)
            lint.examineTexts()
            lint.examineName(others)
            lint.examineRights()
            lint.examineWake()
            lint.examineVendor(others)
            lint.examineIdentity(others)
            problems += lint.problems
        }
        return problems.filter { $0.severity == .error } + problems.filter { $0.severity == .warning }
    }
}

private struct Examination {
    let manifest: ManifestFile
    let lines: [String: Int]
    private(set) var problems: [FileProblem] = []

    private static let whenInUse = "WhenInUseUsageDescription"
    private static let always = "AlwaysAndWhenInUseUsageDescription"
    private static let tracking = "UserTrackingUsageDescription"

    init(manifest: ManifestFile, lines: [String: Int]) {
        self.manifest = manifest
        self.lines = lines
    }

    private mutating func warn(_ key: String, at place: String? = nil, _ message: String) {
        problems.append(
            FileProblem(.warning, file: manifest.path, line: lines[place ?? key], key: key, message))
    }

    mutating func examineTexts() {
        let usages = [
            (Self.whenInUse, manifest.whenInUseUsage), (Self.always, manifest.alwaysUsage),
            (Self.tracking, manifest.trackingUsage),
        ]
        for (key, usage) in usages {
            if let usage {
                examine(usage.text, key, at: key)
            } else if lines[key] != nil {
                warn(key, "is blank: a person could not decide, so no prompt is shown")
            }
        }
        for (key, purpose) in manifest.temporaryUsages.sorted(by: { $0.key < $1.key }) {
            examine(purpose.text, key, at: "TemporaryUsage/\(key)")
        }
    }

    /// A name that resembles another app's is a warning only, because many apps legitimately have the same name: a
    /// prompt shows the app's id and its proof as well.
    mutating func examineName(_ others: Catalogue?) {
        let own = ([manifest.name.text] + manifest.name.translations.values).map(LookalikeName.init)
        if own.contains(where: \.mixesScripts) {
            warn(
                "Name",
                "has a word with letters of several scripts that look alike, so that it can be taken for another")
        }
        let twins = (others?.shared.values.map { $0 } ?? []).filter { other in
            // Root may have two apps with the same name; a name that only looks the same is suspicious.
            (manifest.owner != .root || other.name.text != manifest.name.text)
                && other.id != manifest.id && own.contains(LookalikeName(other.name.text))
        }
        if let twin = twins.map(\.id).min() {
            warn("Name", "looks like the name of \(twin), for which a person can take it. Call it something else")
        }
    }

    private mutating func examine(_ text: String, _ key: String, at place: String) {
        let advice = key == Self.tracking ? "Say what is tracked, and why" : "Say what the app does with the position"
        let words = Self.words(text)
        let own = Set(words).subtracting(Self.words(manifest.name.text)).subtracting(Self.words(key))
        if own.isEmpty {
            warn(key, at: place, "repeats the name and says nothing else. \(advice)")
        } else if own.isSubset(of: Self.vagueWords) {
            warn(key, at: place, "is vague: it would fit any app. \(advice)")
        } else if Self.weight(text) < 10 {
            warn(key, at: place, "is very short. \(advice)")
        }
    }

    /// The number of letters; those of scripts that need fewer letters count twice.
    private static func weight(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x1100 ? 2 : 1) }
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// Words of which a sentence without information about the app consists.
    private static let vagueWords: Set<String> = [
        "a", "access", "allow", "an", "and", "app", "application", "be", "better", "data", "experience", "features",
        "for",
        "function", "functionality", "gps", "has", "improve", "in", "is", "it", "its", "location", "must", "need",
        "needed",
        "needs", "of", "order", "our", "permission", "please", "position", "program", "properly", "provide", "require",
        "required", "requires", "service", "services", "some", "the", "this", "to", "us", "use", "used", "user", "uses",
        "wants", "we", "with", "work", "you", "your",
    ]

    mutating func examineRights() {
        // An app of records alone requests nothing of a person.
        let requestsNothing =
            !manifest.containers.isEmpty && !manifest.mayRecord && manifest.wake.map { $0.causes == [.push] } ?? true
        if manifest.whenInUseUsage == nil, manifest.alwaysUsage == nil, manifest.trackingUsage == nil, !requestsNothing
        {
            problems.append(
                FileProblem(.warning, file: manifest.path, "has no \(Self.whenInUse)=: every request would be refused"))
        }
        if manifest.whenInUseUsage == nil, manifest.alwaysUsage != nil {
            warn(Self.always, "is never used: asking for always takes \(Self.whenInUse)= too")
        }
        for key in manifest.alertTexts.keys.sorted() where manifest.containers.isEmpty {
            warn(key, at: "Alerts/\(key)", "is never used: without Containers= there are no alerts")
        }
        let asksNothing = manifest.whenInUseUsage == nil
        for key in manifest.temporaryUsages.keys.sorted() where asksNothing {
            warn(
                key, at: "TemporaryUsage/\(key)",
                "is never used: without \(Self.whenInUse)= there is no position at all")
        }
        if manifest.mayRecord, asksNothing {
            warn("Record", "is never used: without \(Self.whenInUse)= there is nothing to record")
        }
        if manifest.isAlwaysInUse, manifest.identity[.unit] == nil, manifest.identity[.socket] == nil {
            warn("AlwaysInUse", "is never used: it is for system services, which Unit= or Socket= name")
        }
    }

    mutating func examineWake() {
        guard let wake = manifest.wake else { return }
        if wake.causes.contains(.push), manifest.containers.isEmpty {
            warn(
                "For", at: "Wake/For",
                "has push, which never wakes the app: without Containers= it has no records that another machine changes"
            )
        }
        // Pushes need no position.
        if manifest.alwaysUsage == nil, wake.causes != [.push] {
            let whole = wake.causes.contains(.push) ? "is used for push only" : "is never used"
            warn(
                "[Wake]",
                "\(whole): only an app with always is woken\(wake.causes.contains(.push) ? " for the rest" : ""), and asking"
                    + " for that takes \(Self.always)= too")
        }
        // With Socket=, Flatpak= or Exec= the name of the service says nothing about the app's processes.
        for key in [IdentityKey.unit, .userUnit] where manifest.identity.keys.allSatisfy({ $0 == key }) {
            guard let value = manifest.identity[key], !UnitPattern(value).fits(wake.unit) else { continue }
            warn(
                "Unit", at: "Wake/Unit",
                "is not among the units of \(key.rawValue)=: its processes would not be this app, which is then no longer"
                    + " woken")
        }
    }

    mutating func examineVendor(_ others: Catalogue?) {
        guard let vendor = manifest.vendor, manifest.owner != .root,
            others?.shared.values.contains(where: { $0.vendor == vendor }) == true
        else { return }
        warn(
            "Vendor",
            "is the vendor of the system's apps too, and stays another one here: this app does not share their identifiers"
        )
    }

    mutating func examineIdentity(_ others: Catalogue?) {
        if manifest.owner != .root, others?.isSystems(manifest.id) == true {
            return problems.append(FileProblem(.error, file: manifest.path, Catalogue.outranked))
        }
        for claim in others?.claims(of: manifest) ?? [] {
            let key = claim.key.rawValue
            let consequence =
                claim.prevails
                ? "which is root's and wins: no process would be this app"
                : "so that a process would be neither"
            problems.append(
                FileProblem(
                    .error, file: manifest.path, line: lines[key], key: key,
                    "is claimed by \(claim.apps.prefix(3).joined(separator: ", ")) too, \(consequence). Write what only"
                        + " this app is known by"))
        }
        for key in [IdentityKey.unit, .userUnit] where !AppName.isTemplate(manifest.id) {
            guard let value = manifest.identity[key], UnitTemplate(value, of: key) != nil else { continue }
            warn(
                key.rawValue,
                "is a template, of which there is no process. For all its instances call the file NAME@.app")
        }
        guard let path = manifest.identity[.exec], let name = path.split(separator: "/").last else { return }
        let plain = name.prefix { $0.isLetter || $0 == "-" }
        if Self.interpreters.contains(String(plain)) {
            warn("Exec", "is an interpreter: every script that it runs would be this app. Use UserUnit= or Unit=")
        } else if let objection = ProgramFile.objection(to: path) {
            warn("Exec", objection)
        } else if manifest.identity.count == 1 {
            warn(
                "Exec",
                "is the weakest proof, and unknown in a rootless container. "
                    + "UserUnit=, Flatpak=, Unit= or Socket= are better")
        }
    }

    private static let interpreters: Set<String> = [
        "bash", "busybox", "dash", "deno", "env", "gjs", "java", "ld-linux-x", "lua", "mono", "node", "nodejs", "perl",
        "php",
        "python", "ruby", "sh", "wine", "zsh",
    ]
}

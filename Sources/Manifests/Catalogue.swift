import Authorization
import Platform

/// All installed manifests. Identifies the app of a peer's process.
public struct Catalogue: Sendable {
    /// The result for a peer.
    public enum Match: Equatable, Sendable {
        /// The app with this id of the peer's user, with the key that matched.
        case app(id: String, by: IdentityKey)
        /// No app, with the reason: a sentence that helps a person to correct it.
        case unidentified(String)
        /// Several apps match by the same kind of key, so the app is unknown.
        case ambiguous([String], by: IdentityKey)
    }

    /// The manifests of root's folders by app id.
    public private(set) var shared: [String: ManifestFile] = [:]
    /// The problems of root's folders and files.
    public private(set) var sharedProblems: [FileProblem] = []
    /// The ids of root's files without a valid manifest.
    private var masked: Set<String> = []
    /// The ids of root's files that are invalid, and not empty.
    private var unclear: Set<String> = []
    /// Whether root's folders could be listed.
    private var isSharedListed = true
    private var index = IdentityIndex([])
    private var personal: [UInt32: Layer] = [:]
    /// The users whose folder exists and could be listed.
    private var listedUsers: Set<UInt32> = []

    /// The manifests of one user.
    private struct Layer: Sendable {
        var manifests: [String: ManifestFile]
        /// The ids of these manifests, and of the user's files without a valid one.
        var hidden: Set<String>
        var index: IdentityIndex
        var problems: [FileProblem]
        /// The ids of the user's files that are invalid, and not empty.
        var unclear: Set<String>
    }

    /// A catalogue without manifests.
    public init() {}

    /// Reads root's folders. If several have the same app, the last one applies. Users' manifests are unchanged.
    public mutating func readShared(_ folders: [ManifestFolder] = ManifestFolder.machine) {
        var found: [String: ManifestFile] = [:]
        masked = []
        unclear = []
        isSharedListed = true
        sharedProblems = []
        for folder in folders where folder.owner == .root {
            let contents = folder.read()
            sharedProblems += contents.problems
            // A folder that is missing has no apps, but one that could not be read may have some.
            if !contents.isListed, !contents.problems.isEmpty { isSharedListed = false }
            for (id, manifest) in contents.manifests {
                found[id] = manifest
                if manifest == nil { masked.insert(id) } else { masked.remove(id) }
                if contents.unclear.contains(id) { unclear.insert(id) } else { unclear.remove(id) }
            }
        }
        shared = found
        index = IdentityIndex(found.values)
    }

    /// Whether the system has a file with this id, or for an instance its template's id, even one that only removes the
    /// app. A user's manifest with such an id is ignored.
    public func isSystems(_ id: String) -> Bool {
        shared[id] != nil || masked.contains(id)
            || InstanceName(id).map { shared[$0.template] != nil || masked.contains($0.template) } ?? false
    }

    /// Reads a user's folder. Its manifests apply to that user only, and only if no manifest of root's has the same id
    /// or fits the same process.
    public mutating func readPersonal(_ folder: ManifestFolder) { applyPersonal(folder.read(), of: folder) }

    /// Adds the content of a user's folder that another process has read.
    public mutating func applyPersonal(_ contents: ManifestFolder.Contents, of folder: ManifestFolder) {
        guard case .user(let uid) = folder.owner else { return }
        if contents.isListed { listedUsers.insert(uid) } else { listedUsers.remove(uid) }
        guard !contents.manifests.isEmpty || !contents.problems.isEmpty else {
            personal[uid] = nil
            return
        }
        let manifests = contents.manifests.compactMapValues { $0 }
        personal[uid] = Layer(
            manifests: manifests, hidden: Set(contents.manifests.keys), index: IdentityIndex(manifests.values),
            problems: contents.problems, unclear: contents.unclear)
    }

    /// Removes a user's manifests, for example when the user's last program has ended.
    public mutating func forgetPersonal(of uid: UInt32) {
        personal[uid] = nil
        listedUsers.remove(uid)
    }

    /// The vendors of the system's apps.
    public var systemVendors: InstalledVendors {
        InstalledVendors(
            vendors: Set(shared.map { Vendor(.system, ofApp: $0.key, named: $0.value.vendor) }), unclear: unclear,
            isComplete: isSharedListed)
    }

    /// The vendors of a user's own manifests, including those that a manifest of the system's hides.
    public func vendors(of uid: UInt32) -> InstalledVendors {
        let layer = personal[uid]
        return InstalledVendors(
            vendors: Set((layer?.manifests ?? [:]).map { Vendor(.user, ofApp: $0.key, named: $0.value.vendor) }),
            unclear: layer?.unclear ?? [], isComplete: listedUsers.contains(uid))
    }

    /// The problems of a user's folder and files, including ids that the system also has.
    public func personalProblems(of uid: UInt32) -> [FileProblem] {
        guard let layer = personal[uid] else { return [] }
        let outranked = layer.manifests.values.filter { isSystems($0.id) }.sorted { $0.id < $1.id }
        return layer.problems + outranked.map { FileProblem(.error, file: $0.path, Self.outranked) }
    }

    /// The problem reported for a user's manifest that has the id of a system manifest.
    static let outranked =
        "does not count: the system has a manifest of this name, which no user's file replaces. Give it another name"

    /// A user's own manifests that are not ignored, by app id.
    public func personalManifests(of uid: UInt32) -> [String: ManifestFile] {
        (personal[uid]?.manifests ?? [:]).filter { !isSystems($0.key) }
    }

    /// The users with manifests of their own.
    public var personalUsers: [UInt32] { Array(personal.keys) }

    /// All manifests as the module `Authorization` uses them.
    public var manifests: ManifestCatalogue {
        ManifestCatalogue(
            shared: shared.mapValues(\.manifest), personal: personal.mapValues { $0.manifests.mapValues(\.manifest) },
            hidden: personal.mapValues(\.hidden), masked: masked)
    }

    /// The manifest of a user's app; nil if it has none. For an instance without a manifest of its own, it is the
    /// template's.
    public func manifest(_ id: String, uid: UInt32) -> ManifestFile? {
        if let exact = shared[id] { return exact }
        guard !masked.contains(id) else { return nil }
        let template = InstanceName(id)?.template
        if let template, let found = shared[template] { return found }
        guard let layer = personal[uid], !isSystems(id) else { return nil }
        if layer.hidden.contains(id) { return layer.manifests[id] }
        return template.flatMap { layer.manifests[$0] }
    }

    /// Identifies the app of a peer. Root's manifests apply first, by the strongest key that matches. The user's own
    /// apply only to a process that fits none of root's, so a user's file cannot change which of root's apps a process
    /// is.
    public func match(_ evidence: PeerEvidence) -> Match {
        if let match = match(evidence, in: index, isPersonal: false) { return match }
        if let layer = personal[evidence.userID], let match = match(evidence, in: layer.index, isPersonal: true) {
            return match
        }
        return .unidentified(reason(evidence))
    }

    private func match(_ evidence: PeerEvidence, in layer: IdentityIndex, isPersonal: Bool) -> Match? {
        for proof in Self.proofs {
            var found: [(String, IdentityKey)] = []
            for key in proof {
                guard let value = evidence.value(of: key) else { continue }
                for id in layer.apps(key, value) where !found.contains(where: { $0.0 == id }) {
                    if isPersonal, isSystems(id) { continue }
                    found.append((id, key))
                }
                for (template, instance) in layer.templates(key, value) {
                    let id = template + instance
                    // An instance with a manifest of its own is identified by that manifest only.
                    guard AppName.isValid(id), !found.contains(where: { $0.0 == id }),
                        !(isPersonal ? hasOwnManifest(id, evidence.userID) : shared[id] != nil || masked.contains(id))
                    else { continue }
                    found.append((id, key))
                }
            }
            if found.count > 1, let key = found.first?.1 { return .ambiguous(found.map(\.0).sorted(), by: key) }
            if let (id, key) = found.first { return .app(id: id, by: key) }
        }
        return nil
    }

    /// The ids of all manifests that fit a process by any key: root's, and those of the process's user, including
    /// ignored ones.
    public func fitting(_ evidence: PeerEvidence) -> Set<String> {
        var ids: Set<String> = []
        for layer in [index, personal[evidence.userID]?.index].compactMap({ $0 }) {
            for key in IdentityKey.allCases {
                guard let value = evidence.value(of: key) else { continue }
                ids.formUnion(layer.apps(key, value))
                for (template, instance) in layer.templates(key, value) {
                    ids.formUnion([template, template + instance])
                }
            }
        }
        return ids
    }

    /// Other apps that claim the processes of a manifest.
    public struct Claim: Equatable, Sendable {
        /// The key by which they do.
        public let key: IdentityKey
        /// The ids of the other apps.
        public let apps: [String]
        /// Whether the processes belong to the other apps, because those are root's and the manifest is a user's.
        /// Otherwise the app of the processes is unknown.
        public let prevails: Bool
    }

    /// The other apps to which a manifest's processes would also belong: those with the same values, and those with
    /// names that fit a pattern. Overlapping patterns are not detected.
    public func claims(of manifest: ManifestFile) -> [Claim] {
        var rivals = [(manifests: shared, isPersonal: false)]
        if case .user(let uid) = manifest.owner { rivals.append((personalManifests(of: uid), true)) }
        return IdentityKey.allCases.flatMap { key in
            guard let value = manifest.identity[key] else { return [Claim]() }
            return rivals.compactMap { rival in
                let apps = rival.manifests.values.filter { other in
                    other.id != manifest.id
                        && other.identity[key].map { Self.overlap(key, (other.id, $0), (manifest.id, value)) } == true
                }
                let prevails = manifest.owner != .root && !rival.isPersonal
                return apps.isEmpty ? nil : Claim(key: key, apps: apps.map(\.id).sorted(), prevails: prevails)
            }
        }
    }

    private static func overlap(
        _ key: IdentityKey, _ one: (id: String, value: String), _ other: (id: String, value: String)
    ) -> Bool {
        if one.value == other.value { return true }
        guard key == .unit || key == .userUnit else { return false }
        if isInstance(other, of: one, key) || isInstance(one, of: other, key) { return true }
        let patterns = (UnitPattern(one.value), UnitPattern(other.value))
        return patterns.0.isName && patterns.1.fits(one.value) || patterns.1.isName && patterns.0.fits(other.value)
    }

    /// Whether a unit is an instance of a template and not named by the instance's own manifest.
    private static func isInstance(
        _ app: (id: String, value: String), of template: (id: String, value: String), _ key: IdentityKey
    ) -> Bool {
        guard AppName.isTemplate(template.id), let unit = UnitTemplate.split(app.value),
            unit.prefix == UnitTemplate(template.value, of: key)?.prefix
        else { return false }
        return app.id != template.id + unit.instance
    }

    /// Adds manifests as if they were installed, in place of those with the same id.
    mutating func suppose(_ manifests: [ManifestFile]) {
        for manifest in manifests {
            switch manifest.owner {
            case .root: shared[manifest.id] = manifest
            case .user(let uid):
                var layer =
                    personal[uid]
                    ?? Layer(manifests: [:], hidden: [], index: IdentityIndex([]), problems: [], unclear: [])
                layer.manifests[manifest.id] = manifest
                layer.hidden.insert(manifest.id)
                layer.index = IdentityIndex(layer.manifests.values)
                personal[uid] = layer
            }
        }
        index = IdentityIndex(shared.values)
    }

    /// Groups of keys of equal strength, strongest first.
    private static let proofs: [[IdentityKey]] = [[.socket], [.unit], [.userUnit, .flatpak], [.exec]]

    /// Whether a user's template does not apply to an instance, because the system has its id or the user has a file
    /// for the instance itself.
    private func hasOwnManifest(_ id: String, _ uid: UInt32) -> Bool {
        isSystems(id) || personal[uid]?.hidden.contains(id) == true
    }

    /// Whether a process is an instance of one of root's templates, with a name that is no valid app id. Such a process
    /// is no app, but does not count as one without a manifest either.
    public func isUnnamedInstance(_ evidence: PeerEvidence) -> Bool {
        [IdentityKey.unit, .userUnit].contains { key in
            guard let value = evidence.value(of: key) else { return false }
            return index.templates(key, value).contains { !AppName.isValid($0.template + $0.instance) }
        }
    }

    /// Why a process cannot be an instance of the template that it fits; nil if there is no objection.
    private func instanceObjection(_ evidence: PeerEvidence) -> String? {
        for layer in [index, personal[evidence.userID]?.index].compactMap({ $0 }) {
            for key in [IdentityKey.unit, .userUnit] {
                guard let value = evidence.value(of: key) else { continue }
                for (template, instance) in layer.templates(key, value) where !AppName.isValid(template + instance) {
                    return "the name of this instance of \(template) has something else than letters, digits, . _ and"
                        + " -, or is too long: give it another"
                }
            }
        }
        return nil
    }

    private func reason(_ evidence: PeerEvidence) -> String {
        var facts: [String] = []
        if let listener = evidence.listener { facts.append("socket \(listener)") }
        if let unit = evidence.systemUnit { facts.append("service \(unit)") }
        if let unit = evidence.userUnit { facts.append("the user's unit \(unit)") }
        switch evidence.program {
        case .file(let path): facts.append("program \(path)")
        case .unknown(let why): facts.append("its program \(why)")
        }
        if evidence.controlGroup == nil { facts.append("its control group may not be read") }
        let objection = instanceObjection(evidence).map { "; \($0)" } ?? ""
        return "no manifest is for this process (\(facts.joined(separator: ", ")))\(objection)"
    }
}

extension PeerEvidence {
    /// The process's value for a key of a manifest.
    func value(of key: IdentityKey) -> String? {
        switch key {
        case .socket: return listener
        case .unit: return systemUnit
        case .userUnit: return userUnit
        case .flatpak: return flatpakID
        case .exec:
            if case .file(let path) = program { return path }
            return nil
        }
    }
}

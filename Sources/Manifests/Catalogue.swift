import Platform

/// All manifests there are, and which of them a peer's process is.
public struct Catalogue: Sendable {
    /// Which app a peer is.
    public enum Match: Equatable, Sendable {
        /// The app of this id of the peer's user, and by what it is known.
        case app(id: String, by: IdentityKey)
        /// None, and why: a sentence that a person can act on.
        case unidentified(String)
        /// More than one, by the same kind of proof: no telling which.
        case ambiguous([String], by: IdentityKey)
    }

    /// The manifests of root's folders, by app id.
    public private(set) var shared: [String: ManifestFile] = [:]
    /// What is wrong with root's folders and files.
    public private(set) var sharedProblems: [FileProblem] = []
    private var index = IdentityIndex([])
    private var personal: [UInt32: Layer] = [:]

    /// One user's manifests.
    private struct Layer: Sendable {
        var manifests: [String: ManifestFile]
        /// The ids of those and of files that do not count.
        var hidden: Set<String>
        var index: IdentityIndex
        var problems: [FileProblem]
    }

    /// A catalogue without manifests.
    public init() {}

    /// Reads root's folders; of an app in more than one, the last counts. Users' manifests stay.
    public mutating func readShared(_ folders: [ManifestFolder] = ManifestFolder.machine) {
        var found: [String: ManifestFile] = [:]
        sharedProblems = []
        for folder in folders where folder.owner == .root {
            let contents = folder.read()
            sharedProblems += contents.problems
            for (id, manifest) in contents.manifests { found[id] = manifest }
        }
        shared = found
        index = IdentityIndex(found.values)
    }

    /// Reads a user's folder, whose manifests win over root's of the same id, for that user only.
    public mutating func readPersonal(_ folder: ManifestFolder) {
        guard case .user(let uid) = folder.owner else { return }
        let contents = folder.read()
        guard !contents.manifests.isEmpty || !contents.problems.isEmpty else {
            personal[uid] = nil
            return
        }
        let manifests = contents.manifests.compactMapValues { $0 }
        personal[uid] = Layer(
            manifests: manifests, hidden: Set(contents.manifests.keys), index: IdentityIndex(manifests.values),
            problems: contents.problems)
    }

    /// Lets go of a user's manifests, as when the last of the user's programs has left.
    public mutating func forgetPersonal(of uid: UInt32) { personal[uid] = nil }

    /// What is wrong with a user's folder and files.
    public func personalProblems(of uid: UInt32) -> [FileProblem] { personal[uid]?.problems ?? [] }

    /// A user's own manifests, by app id.
    public func personalManifests(of uid: UInt32) -> [String: ManifestFile] { personal[uid]?.manifests ?? [:] }

    /// The manifest of a user's app; nil where it has none.
    public func manifest(_ id: String, uid: UInt32) -> ManifestFile? {
        guard let layer = personal[uid], layer.hidden.contains(id) else { return shared[id] }
        return layer.manifests[id]
    }

    /// The app that a peer is: by the strongest proof of which there is any, root's manifests before the user's own.
    public func match(_ evidence: PeerEvidence) -> Match {
        for proof in Self.proofs {
            for (layer, isPersonal) in [(index, false), (personal[evidence.userID]?.index, true)] {
                guard let layer else { continue }
                var found: [(String, IdentityKey)] = []
                for key in proof {
                    guard let value = evidence.value(of: key) else { continue }
                    for id in layer.apps(key, value) where !found.contains(where: { $0.0 == id }) {
                        guard isPersonal || !isHidden(id, evidence.userID) else { continue }
                        found.append((id, key))
                    }
                }
                if found.count > 1, let key = found.first?.1 { return .ambiguous(found.map(\.0).sorted(), by: key) }
                if let (id, key) = found.first { return .app(id: id, by: key) }
            }
        }
        return .unidentified(reason(evidence))
    }

    /// The other apps that a manifest's processes would be as well, and by what: only the same values are seen, not
    /// patterns that fit in part.
    public func claims(of manifest: ManifestFile) -> [(key: IdentityKey, apps: [String])] {
        IdentityKey.allCases.compactMap { key in
            guard let value = manifest.identity[key] else { return nil }
            let same = shared.values.filter { $0.id != manifest.id && $0.identity[key] == value }.map(\.id)
            let fitting = key == .exec ? [] : index.apps(key, value).filter { $0 != manifest.id }
            let apps = Set(same + fitting).sorted()
            return apps.isEmpty ? nil : (key, apps)
        }
    }

    /// Keys of the same worth together, strongest first.
    private static let proofs: [[IdentityKey]] = [[.socket], [.unit], [.userUnit, .flatpak], [.exec]]

    private func isHidden(_ id: String, _ uid: UInt32) -> Bool { personal[uid]?.hidden.contains(id) ?? false }

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
        return "no manifest is for this process (\(facts.joined(separator: ", ")))"
    }
}

extension PeerEvidence {
    /// What of a process a key of a manifest is about.
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

import Authorization
import Containers
import Durations
import Glibc
import Manifests
import Platform
import Records

/// Who calls, and what it may use.
enum SyncCaller: Equatable {
    /// A program that is no app and has its user's rights, such as a shell.
    case person
    /// An app with the containers of its manifest.
    case app(id: String, containers: [ContainerName], ContainerEnvironment)
    /// Somebody else, with a sentence about the reason and the next step.
    case stranger(String)
}

/// Identifies callers by the same evidence and manifests as the daemon does.
@DaemonActor
final class CallerDirectory {
    private let folders: [ManifestFolder]
    private let personal: ManifestFolder?
    private let clock: any TimeSource
    private var catalogue = Catalogue()
    private var readAt: UInt64?

    /// How long the manifests are used before they are read again.
    private static let age = Duration.seconds(1)
    /// The same for a program that none of them fits.
    private static let leastAge = Duration.milliseconds(20)

    /// - Parameter servesPerson: Whether this program runs for one person, whose own manifests count then.
    init(folders: [ManifestFolder] = ManifestFolder.machine, servesPerson: Bool, clock: any TimeSource) {
        self.folders = folders
        self.clock = clock
        personal = servesPerson ? (try? ManifestFolder.personal(of: getuid())) ?? nil : nil
    }

    /// Who has made a connection.
    func caller(of peer: PeerIdentity) -> SyncCaller {
        guard let evidence = peer.evidence() else { return .stranger("The process that connected has ended.") }
        refresh(after: Self.age)
        if case .app = catalogue.match(evidence) { return Self.caller(evidence, catalogue, own: getuid()) }
        // Its manifest may just have been installed.
        refresh(after: Self.leastAge)
        return Self.caller(evidence, catalogue, own: getuid())
    }

    /// The apps of this machine that use containers, of root and of this user, in the order of their ids.
    func apps() -> [ManifestFile] {
        refresh(after: Self.age)
        return Self.apps(catalogue, own: getuid())
    }

    /// Those that may use a container.
    func apps(using container: Container) -> [ManifestFile] {
        apps().filter {
            $0.containers.contains(container.name.text)
                && $0.environment == container.environment
        }
    }

    /// The same in a catalogue, each with the containers that it may use.
    nonisolated static func apps(_ catalogue: Catalogue, own: uid_t) -> [ManifestFile] {
        (Array(catalogue.shared.values) + Array(catalogue.personalManifests(of: own).values)).map { manifest in
            var manifest = manifest
            manifest.containers = containers(of: manifest, catalogue)
            return manifest
        }.filter { !$0.containers.isEmpty && !AppName.isTemplate($0.id) }.sorted { $0.id < $1.id }
    }

    /// The containers of a manifest that its app may use.
    nonisolated private static func containers(of manifest: ManifestFile, _ catalogue: Catalogue) -> [String] {
        manifest.manifest.permittedContainers(
            isMachines: manifest.owner == .root, machines: catalogue.shared.values.lazy.map(\.manifest)
        ).map(\.name)
    }

    private func refresh(after age: Duration) {
        let now = clock.monotonicNanoseconds
        if let readAt, now < readAt.after(age) { return }
        readAt = now
        catalogue.readShared(folders)
        if let personal { catalogue.readPersonal(personal) }
    }

    /// Who a process is.
    /// - Parameter own: The user as whom this program runs.
    nonisolated static func caller(_ evidence: PeerEvidence, _ catalogue: Catalogue, own: uid_t) -> SyncCaller {
        switch catalogue.match(evidence) {
        case .app(let id, let proof):
            // A service of the system is identified by its unit or socket, whoever its user is.
            guard proof == .unit || proof == .socket || evidence.userID == own else {
                return .stranger("The app \(id) runs as another user than waymark-sync, and may not use this account.")
            }
            return app(id, evidence, catalogue)
        case .ambiguous(let ids, let key):
            return .stranger(
                "By \(key.rawValue)= this program could be any of the apps \(ids.joined(separator: ", ")): correct their"
                    + " manifests.")
        case .unidentified(let why):
            guard !evidence.isFlatpak, !catalogue.isUnnamedInstance(evidence) else {
                return .stranger("This program is no app: \(why). Give it a manifest with Containers=.")
            }
            guard evidence.userID == own || evidence.userID == 0 else {
                return .stranger(
                    "Only root, the user that waymark-sync runs as, and apps with a manifest may use this account: \(why)."
                )
            }
            return .person
        }
    }

    nonisolated private static func app(_ id: String, _ evidence: PeerEvidence, _ catalogue: Catalogue) -> SyncCaller {
        guard let manifest = catalogue.manifest(id, uid: evidence.userID) else {
            return .stranger("The manifest of the app \(id) cannot be read.")
        }
        let names = containers(of: manifest, catalogue)
        if names.isEmpty, let first = manifest.containers.first {
            return .stranger(
                "The container \(first) belongs to an app of the system, so that the app \(id) of a user's own"
                    + " manifest may not use it. Name another one in Containers=.")
        }
        let containers = names.compactMap(ContainerName.init)
        guard !containers.isEmpty else {
            return .stranger("The manifest of the app \(id) names no container. Add Containers= to \(manifest.path).")
        }
        return .app(id: id, containers: containers, manifest.environment)
    }
}

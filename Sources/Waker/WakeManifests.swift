import Authorization
import Manifests
import Platform

/// Which service starts an app, by the manifests as they are now: the daemon names the app only.
public struct WakeManifests: Sendable {
    /// The folders of the machine's manifests.
    private let folders: [ManifestFolder]
    /// The user whose apps are woken; nil for the apps of the machine.
    private let user: UInt32?

    /// The manifests for the apps of the machine, or of a user.
    public init(folders: [String], user: UInt32?) {
        self.folders = folders.map { ManifestFolder(path: $0, owner: .root) }
        self.user = user
    }

    /// The service of an app; nil if no manifest names one.
    ///
    /// For an app of the machine only a file counts that belongs to root, and only if it identifies the app as one of the
    /// machine: what a user's file names is never asked of the machine's service manager.
    func unit(of app: String) -> String? { units(of: [app])[app] }

    /// The services of some apps.
    func units(of apps: [String]) -> [String: String] {
        var catalogue = Catalogue()
        catalogue.readShared(folders)
        if let user {
            do throws(SystemError) {
                if let folder = try ManifestFolder.personal(of: user) { catalogue.readPersonal(folder) }
            } catch {
                Log.warning("the user's own manifests cannot be read: \(error)")
            }
        }
        var units: [String: String] = [:]
        for app in apps {
            guard let manifest = catalogue.manifest(app, uid: user ?? 0), let wake = manifest.wake,
                manifest.isSystems == (user == nil), user != nil || manifest.owner == .root
            else { continue }
            units[app] = wake.unit
        }
        return units
    }
}

extension ManifestFile {
    /// Whether the app is one of the machine.
    fileprivate var isSystems: Bool { identity.keys.contains(where: \.isRootsOnly) }
}

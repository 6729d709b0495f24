import Manifests
import Platform

/// Where users keep their own manifests: looked up on threads of their own, as the user database may be a directory
/// server that does not answer, and kept.
@DaemonActor
final class HomeFolders {
    /// Called when the answers for some users have come.
    var onAnswer: (@DaemonActor () -> Void)?
    private var known: [UInt32: ManifestFolder?] = [:]
    private var asking: Set<UInt32> = []
    private var waiting: [UInt32] = []

    /// How many look-ups run at once.
    private static let mostAtOnce = 4

    /// Whether a user's answer is known.
    func isKnown(_ uid: UInt32) -> Bool { known[uid] != nil }

    /// The folders that are known.
    var folders: [ManifestFolder] { known.values.compactMap { $0 } }

    /// The users whose answers are known.
    var users: Dictionary<UInt32, ManifestFolder?>.Keys { known.keys }

    /// Whether nothing is being looked up.
    var isIdle: Bool { asking.isEmpty && waiting.isEmpty }

    /// Looks a user up, unless that is known or under way.
    func ask(_ uid: UInt32) {
        guard known[uid] == nil, !asking.contains(uid), !waiting.contains(uid) else { return }
        waiting.append(uid)
        next()
    }

    /// Forgets a user's answer.
    func forget(_ uid: UInt32) { known[uid] = nil }

    /// Forgets the users who had no folder: they are looked up again when they are next wanted.
    func forgetMissing() { known = known.filter { $0.value != nil } }

    private func next() {
        while asking.count < Self.mostAtOnce, let uid = waiting.popLast() {
            asking.insert(uid)
            do throws(SystemError) {
                try DetachedThread.start(name: "home-folder") { [weak self] in
                    let folder = Self.lookUp(uid)
                    DaemonActor.post { [weak self] in self?.take(folder, of: uid) }
                }
            } catch {
                Log.error("the manifests of uid \(uid) do not count: \(error)")
                take(nil, of: uid)
            }
        }
    }

    private func take(_ folder: ManifestFolder?, of uid: UInt32) {
        asking.remove(uid)
        known[uid] = .some(folder)
        next()
        onAnswer?()
    }

    nonisolated private static func lookUp(_ uid: UInt32) -> ManifestFolder? {
        do throws(SystemError) { return try ManifestFolder.personal(of: uid) } catch {
            Log.warning("the manifests of uid \(uid) do not count until the configuration is read again: \(error)")
            return nil
        }
    }
}

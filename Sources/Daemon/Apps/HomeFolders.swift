import Manifests
import Platform

/// Where users keep their own manifests: looked up on threads of their own, as the user database may be a directory
/// server that does not answer, and kept.
///
/// Where the daemon may not look into homes, a `waymark-inspector` reads them on the same threads, and hands over a watch
/// by which it is noticed that they have changed and are to be read again.
@DaemonActor
final class HomeFolders {
    /// Called when the answers for some users have come, and when their manifests may be others.
    var onAnswer: (@DaemonActor () -> Void)?
    private let inspector: String?
    private var known: [UInt32: Home?] = [:]
    private var asking: Set<UInt32> = []
    private var waiting: [UInt32] = []
    private var changed: Set<UInt32> = []
    private var failed: Set<UInt32> = []
    private var quiet: TimerSource?
    private var retry: TimerSource?
    private var pause = DoublingPause(first: .seconds(1), longest: .seconds(60))

    /// How many look-ups run at once.
    private static let mostAtOnce = 4
    /// Changes that follow each other soon are one.
    private static let quietPeriod = Duration.milliseconds(100)

    /// A user's folder.
    private struct Home {
        var folder: ManifestFolder
        /// What a `waymark-inspector` has read; nil where the folder is read here.
        var contents: ManifestFolder.Contents?
        var watch: HomeWatch?
    }

    /// What a look-up brings.
    private struct Answer: Sendable {
        var folder: ManifestFolder
        var manifests: PersonalManifests?
        var hasFailed = false
    }

    /// Reads here, or at this socket has read.
    init(inspector: String? = nil) {
        self.inspector = inspector
    }

    /// Whether a user's answer is known.
    func isKnown(_ uid: UInt32) -> Bool { known[uid] != nil }

    /// The folders that are to be read and watched here.
    var folders: [ManifestFolder] { known.values.compactMap { $0 }.filter { $0.contents == nil }.map(\.folder) }

    /// What was read elsewhere.
    var inspected: [(folder: ManifestFolder, contents: ManifestFolder.Contents)] {
        known.values.compactMap { home in
            guard let home, let contents = home.contents else { return nil }
            return (home.folder, contents)
        }
    }

    /// The users whose answers are known.
    var users: [UInt32] { Array(known.keys) }

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

    /// Forgets the users who had no folder: they are looked up again when they are next wanted. What was read elsewhere is
    /// read again.
    func refresh() {
        known = known.filter { $0.value != nil }
        for (uid, home) in known where home?.contents != nil { askAgain(uid) }
    }

    private func askAgain(_ uid: UInt32) {
        // What is under way may have seen what was before.
        guard !asking.contains(uid) else { return note(uid) }
        guard !waiting.contains(uid) else { return }
        waiting.append(uid)
        next()
    }

    private func next() {
        while asking.count < Self.mostAtOnce, let uid = waiting.popLast() {
            asking.insert(uid)
            do throws(SystemError) {
                try DetachedThread.start(name: "home-folder") { [weak self, inspector] in
                    let answer = Self.lookUp(uid, inspector)
                    DaemonActor.post { [weak self] in self?.take(answer, of: uid) }
                }
            } catch {
                Log.error("the manifests of uid \(uid) do not count: \(error)")
                take(nil, of: uid)
            }
        }
    }

    private func take(_ answer: Answer?, of uid: UInt32) {
        asking.remove(uid)
        if answer?.hasFailed == true {
            // What was known before holds until it is known better.
            if known[uid] == nil { known[uid] = .some(nil) }
            failed.insert(uid)
            tryAgain()
        } else {
            failed.remove(uid)
            if failed.isEmpty { pause.reset() }
            known[uid] = .some(answer.map { home($0, uid) })
        }
        next()
        onAnswer?()
    }

    private func home(_ answer: Answer, _ uid: UInt32) -> Home {
        var home = Home(folder: answer.folder, contents: answer.manifests?.contents)
        guard let watch = answer.manifests?.watch else { return home }
        do throws(SystemError) {
            home.watch = try HomeWatch(watch) { [weak self] in self?.note(uid) }
        } catch {
            Log.error("changes of the manifests of uid \(uid) are not noticed: \(error)")
        }
        return home
    }

    // Again

    private func note(_ uid: UInt32) {
        changed.insert(uid)
        do throws(SystemError) {
            if quiet == nil {
                quiet = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.readChanged() }
            }
            quiet?.arm(after: Self.quietPeriod)
        } catch {
            Log.error("changed manifests are not read: \(error)")
        }
    }

    private func readChanged() {
        let users = changed
        changed = []
        for uid in users where known[uid] != nil { askAgain(uid) }
    }

    private func tryAgain() {
        do throws(SystemError) {
            if retry == nil {
                retry = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in
                    guard let self else { return }
                    for uid in failed where known[uid] != nil { askAgain(uid) }
                    failed = []
                }
            }
            retry?.arm(after: pause.next())
        } catch {
            Log.error("manifests that could not be read are not read again: \(error)")
        }
    }

    nonisolated private static func lookUp(_ uid: UInt32, _ inspector: String?) -> Answer? {
        let folder: ManifestFolder
        do throws(SystemError) {
            guard let found = try ManifestFolder.personal(of: uid) else { return nil }
            folder = found
        } catch {
            Log.warning("the manifests of uid \(uid) do not count until the configuration is read again: \(error)")
            return nil
        }
        guard let inspector else { return Answer(folder: folder) }
        do throws(SystemError) {
            let manifests = try PersonalManifests(of: folder, user: uid, askingAt: inspector)
            return Answer(folder: folder, manifests: manifests)
        } catch {
            Log.warning("the manifests of uid \(uid) cannot be read for now: \(error)")
            return Answer(folder: folder, hasFailed: true)
        }
    }
}

/// Tells once that something in a folder may have changed, by a watch that was handed over.
@DaemonActor
private final class HomeWatch {
    private let paths: WatchedPaths
    private var source: IOSource?

    init(_ watch: PersonalManifests.Watch, changed: @escaping @DaemonActor () -> Void) throws(SystemError) {
        paths = WatchedPaths(adopting: OwnedDescriptor(adopting: watch.descriptor), interests: watch.interests)
        source = try IOSource(paths.number, .readable) { [weak self] _ in
            guard let events = self?.paths.readEvents(), events.areOfInterest else { return }
            // Whoever is told reads again and gets another watch.
            self?.source?.cancel()
            changed()
        }
    }

    // Before the descriptor is closed.
    isolated deinit {
        source?.cancel()
    }
}

import Accounts
import Glibc
import Manifests
import Platform

/// The manifests in users' home folders. They are found, read and watched on separate threads, because the user
/// database may be a directory server that does not respond, and a home may be on a disk that does not respond either.
/// `AccountQueue` orders the reads. Users in `/etc/passwd` have threads of their own, so that no such server delays
/// them, and the user ids of one account can occupy only some of the other threads.
///
/// If the daemon may not read homes, a `waymark-inspector` reads them, called from the same threads. In both cases, a
/// watch reports that a home has changed. Only that home is then read again, at the intervals of `RereadSchedule`.
@DaemonActor
final class HomeFolders {
    /// The library that the manifests are for.
    weak var library: ManifestLibrary?
    /// Whether manifests are read. If they are disabled, only the age of each home is determined, and homes are not
    /// watched.
    var readsManifests = true {
        didSet { if readsManifests != oldValue { for uid in users { forget(uid) } } }
    }
    private let accounts: UserAccounts
    private let inspector: String?
    private let texts: TextFile
    private let clock: any TimeSource
    private let folder: @Sendable (UInt32) throws(SystemError) -> ManifestFolder?
    private var known: [UInt32: Home?] = [:]
    /// The users whose homes are to be read. Those of whom nothing is known yet come first.
    private var queue = AccountQueue(mostKnown: 4, mostWaiting: 4_096)
    private var schedule = RereadSchedule()
    private var failed: Set<UInt32> = []
    /// The users who were forgotten while their homes were being read: the result may be an earlier account's.
    private var outdated: Set<UInt32> = []
    private var timer: TimerSource?
    private var retry: TimerSource?
    private var pause = DoublingPause(first: .seconds(1), longest: .seconds(60))
    /// The number of homes read so far.
    private(set) var reads = 0
    /// How often there was no room for a user in the queue.
    private(set) var refusals = 0

    /// A user's manifest folder and its content.
    private struct Home {
        var folder: ManifestFolder
        var birth: Int64?
        var contents: ManifestFolder.Contents
        var watch: HomeWatch?
        var watchProblem: String?
    }

    /// The result of a read.
    private struct Answer: Sendable {
        /// The folder; nil if it was not found.
        var folder: ManifestFolder?
        var manifests: PersonalManifests?
        /// Whether the user database or the home could not be read.
        var hasFailed = false
        /// Whether manifests were enabled when the read started.
        var readsManifests: Bool
    }

    /// Reads homes directly, or through the inspector at this socket. The manifests' texts are stored in the file.
    /// `accounts` has the users who are found without a directory server. `folder` finds the folder of a user, by
    /// default with the user database.
    init(
        accounts: UserAccounts = UserAccounts(), inspector: String? = nil, texts: TextFile,
        clock: any TimeSource = SystemClock(),
        folder: @escaping @Sendable (UInt32) throws(SystemError) -> ManifestFolder? = { uid throws(SystemError) in
            try ManifestFolder.personal(of: uid)
        }
    ) {
        self.accounts = accounts
        self.inspector = inspector
        self.texts = texts
        self.clock = clock
        self.folder = folder
    }

    /// Whether a user's home was read.
    func isKnown(_ uid: UInt32) -> Bool { known[uid] != nil }

    /// The manifests in a user's home; nil if unknown or if there is no folder.
    func manifests(of uid: UInt32) -> (folder: ManifestFolder, contents: ManifestFolder.Contents)? {
        known[uid].flatMap { $0 }.map { ($0.folder, $0.contents) }
    }

    /// The birth time of a user's home in microseconds since 1970; nil if unknown.
    func birth(of uid: UInt32) -> Int64? { known[uid].flatMap { $0?.birth } }

    /// The users whose homes were read.
    var users: [UInt32] { Array(known.keys) }

    /// Why changes of some homes are not noticed; nil if all changes are.
    var watchProblem: String? {
        let problems = known.filter { $0.value?.watchProblem != nil }
        guard let first = problems.min(by: { $0.key < $1.key }), let problem = first.value?.watchProblem else {
            return nil
        }
        let more = problems.count > 1 ? " and \(problems.count - 1) more" : ""
        return "changes of users' own manifests are not noticed (uid \(first.key)\(more)): \(problem)"
    }

    /// Reads a user's home, unless it was read or is being read.
    func query(_ uid: UInt32) {
        guard known[uid] == nil else { return }
        add(uid)
    }

    /// Removes what is known of a user.
    func forget(_ uid: UInt32) {
        known[uid] = nil
        failed.remove(uid)
        schedule.forget(uid)
        if queue.isRunning(uid) { outdated.insert(uid) }
    }

    /// Removes the users without a folder, who are looked up again at the next need, and reads all other homes again.
    func refresh() {
        known = known.filter { $0.value != nil }
        for uid in known.keys { queryAgain(uid) }
    }

    private func queryAgain(_ uid: UInt32) {
        // A running read may have seen the state before the change.
        if queue.isRunning(uid) { note(uid) } else { add(uid) }
    }

    /// Queues a user, unless the user is queued or being looked up. If there is no room, it is tried again later.
    private func add(_ uid: UInt32) {
        guard queue.add(uid, isKnown: accounts.isLocal(uid), isRepeated: known[uid] != nil) else {
            refusals += 1
            return fail(uid)
        }
        next()
    }

    /// A user's home could not be read. Posted, because callers do not expect the result at once.
    private func fail(_ uid: UInt32) {
        let answer = Answer(hasFailed: true, readsManifests: readsManifests)
        DaemonActor.post { [weak self] in self?.handle(answer, of: uid) }
    }

    private func next() {
        while let uid = queue.next() {
            reads += 1
            do throws(SystemError) {
                try DetachedThread.start(name: "home-folder") { [weak self, folder, inspector, texts, readsManifests] in
                    var answer = Self.lookUp(uid, folder, inspector, readsManifests)
                    answer.manifests?.contents.moveTexts(to: texts)
                    // Reading a home needs much more memory than its result.
                    ResidentMemory.releaseFreedMemory()
                    DaemonActor.post { [weak self] in self?.handle(answer, of: uid) }
                }
            } catch {
                Log.error("the manifests of uid \(uid) cannot be read for now: \(error)")
                fail(uid)
            }
        }
    }

    private func handle(_ answer: Answer, of uid: UInt32) {
        queue.ended(uid)
        defer { next() }
        if outdated.remove(uid) != nil || answer.readsManifests != readsManifests {
            if let watch = answer.manifests?.watch { _ = close(watch.descriptor) }
            return add(uid)
        }
        let before = known[uid].flatMap { $0 }
        if answer.hasFailed {
            // The earlier content stays in force until a read succeeds.
            if known[uid] == nil { known[uid] = .some(nil) }
            tryAgain(uid)
        } else {
            let found = home(answer, uid)
            known[uid] = .some(found)
            if let problem = found?.watchProblem, before?.watchProblem == nil {
                Log.warning("changes of the manifests of uid \(uid) are not noticed: \(problem)")
            }
            if found?.watchProblem != nil || found?.contents.hasTexts == false {
                tryAgain(uid)
            } else {
                failed.remove(uid)
                if failed.isEmpty { pause.reset() }
            }
        }
        let after = known[uid].flatMap { $0 }
        let isOther = after?.folder != before?.folder || after?.contents != before?.contents
        // Unchanged manifests retain the texts that are in use already.
        if !isOther, var same = after, let before {
            same.contents = before.contents
            known[uid] = .some(same)
        }
        library?.homeRead(uid, isOther: isOther)
    }

    private func home(_ answer: Answer, _ uid: UInt32) -> Home? {
        guard let folder = answer.folder, let manifests = answer.manifests else { return nil }
        var home = Home(
            folder: folder, birth: manifests.homeBirth, contents: manifests.contents,
            watchProblem: manifests.watchProblem)
        guard let watch = manifests.watch else { return home }
        do throws(SystemError) {
            home.watch = try HomeWatch(watch) { [weak self] in self?.note(uid) }
        } catch {
            home.watchProblem = "\(error)"
        }
        return home
    }

    // Reading again

    private func note(_ uid: UInt32) {
        schedule.changed(uid, at: clock.monotonicNanoseconds)
        do throws(SystemError) {
            if timer == nil {
                timer = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.readChanged() }
            }
            if let next = schedule.next { timer?.arm(at: next) }
        } catch {
            Log.error("cannot set the timer to read changed manifests: \(error)")
        }
    }

    private func readChanged() {
        let users = schedule.removeDue(at: clock.monotonicNanoseconds)
        for uid in users where known[uid] != nil { queryAgain(uid) }
        if let next = schedule.next { timer?.arm(at: next) }
    }

    private func tryAgain(_ uid: UInt32) {
        failed.insert(uid)
        do throws(SystemError) {
            if retry == nil {
                retry = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in
                    guard let self else { return }
                    let users = failed
                    failed = []
                    for uid in users where known[uid] != nil { queryAgain(uid) }
                }
            }
            if retry?.isArmed == false { retry?.arm(after: pause.next()) }
        } catch {
            Log.error("cannot set the timer to read unreadable manifests again: \(error)")
        }
    }

    nonisolated private static func lookUp(
        _ uid: UInt32, _ find: (UInt32) throws(SystemError) -> ManifestFolder?, _ inspector: String?,
        _ readsManifests: Bool
    ) -> Answer {
        let folder: ManifestFolder
        do throws(SystemError) {
            guard let found = try find(uid) else { return Answer(readsManifests: readsManifests) }
            folder = found
        } catch {
            Log.warning("the manifests of uid \(uid) cannot be found for now: \(error)")
            return Answer(hasFailed: true, readsManifests: readsManifests)
        }
        guard let inspector else {
            let manifests =
                readsManifests
                ? PersonalManifests(reading: folder, of: uid) : PersonalManifests(ignoring: folder, of: uid)
            return Answer(folder: folder, manifests: manifests, readsManifests: readsManifests)
        }
        do throws(SystemError) {
            let manifests = try PersonalManifests(
                of: folder, user: uid, queryingAt: inspector, readsManifests: readsManifests)
            return Answer(folder: folder, manifests: manifests, readsManifests: readsManifests)
        } catch {
            let what =
                readsManifests ? "the manifests of uid \(uid) cannot be read" : "the home of uid \(uid) has no age"
            Log.warning("\(what) for now: \(error)")
            return Answer(folder: folder, hasFailed: true, readsManifests: readsManifests)
        }
    }
}

/// Reports once that something in a folder may have changed, by a watch that was received.
@DaemonActor
private final class HomeWatch {
    private let paths: WatchedPaths
    private var source: IOSource?

    init(_ watch: PersonalManifests.Watch, changed: @escaping @DaemonActor () -> Void) throws(SystemError) {
        paths = WatchedPaths(adopting: OwnedDescriptor(adopting: watch.descriptor), interests: watch.interests)
        source = try IOSource(paths.number, .readable) { [weak self] _ in
            guard let events = self?.paths.readEvents(), events.areOfInterest else { return }
            // The receiver of the report reads again and gets a new watch.
            self?.source?.cancel()
            changed()
        }
    }

    // The source ends before the descriptor is closed.
    isolated deinit {
        source?.cancel()
    }
}

import Glibc
import Manifests
import Platform

/// The manifests in users' homes: found, read and watched on threads of their own, as the user database may be a directory
/// server that does not answer and a home may be on a disk that does not either.
///
/// Where the daemon may not look into homes, a `waymark-inspector` reads them on the same threads. Either hands over a watch
/// by which it is noticed that a home is to be read again: that home alone, and not more often than `RereadSchedule` has it.
@DaemonActor
final class HomeFolders {
    /// Called when a user's answer has come, and whether the user's manifests are other ones than before.
    var onAnswer: (@DaemonActor (UInt32, _ isOther: Bool) -> Void)?
    /// Whether manifests are read; where they do not count, homes are only asked for their age, and not watched.
    var readsManifests = true {
        didSet { if readsManifests != oldValue { for uid in users { forget(uid) } } }
    }
    private let inspector: String?
    private let texts: TextFile
    private let clock: any TimeSource
    private var known: [UInt32: Home?] = [:]
    private var querying: Set<UInt32> = []
    /// The users whose manifests are not known yet, and those whose manifests are read again: after the others.
    private var waiting: [UInt32] = []
    private var waitingAgain: [UInt32] = []
    private var schedule = RereadSchedule()
    private var failed: Set<UInt32> = []
    private var timer: TimerSource?
    private var retry: TimerSource?
    private var pause = DoublingPause(first: .seconds(1), longest: .seconds(60))
    /// How many homes were read.
    private(set) var reads = 0

    /// How many look-ups run at once.
    private static let mostAtOnce = 4

    /// A user's folder, and what it has.
    private struct Home {
        var folder: ManifestFolder
        var birth: Int64?
        var contents: ManifestFolder.Contents
        var watch: HomeWatch?
        var watchProblem: String?
    }

    /// What a look-up brings.
    private struct Answer: Sendable {
        var folder: ManifestFolder
        var manifests: PersonalManifests?
        /// Whether manifests were wanted when it was asked for.
        var readsManifests: Bool
    }

    /// Reads here, or at this socket has read. Texts for people are put into the file.
    init(inspector: String? = nil, texts: TextFile, clock: any TimeSource = SystemClock()) {
        self.inspector = inspector
        self.texts = texts
        self.clock = clock
    }

    /// Whether a user's answer is known.
    func isKnown(_ uid: UInt32) -> Bool { known[uid] != nil }

    /// What a user's home has; nil where it is not known or has no folder.
    func manifests(of uid: UInt32) -> (folder: ManifestFolder, contents: ManifestFolder.Contents)? {
        known[uid].flatMap { $0 }.map { ($0.folder, $0.contents) }
    }

    /// When a user's home was made, in microseconds since 1970; nil where that is not known.
    func birth(of uid: UInt32) -> Int64? { known[uid].flatMap { $0?.birth } }

    /// The users whose answers are known.
    var users: [UInt32] { Array(known.keys) }

    /// Why changes of some homes are not noticed; nil where all are.
    var watchProblem: String? {
        let problems = known.filter { $0.value?.watchProblem != nil }
        guard let first = problems.min(by: { $0.key < $1.key }), let problem = first.value?.watchProblem else {
            return nil
        }
        let more = problems.count > 1 ? " and \(problems.count - 1) more" : ""
        return "changes of users' own manifests are not noticed (uid \(first.key)\(more)): \(problem)"
    }

    /// Looks a user up, unless that is known or under way.
    func query(_ uid: UInt32) {
        guard known[uid] == nil, !querying.contains(uid), !waiting.contains(uid) else { return }
        waiting.append(uid)
        next()
    }

    /// Forgets a user's answer.
    func forget(_ uid: UInt32) {
        known[uid] = nil
        failed.remove(uid)
        schedule.forget(uid)
    }

    /// Forgets the users who had no folder: they are looked up again when they are next wanted. What was read is read again.
    func refresh() {
        known = known.filter { $0.value != nil }
        for uid in known.keys { queryAgain(uid) }
    }

    private func queryAgain(_ uid: UInt32) {
        // What is under way may have seen what was before.
        guard !querying.contains(uid) else { return note(uid) }
        guard !waiting.contains(uid), !waitingAgain.contains(uid) else { return }
        waitingAgain.append(uid)
        next()
    }

    private func next() {
        while querying.count < Self.mostAtOnce, let uid = nextUser() {
            querying.insert(uid)
            reads += 1
            do throws(SystemError) {
                try DetachedThread.start(name: "home-folder") { [weak self, inspector, texts, readsManifests] in
                    var answer = Self.lookUp(uid, inspector, readsManifests)
                    answer?.manifests?.contents.moveTexts(to: texts)
                    // A home's files take much more memory while they are read than is kept of them.
                    ResidentMemory.releaseFreedMemory()
                    DaemonActor.post { [weak self] in self?.handle(answer, of: uid) }
                }
            } catch {
                Log.error("the manifests of uid \(uid) do not count: \(error)")
                handle(nil, of: uid)
            }
        }
    }

    private func nextUser() -> UInt32? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        return waitingAgain.isEmpty ? nil : waitingAgain.removeFirst()
    }

    private func handle(_ answer: Answer?, of uid: UInt32) {
        querying.remove(uid)
        defer { next() }
        if let answer, answer.readsManifests != readsManifests {
            if let watch = answer.manifests?.watch { _ = close(watch.descriptor) }
            return waiting.append(uid)
        }
        let before = known[uid].flatMap { $0 }
        if let answer, answer.manifests == nil {
            // What was known before holds until it is known better.
            if known[uid] == nil { known[uid] = .some(nil) }
            tryAgain(uid)
        } else {
            let found = answer.flatMap { home($0, uid) }
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
        // What is the same has its texts where they are used already.
        if !isOther, var same = after, let before {
            same.contents = before.contents
            known[uid] = .some(same)
        }
        onAnswer?(uid, isOther)
    }

    private func home(_ answer: Answer, _ uid: UInt32) -> Home? {
        guard let manifests = answer.manifests else { return nil }
        var home = Home(
            folder: answer.folder, birth: manifests.homeBirth, contents: manifests.contents,
            watchProblem: manifests.watchProblem)
        guard let watch = manifests.watch else { return home }
        do throws(SystemError) {
            home.watch = try HomeWatch(watch) { [weak self] in self?.note(uid) }
        } catch {
            home.watchProblem = "\(error)"
        }
        return home
    }

    // Again

    private func note(_ uid: UInt32) {
        schedule.changed(uid, at: clock.monotonicNanoseconds)
        do throws(SystemError) {
            if timer == nil {
                timer = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.readChanged() }
            }
            if let next = schedule.next { timer?.arm(at: next) }
        } catch {
            Log.error("changed manifests are not read: \(error)")
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
            Log.error("manifests that could not be read are not read again: \(error)")
        }
    }

    nonisolated private static func lookUp(_ uid: UInt32, _ inspector: String?, _ readsManifests: Bool) -> Answer? {
        let folder: ManifestFolder
        do throws(SystemError) {
            guard let found = try ManifestFolder.personal(of: uid) else { return nil }
            folder = found
        } catch {
            Log.warning("the manifests of uid \(uid) do not count until the configuration is read again: \(error)")
            return nil
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
            return Answer(folder: folder, readsManifests: readsManifests)
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

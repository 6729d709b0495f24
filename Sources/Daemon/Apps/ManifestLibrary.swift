import Accounts
import Authorization
import Configuration
import Manifests
import Platform

/// The present manifests and restrictions, as read from their folders.
@DaemonActor
final class ManifestLibrary {
    /// The manifests.
    private(set) var catalogue = Catalogue()
    /// Incremented with every change of the manifests.
    private(set) var generation: UInt64 = 1
    /// The restrictions set by root.
    private(set) var restrictions = RestrictionRules()
    private var settings: Settings.Authorization
    private let homes: HomeFolders
    private let changes: Changes
    private var machineWatch = FolderWatch()
    private var restrictionWatch = FolderWatch()
    private var reported: Set<String> = []

    /// The maximum number of users whose own manifests are stored.
    static let mostUsers = 1_024

    /// Reads the machine's manifests and the restrictions, and watches them from then on. `accounts` has the users
    /// whose homes are found without a directory server; `inspector` is the socket of the inspector that reads users'
    /// own manifests, if the daemon may not read them; `texts` is the file for their texts.
    init(
        _ settings: Settings.Authorization, accounts: UserAccounts, inspector: String? = nil,
        texts: TextFile = TextFile(directory: nil), changes: Changes
    ) {
        self.settings = settings
        self.changes = changes
        homes = HomeFolders(accounts: accounts, inspector: inspector, texts: texts)
        homes.readsManifests = settings.personalManifests != .no
        homes.library = self
        watch()
        readMachine()
        readRestrictions()
    }

    /// Applies new settings and reads everything again.
    func apply(_ settings: Settings.Authorization) {
        self.settings = settings
        let before = homes.users
        homes.readsManifests = settings.personalManifests != .no
        for uid in before { applyPersonal(of: uid) }
        homes.refresh()
        watch()
        readMachine()
        readRestrictions()
        manifestsChanged()
        changes.report(.restrictionsChanged)
        changes.report(.homesKnown)
    }

    /// Errors in files, each with its location, and failures to watch them.
    var problems: [String] { watchProblems + mistakes.map(\.description) }

    /// Why changes of files are not noticed.
    var watchProblems: [String] {
        [machineWatch, restrictionWatch].compactMap(\.problem) + (homes.watchProblem.map { [$0] } ?? [])
    }

    /// Errors in files.
    var mistakes: [FileProblem] {
        let personal = catalogue.personalUsers.sorted().flatMap { catalogue.personalProblems(of: $0) }
        return restrictions.problems + catalogue.sharedProblems + personal
    }

    // Users' own manifests

    /// Whether a user's home was read: for its manifests, if these are enabled, and for its age, which is not needed
    /// for root.
    func isReady(for uid: UInt32) -> Bool { homes.isKnown(uid) || uid == 0 && !homes.readsManifests }

    /// The birth time of a user's home in microseconds since 1970; nil if unknown.
    func homeBirth(of uid: UInt32) -> Int64? { homes.birth(of: uid) }

    /// Requests that a user's own manifests are read.
    func want(_ uid: UInt32) {
        guard !isReady(for: uid) else { return }
        homes.query(uid)
    }

    /// Removes users if there are too many, except those for whom the condition holds.
    func forgetUsers(unless isRetained: (UInt32) -> Bool) {
        guard homes.users.count >= Self.mostUsers else { return }
        for uid in homes.users where !isRetained(uid) {
            homes.forget(uid)
            catalogue.forgetPersonal(of: uid)
        }
    }

    /// Removes what was read of a user's home, because the user id may belong to another account from now on.
    func forget(_ uid: UInt32) {
        homes.forget(uid)
        catalogue.forgetPersonal(of: uid)
        manifestsChanged()
        changes.report(.homesKnown)
    }

    /// Called when the home of a user was read. `isOther` says whether the manifests in it differ from those that were read before.
    func homeRead(_ uid: UInt32, isOther: Bool) {
        changes.report(.homeExamined(uid))
        if isOther {
            applyPersonal(of: uid)
            manifestsChanged()
        }
        changes.report(.homesKnown)
    }

    private func applyPersonal(of uid: UInt32) {
        if settings.personalManifests != .no, let (folder, contents) = homes.manifests(of: uid) {
            catalogue.applyPersonal(contents, of: folder)
        } else {
            catalogue.forgetPersonal(of: uid)
        }
    }

    // Reading

    private func readMachine() {
        catalogue.readShared(settings.manifests.map { ManifestFolder(path: $0, owner: .root) })
    }

    private func readRestrictions() {
        restrictions = RestrictionRules(folder: settings.restrictions)
        notify(restrictions.problems)
    }

    private func manifestsChanged() {
        generation += 1
        let personal = catalogue.personalUsers.flatMap { catalogue.personalProblems(of: $0) }
        notify(catalogue.sharedProblems + personal)
        changes.report(.manifestsChanged)
    }

    /// Logs each problem once while it persists.
    private func notify(_ problems: [FileProblem]) {
        let texts = Set(problems.map(\.description))
        for text in texts.subtracting(reported).sorted().prefix(20) { Log.warning(text) }
        reported = reported.intersection(self.problems).union(texts)
    }

    // Watching

    private func watch() {
        machineWatch.watch(settings.manifests, "the manifests") { [weak self] in
            guard let self else { return }
            readMachine()
            manifestsChanged()
        }
        restrictionWatch.watch([settings.restrictions], "the restrictions") { [weak self] in
            guard let self else { return }
            readRestrictions()
            changes.report(.restrictionsChanged)
        }
    }
}

/// A watch of folders, or the reason why there is none.
@DaemonActor
private final class FolderWatch {
    private var folders: [String] = []
    private var watcher: DirectoryWatcher?
    /// Why changes are not noticed; nil if they are.
    private(set) var problem: String?

    /// Watches these folders in place of the former ones.
    func watch(_ folders: [String], _ what: String, _ changed: @escaping @DaemonActor () -> Void) {
        guard folders != self.folders || problem != nil else { return }
        watcher?.cancel()
        watcher = nil
        problem = nil
        self.folders = folders
        guard !folders.isEmpty else { return }
        do throws(SystemError) {
            watcher = try DirectoryWatcher(folders) { [weak self] _ in
                guard let self else { return }
                note(watcher?.problem, what)
                changed()
            }
            note(watcher?.problem, what)
        } catch {
            note("\(error)", what)
        }
    }

    private func note(_ reason: String?, _ what: String) {
        let text = reason.map { "changes of \(what) are not noticed: \($0)" }
        if let text, text != problem { Log.error(text) }
        problem = text
    }
}

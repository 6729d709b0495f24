import Authorization
import Glibc
import Interfaces
import Location
import Manifests
import Platform
import Records
import Storage
import SyncInterface
import Varlink

/// The alerts that the person is to be shown, and the file that says that there are some.
///
/// Whoever shows them reads the file's time instead of being connected: without alerts no program waits here. One announcement
/// follows another after a pause, so that many changes are a number and no flood.
@DaemonActor
final class AlertQueue {
    private let cache: SyncCache
    private let keys: FieldKeys
    private let directory: CallerDirectory
    /// The file that says that there are alerts; nil where nobody could show them.
    private let mark: String?
    private let clock: any TimeSource
    private var timer: TimerSource?
    /// The changes that were announced last, by the numbers of the alerts.
    private var announced: [Int64: Int64] = [:]
    private var announcedAt: UInt64?

    /// The pause between two announcements.
    static let pause = Duration.seconds(5)
    /// The age from which on an alert is not shown any more.
    static let longestAge: Int64 = 86_400 * 1_000_000

    init(
        _ cache: SyncCache, _ keys: FieldKeys, _ directory: CallerDirectory, mark: String?, clock: any TimeSource
    ) throws(SystemError) {
        self.cache = cache
        self.keys = keys
        self.directory = directory
        self.mark = mark
        self.clock = clock
        timer = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.update() }
    }

    /// Announces new alerts: everything was fetched, or settings have changed.
    func update() {
        do throws(StorageError) {
            try forgetFired()
            let due = try due()
            let counts = Dictionary(uniqueKeysWithValues: due.map { ($0.alert.number, $0.alert.count) })
            let new = due.filter { announced[$0.alert.number] ?? 0 < $0.alert.count }
            guard !new.isEmpty else {
                announced = counts
                if due.isEmpty { removeMark() }
                return
            }
            let now = clock.monotonicNanoseconds
            if let announcedAt, now < announcedAt.after(Self.pause) {
                timer?.arm(at: announcedAt.after(Self.pause))
                return
            }
            (announced, announcedAt) = (counts, now)
            for app in Set(new.map(\.app.id)).sorted() { Log.notice("an alert of \(app) is to be shown") }
            setMark()
        } catch {
            // A closed copy shows nothing; what is wrong with another one is reported where it is used.
            removeMark()
        }
    }

    private func forgetFired() throws(StorageError) {
        let containers = try cache.read { (tables) throws(StorageError) in try tables.containersWithFiredAlerts() }
        guard !containers.isEmpty else { return }
        try cache.write { (tables) throws(StorageError) in
            for container in containers { try tables.forgetFiredAlerts(in: container) }
        }
    }

    /// The alerts with their apps. Old ones are forgotten, and those that no app is to show.
    private func due() throws(StorageError) -> [(alert: PendingAlert, app: ManifestFile)] {
        guard try cache.read({ (tables) throws(StorageError) in try tables.hasAlerts() }) else { return [] }
        let now = clock.utcMicroseconds
        return try cache.write { (tables) throws(StorageError) in
            try tables.ageAlerts(at: now, before: now - Self.longestAge)
            let muted = try tables.mutedApps()
            var due: [(alert: PendingAlert, app: ManifestFile)] = []
            for alert in try tables.pendingAlerts() {
                let apps = directory.apps(using: alert.container).filter { !muted.contains($0.id) }
                if let app = apps.first(where: { alert.alert.isWritten(in: $0) }) ?? apps.first {
                    due.append((alert, app))
                } else {
                    try tables.removeAlert(alert.number)
                }
            }
            return due
        }
    }

    /// What the person is to be shown.
    func alerts() throws(StorageError) -> [SyncInterface.Alert] {
        try due().map { alert, app in
            let values =
                alert.record.flatMap { record in
                    alert.zone.map { keys.opened(record.fields, of: record.name, in: $0) }
                } ?? [:]
            func text(_ text: SubscriptionAlert.Text?) -> SyncInterface.AlertText? {
                guard let text else { return nil }
                if let found = text.key.flatMap({ app.alertTexts[$0.text] }) {
                    return .init(
                        text: found.text, translations: found.map,
                        arguments: text.arguments.map { AlertArgument.text(values[$0]) })
                }
                // A percent sign of a text for everybody stands for itself.
                return text.text.map {
                    .init(text: $0.replacing("%", with: "%%"), translations: VarlinkMap(), arguments: [])
                }
            }
            return SyncInterface.Alert(
                number: alert.number, app: app.id, name: app.name.text, names: app.name.map,
                container: alert.container.name.text, environment: alert.container.environment.rawValue,
                database: alert.database, subscription: alert.name, title: text(alert.alert.title),
                body: text(alert.alert.body), count: alert.count, time: alert.time)
        }
    }

    /// Notes that the person was shown an alert with so many changes.
    func acknowledge(_ number: Int64, _ count: Int64) throws(StorageError) {
        try cache.write { (tables) throws(StorageError) in try tables.acknowledgeAlert(number, count) }
        if let known = announced[number] { announced[number] = max(0, known - count) }
        update()
    }

    /// The apps that use containers, and whether the person wants their alerts.
    func apps() throws(StorageError) -> [SyncInterface.AlertApp] {
        let muted = try cache.read { (tables) throws(StorageError) in try tables.mutedApps() }
        return directory.apps().map { app in
            SyncInterface.AlertApp(
                app: app.id, name: app.name.text, names: app.name.map, containers: app.containers,
                allowed: !muted.contains(app.id))
        }
    }

    /// Whether this machine has an app of this name that uses containers, or had one whose alerts are not wanted.
    func knows(_ app: String) throws(StorageError) -> Bool {
        let muted = try cache.read { (tables) throws(StorageError) in try tables.mutedApps() }
        return muted.contains(app) || directory.apps().contains { $0.id == app }
    }

    /// Stores whether the person wants the alerts of an app.
    func allow(_ app: String, _ isAllowed: Bool) throws(StorageError) {
        try cache.write { (tables) throws(StorageError) in try tables.mute(app, !isAllowed) }
        update()
    }

    // The file

    private func setMark() {
        guard let mark else { return }
        let descriptor = open(mark, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            return Log.warning("alerts are not announced: \(SystemError("write", subject: mark))")
        }
        // Closing a file that was open for writing is what inotify(7) reports, also of an empty one.
        close(descriptor)
    }

    /// Removes the file: there is nothing to show, or this program ends.
    func removeMark() {
        if let mark { unlink(mark) }
    }
}

extension SubscriptionAlert {
    /// Whether an app's manifest has all of the texts.
    fileprivate func isWritten(in app: ManifestFile) -> Bool {
        [title, body].compactMap { $0?.key }.allSatisfy { app.alertTexts[$0.text] != nil }
    }
}

extension LocalizedText {
    /// The translations by locale.
    fileprivate var map: VarlinkMap<String> { TranslatedText(text, translations: translations).translationMap }
}

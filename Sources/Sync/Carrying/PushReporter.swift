import Durations
import Interfaces
import Platform
import Storage
import Varlink

/// Reports to the daemon which containers have changes from the hub, so that it wakes the apps that synchronize them.
///
/// The copy says which reports are owed, so that none is lost with this program or with the daemon: a report that has failed is
/// repeated, and one whose reply was lost is an event of its own at most.
@DaemonActor
final class PushReporter {
    private let cache: SyncCache
    private let socket: String
    private let clock: any TimeSource
    private var client: LoopClient?
    private var retry: TimerSource?
    private var pause = DoublingPause(first: .milliseconds(500), longest: .seconds(60))
    private var isReporting = false
    private var hasFailed = false

    /// How long the daemon may take for a reply.
    private static let patience = Duration.seconds(60)

    init(_ cache: SyncCache, socket: String, clock: any TimeSource) throws(SystemError) {
        self.cache = cache
        self.socket = socket
        self.clock = clock
        retry = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.report() }
    }

    /// Reports what is owed now. Without anything there is no connection, and no timer.
    func report() {
        guard !isReporting, cache.obstacle == nil else { return }
        do throws(StorageError) {
            let owed = try cache.read { (tables) throws(StorageError) in try tables.owedReports() }
            guard let first = owed.first else {
                client?.close()
                client = nil
                retry?.disarm()
                return
            }
            send(first)
        } catch {
            failed("the copy cannot be read: \(error)")
        }
    }

    private func send(_ report: OwedReport) {
        do throws(VarlinkError) {
            let client = if let client, client.isOpen { client } else { try LoopClient(path: socket, clock: clock) }
            self.client = client
            isReporting = true
            let method = WakingInterface.ReportPush(
                container: report.container.name.text,
                environment: .init(rawValue: report.container.environment.rawValue),
                subscriptions: report.fired.isEmpty
                    ? nil : report.fired.map { .init(database: $0.database.rawValue, name: $0.name) })
            client.call(method, timeout: Self.patience) { [weak self] result in
                guard let self else { return }
                isReporting = false
                switch result {
                case .success: received(report)
                case .failure(let error): failed("\(error)")
                }
            }
        } catch {
            failed("\(error)")
        }
    }

    private func received(_ report: OwedReport) {
        do throws(StorageError) {
            try cache.write { (tables) throws(StorageError) in try tables.settle(report) }
        } catch { return failed("the copy cannot be written: \(error)") }
        if hasFailed { Log.notice("the daemon receives pushes again") }
        hasFailed = false
        pause.reset()
        self.report()
    }

    private func failed(_ why: String) {
        client?.close()
        client = nil
        if !hasFailed { Log.warning("the daemon does not receive pushes, so that no app is woken yet: \(why)") }
        hasFailed = true
        retry?.arm(after: pause.next())
    }
}

import Agent
import Durations
import Glibc
import Location
import Platform
import SyncInterface
import Varlink

/// The alerts that `waymark-sync` has for this person.
///
/// They are read when the file that announces them is written, over a connection of its own each time: without alerts
/// `waymark-sync` neither starts nor goes on for the agent.
final class AlertInbox {
    private let socket: String
    private let mark: String
    private let clock: any TimeSource
    private var watch: WatchedPaths?
    /// Whether there may be alerts that were not read yet.
    private var isDue = true
    private var retry = Retry()

    /// The time within which `waymark-sync` has to reply: prompts wait meanwhile.
    private static let patience = Duration.seconds(2)

    /// The alerts at the person's socket.
    init(socket: String = SyncInterface.defaultSocket, clock: any TimeSource) {
        self.socket = socket
        self.clock = clock
        mark = SyncInterface.alertMark(of: socket)
        // Without inotify(7) alerts are read when the agent is started, and with each further one that is shown.
        do throws(SystemError) {
            watch = try WatchedPaths([String(mark[..<(mark.lastIndex(of: "/") ?? mark.endIndex)])])
        } catch { watch = nil }
    }

    /// What becomes readable when alerts are announced; nil for none.
    var descriptor: Int32? { watch?.number }

    /// The instant at which `alerts` is to be called, in nanoseconds of the monotonic clock; nil for none.
    var deadline: UInt64? { isDue ? retry.instant : nil }

    /// Alerts are read also without a further announcement: an earlier notification service may have shown none.
    func readAgain() { isDue = true }

    /// Alerts are read again after a pause: one could not be shown.
    func readLater() {
        isDue = true
        retry.failed(at: clock.monotonicNanoseconds)
    }

    /// The alerts to show; empty if there are none, or they cannot be read now.
    func alerts() -> [AlertNotice] {
        if let watch, watch.readEvents().areOfInterest {
            // The folder may have been made just now.
            do throws(SystemError) { try watch.renew() } catch { Log.debug("\(error)") }
            isDue = true
        }
        guard isDue, retry.instant <= clock.monotonicNanoseconds else { return [] }
        guard access(mark, F_OK) == 0 else {
            isDue = false
            return []
        }
        do throws(VarlinkError) {
            let reply = try call(SyncInterface.GetAlerts())
            (isDue, retry) = (false, Retry())
            return reply.alerts.map { AlertNotice($0) }
        } catch {
            // The copy is closed, or the program is being started: the file remains as long as there are alerts.
            readLater()
            return []
        }
    }

    /// Notes that so many changes of an alert were shown. If that fails, they are shown once more.
    func acknowledge(_ number: Int64, _ count: Int64) {
        do throws(VarlinkError) {
            _ = try call(SyncInterface.AcknowledgeAlert(number: number, count: count))
        } catch { readLater() }
    }

    private func call<Method: VarlinkMethod>(_ method: Method) throws(VarlinkError) -> Method.Reply {
        try Client(path: socket, timeout: Self.patience).call(method, timeout: Self.patience)
    }
}

extension AlertNotice {
    /// An alert of `waymark-sync`.
    init(_ alert: SyncInterface.Alert) {
        func text(_ text: SyncInterface.AlertText?) -> Text? {
            text.map { Text(TranslatedText($0.text, translations: $0.translations), $0.arguments) }
        }
        self.init(
            number: alert.number, app: alert.app, name: TranslatedText(alert.name, translations: alert.names),
            subscription: [alert.environment, alert.container, alert.database, alert.subscription]
                .joined(separator: "/"),
            title: text(alert.title), body: text(alert.body), count: alert.count)
    }
}

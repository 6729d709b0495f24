import Durations
import Platform
import Records

/// What other hubs of the database notify this one of: devices for which they have stored a push, or which they have removed.
/// A connection of its own, which is watched by the event loop and made anew when it breaks.
@DaemonActor
public final class DeviceNotices {
    private enum State {
        /// Waits before it connects.
        case pausing
        /// A thread of its own connects.
        case connecting
        case listening(ListeningSession, DuplicateIOSource)
    }

    private let address: String
    private let own: BackendNumber
    private var state = State.pausing
    private var timer: TimerSource?
    /// The time until the next look at whether programs were lost.
    private var inspection: TimerSource?
    /// How many programs were lost so far; nil before this was read.
    private var lostPrograms: String?
    private var pause = DeviceNotices.shortestPause
    /// Called for a device of which another hub has notified this one.
    public var notify: (@DaemonActor (AccountDevice) -> Void)?
    /// Called when notifications may have been lost: once this hub listens, at first and after each new connection, and after
    /// another program that used the database was killed or its machine was lost.
    public var resume: (@DaemonActor () -> Void)?
    /// Called with the reason when the connection is lost or cannot be made, once until it is there again.
    public var report: (@DaemonActor (EngineFailure) -> Void)?
    private var isReported = false

    /// A hub that is killed after a commit and before it has notified the others of it is noticed within this time.
    private static let inspectionInterval = Duration.seconds(1)
    private static let shortestPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)

    /// The notifications of others than the hub whose engine has this process of the server, from `start` on.
    public init(_ address: String, except backend: BackendNumber) throws(SystemError) {
        self.address = address
        own = backend
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.connect() }
        inspection = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.inspect() }
    }

    /// Begins to listen.
    public func start() { connect() }

    /// Connects on a thread of its own: libpq resolves names synchronously, which may take as long as the name servers do not
    /// reply. There is one such thread at a time, and it ends when the server has answered or a timeout has passed.
    private func connect() {
        guard case .pausing = state else { return }
        state = .connecting
        do throws(SystemError) {
            try DetachedThread.start(name: "notices") { [weak self, address] in
                let result: Result<ListeningSession, PostgreSQLError>
                do throws(PostgreSQLError) {
                    result = .success(try ListeningSession(address))
                } catch {
                    result = .failure(error)
                }
                DaemonActor.post { self?.finish(result) }
            }
        } catch {
            fail("\(error)")
        }
    }

    private func finish(_ result: Result<ListeningSession, PostgreSQLError>) {
        switch result {
        case .success(let session):
            do throws(SystemError) {
                let source = try DuplicateIOSource(session.socket, .readable) { [weak self] _ in self?.receive() }
                state = .listening(session, source)
            } catch {
                return fail("\(error)")
            }
            pause = Self.shortestPause
            isReported = false
            lostPrograms = nil
            inspect()
            resume?()
            // Some may have arrived with the answer to LISTEN.
            receive()
        case .failure(let error): fail(error.message)
        }
    }

    private func receive() {
        guard case .listening(let session, _) = state else { return }
        guard session.receive() else { return fail(session.message) }
        for device in session.devices(except: own.number) { notify?(device) }
        guard let lost = session.nextText() else { return }
        inspection?.arm(after: Self.inspectionInterval)
        let isMore = lostPrograms != nil && lostPrograms != lost
        lostPrograms = lost
        if isMore { resume?() }
    }

    /// Sends the question how many programs were lost. The answer is received as a notification is.
    private func inspect() {
        guard case .listening(let session, _) = state else { return }
        if !session.countLostPrograms() { fail(session.message) }
    }

    private func fail(_ message: String) {
        if case .listening(_, let source) = state { source.cancel() }
        state = .pausing
        inspection?.disarm()
        timer?.arm(after: pause)
        pause = min(pause * 2, Self.longestPause)
        guard !isReported else { return }
        isReported = true
        report?(EngineFailure(PostgreSQLError("receive notifications of other hubs", message)))
    }
}

/// A connection that receives notifications.
private final class ListeningSession: @unchecked Sendable {
    // One thread at a time uses it: the one that connects, and then that of the event loop.
    private let session: PostgreSQLSession

    /// Connects and listens, which blocks.
    init(_ address: String) throws(PostgreSQLError) {
        session = try PostgreSQLSession(address)
        try session.execute(RecordStatement.listen, as: "receive notifications of other hubs")
    }

    var socket: Int32 { session.socket }
    var message: String { session.message }

    /// Reads what has arrived, without waiting; false if the connection is lost.
    func receive() -> Bool { session.receive() }
    /// Sends a statement that counts lost programs; false if the connection is lost.
    func countLostPrograms() -> Bool { session.send(RecordStatement.countLostPrograms) }
    /// The count, once it has arrived.
    func nextText() -> String? { session.nextText() }

    /// The devices of the notifications that have arrived, but not those of one process of the server.
    func devices(except process: Int32) -> Set<AccountDevice> {
        var devices: Set<AccountDevice> = []
        while let notice = session.nextNotice() {
            guard notice.process != process else { continue }
            let parts = notice.text.split(separator: "/")
            guard parts.count == 2, let account = AccountID(String(parts[0])), let device = DeviceID(String(parts[1]))
            else { continue }
            devices.insert(AccountDevice(account, device))
        }
        return devices
    }
}

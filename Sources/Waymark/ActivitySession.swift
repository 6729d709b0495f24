import Glibc
import Interfaces
import Location
import Platform
import Synchronization
import Varlink

/// Declares to the daemon whether the person is using the app, for as long as the object exists.
///
///     let session = ActivitySession(.active)
///     session.setActivity(.background)
///
/// Core Location observes whether an app is in use. Waymark cannot, so the app declares it. Without a session, an app
/// counts as in the background, and an app that is authorized while in use receives no positions. If a process has
/// several sessions, the most active one counts. A session has a connection and a thread of its own, and declares its
/// activity again when the daemon was restarted. It ends with `invalidate()` or with the object; the app then counts as
/// in the background.
public final class ActivitySession: Sendable {
    /// Whether the daemon has the declaration.
    public enum State: Equatable, Sendable {
        /// It does not, or no longer. The error of the last attempt, nil before the first. The attempts continue until
        /// one succeeds.
        case connecting(after: WaymarkError?)
        /// It has this declaration, and replied with this authorization.
        case declared(Activity, AppAuthorization)
        /// The session was invalidated.
        case ended
    }

    private let declaration: Declaration

    /// Declares this activity.
    public init(_ activity: Activity = .active, client: WaymarkClient = WaymarkClient()) {
        declaration = Declaration(activity, client)
        declaration.start()
    }

    deinit { declaration.end() }

    /// The declared activity.
    public var activity: Activity { declaration.activity }

    /// Declares another activity. Returns at once; the calls take effect in their order.
    public func setActivity(_ activity: Activity) { declaration.declare(activity) }

    /// Ends the session permanently.
    public func invalidate() { declaration.end() }

    /// Whether the daemon has the declaration now.
    public var state: State { declaration.board.state }

    /// The present state and the following ones, up to `ended`. Only the newest is buffered for a slow reader.
    public func states() -> AsyncStream<State> { declaration.board.states() }

    /// Waits until the daemon has the present `activity`, and returns its reply. Calls that depend on the activity,
    /// such as authorization requests, can be made after that.
    ///
    /// - Throws: The `WaymarkError` of a failed call to the daemon, although the attempts continue; `CancellationError`
    ///   if the task is cancelled or the session has ended.
    public func declared() async throws -> AppAuthorization {
        for await state in states() {
            switch state {
            case .declared(activity, let authorization): return authorization
            case .connecting(let error?): throw error
            default: break
            }
        }
        throw CancellationError()
    }
}

/// The thread of a session.
private final class Declaration: Sendable {
    let board = StateBoard<ActivitySession.State>(.connecting(after: nil))
    private let client: WaymarkClient
    private let wanted: Mutex<(activity: Activity, isOver: Bool)>
    private let changed = WakeDescriptor()

    init(_ activity: Activity, _ client: WaymarkClient) {
        self.client = client
        wanted = Mutex((activity, false))
    }

    var activity: Activity { wanted.withLock { $0.activity } }
    private var isOver: Bool { wanted.withLock { $0.isOver } }

    func declare(_ activity: Activity) {
        wanted.withLock { $0.activity = activity }
        changed.signal()
    }

    func end() {
        wanted.withLock { $0.isOver = true }
        changed.signal()
    }

    func start() {
        do throws(SystemError) {
            try DetachedThread.start(name: "waymark-session") { [self] in run() }
        } catch {
            board.set(.connecting(after: WaymarkError(.system(error), socketPath: client.socketPath)))
        }
    }

    private func run() {
        // A restarted daemon is usually available again at the first or second attempt.
        var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(5))
        while !isOver {
            do throws(WaymarkError) { try hold() } catch {
                if case .declared = board.state { pause.reset() }
                board.set(.connecting(after: error))
                wait(for: pause.next())
            }
        }
        board.set(.ended, isFinal: true)
    }

    /// Connects and declares the activity, now and after each change, until the session or the connection ends.
    private func hold() throws(WaymarkError) {
        do throws(VarlinkError) {
            let connection = try client.connect()
            var declared: Activity?
            while !isOver {
                let activity = activity
                if activity != declared {
                    let authorization = try declare(activity, on: connection)
                    declared = activity
                    board.set(.declared(activity, authorization))
                }
                // The daemon sends nothing without a call, so a readable socket means that the connection has ended.
                if try connection.waitReadable(alsoWatching: [changed.number]) == .reply { throw .closed }
                changed.clear()
            }
        } catch {
            throw client.explained(error)
        }
    }

    private func declare(
        _ activity: Activity, on connection: Client
    ) throws(VarlinkError) -> AppAuthorization {
        let request = LocationInterface.SetActivity(activity: activity)
        return try connection.call(request, timeout: .seconds(WaymarkClient.answerTime)).authorization
    }

    /// Waits for this time, or until another activity is declared.
    private func wait(for pause: Duration) {
        do throws(SystemError) {
            if try !PollDeadline(after: pause).wait(for: [(changed.number, POLLIN)]).isEmpty { changed.clear() }
        } catch {
            board.set(.connecting(after: WaymarkError(.system(error), socketPath: client.socketPath)))
        }
    }
}

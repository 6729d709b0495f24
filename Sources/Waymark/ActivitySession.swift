import Glibc
import Interfaces
import Location
import Platform
import Synchronization
import Varlink

/// Says what the person does with the app, for as long as the object lives.
///
///     let session = ActivitySession(.active)
///     session.setActivity(.background)
///
/// Core Location finds out by itself whether an app is in use. Here nobody can, so the app says it: without a
/// session it counts as in the background, and who may have positions while in use gets none. A process counts as the
/// liveliest of its sessions. The session has a connection and a thread of its own; when the daemon was restarted, it says
/// the same again. It ends with `invalidate()` or with the object, and the app then counts as in the background.
public final class ActivitySession: Sendable {
    /// How far the daemon knows.
    public enum State: Equatable, Sendable {
        /// It does not know yet, or not any more: what the last attempt failed with, nil before the first. It is tried
        /// again until it succeeds.
        case connecting(after: WaymarkError?)
        /// It knows of this activity; what it answered.
        case declared(Activity, AppAuthorization)
        /// The session was invalidated.
        case ended
    }

    private let declaration: Declaration

    /// Begins to say that the person does this with the app.
    public init(_ activity: Activity = .active, client: WaymarkClient = WaymarkClient()) {
        declaration = Declaration(activity, client)
        declaration.start()
    }

    deinit { declaration.end() }

    /// What is said.
    public var activity: Activity { declaration.activity }

    /// Says something else from now on. Returns at once; calls take effect in their order.
    public func setActivity(_ activity: Activity) { declaration.declare(activity) }

    /// Ends the session. Nothing begins it again.
    public func invalidate() { declaration.end() }

    /// How far the daemon knows now.
    public var state: State { declaration.board.state }

    /// The present state and those that follow, up to `ended`. Only the newest waits for a slow reader.
    public func states() -> AsyncStream<State> { declaration.board.states() }

    /// Returns what the daemon answered when it knows of the present `activity`: from then on what depends on it, as a
    /// request, can be made.
    ///
    /// - Throws: the `WaymarkError` that prevents a call to the daemon, which is tried again all the same;
    ///   `CancellationError` where the task is cancelled or the session ended.
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

/// The thread behind a session.
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
        // A daemon that is restarted is back by the first or second attempt.
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

    /// Connects and says what is wanted, now and when it changes, until the session is over or the connection.
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
                // Nothing is said unasked: what can be read is the connection's end.
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

    /// Waits so long, or until something else is wanted.
    private func wait(for pause: Duration) {
        do throws(SystemError) {
            if try !PollDeadline(after: pause).wait(for: [(changed.number, POLLIN)]).isEmpty { changed.clear() }
        } catch {
            board.set(.connecting(after: WaymarkError(.system(error), socketPath: client.socketPath)))
        }
    }
}

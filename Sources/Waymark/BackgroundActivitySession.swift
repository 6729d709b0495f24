import Interfaces

/// Keeps the app in use while it is in the background, for example during a hike: the equivalent of Core Location's
/// `CLBackgroundActivitySession`. The session is visible to the person, and the journal records it.
///
/// It can only begin while the app is in use (see `ActivitySession`), and lasts until `invalidate()` or as long as the
/// object exists. It continues over an orderly restart of the daemon together with its connection, if the service
/// manager preserves that. If the connection is lost, the session begins again when the daemon is available. For ten
/// seconds after the daemon's start this process may do that although the app is not in use. Otherwise the state is
/// `ended`, and a new session can begin when the app is in use again.
public final class BackgroundActivitySession: Sendable {
    /// The state of the session.
    public enum State: Equatable, Sendable {
        /// The daemon has not replied yet.
        case beginning
        /// The session is active, with the daemon's reply. This remains the state while the daemon is unavailable.
        case held(AppAuthorization)
        /// The session is not, or no longer, active. `refused(.notInUse, …)`: the app was not in use. `disconnected`:
        /// the daemon stopped before it replied. Nil: the session was invalidated.
        case ended(WaymarkError?)
    }

    private let board = StateBoard<State>(.beginning)
    private let thread = CallThread()

    /// Begins a session.
    public init(client: WaymarkClient = WaymarkClient()) {
        let board = board
        thread.start(
            name: "waymark-hold", client, LocationInterface.HoldInUse(), lasting: .onceBegun
        ) { reply in
            board.set(.held(reply.authorization))
            return true
        } onEnd: { error in
            board.set(.ended(error), isFinal: true)
        }
    }

    deinit { thread.stop() }

    /// Ends the session permanently.
    public func invalidate() { thread.stop() }

    /// The present state.
    public var state: State { board.state }

    /// The present state and the following ones, up to `ended`. Only the newest is buffered for a slow reader.
    public func states() -> AsyncStream<State> { board.states() }

    /// The app's authorization when the session has begun, and when it has begun again. Ends with the session.
    public var diagnostics: AsyncCompactMapSequence<AsyncStream<State>, AppAuthorization> {
        states().compactMap { state in
            if case .held(let authorization) = state { authorization } else { nil }
        }
    }

    /// Waits until the session has begun, and returns the daemon's reply.
    ///
    /// - Throws: The `WaymarkError` with which it was refused or has ended; `CancellationError` if it was invalidated
    ///   or the task is cancelled.
    public func begun() async throws -> AppAuthorization {
        for await state in states() {
            switch state {
            case .beginning: break
            case .held(let authorization): return authorization
            case .ended(let error): throw error ?? CancellationError()
            }
        }
        throw CancellationError()
    }
}

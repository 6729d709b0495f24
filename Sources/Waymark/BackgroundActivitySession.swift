import Interfaces

/// Keeps the app in use when it goes to the background, in the manner of Core Location's `CLBackgroundActivitySession`:
/// for a hike or a ride. The person is shown that it does, and it is recorded.
///
/// It begins only while the app is in use (see `ActivitySession`) and holds until `invalidate()` or for as long as the
/// object lives. It goes on over a restart of the daemon as the connection does, under a service manager that keeps it.
/// Where the connection is lost it is begun again as soon as the daemon is back, which this process may within ten seconds
/// of that although the app is not in use. Where it may not, the state says that it has ended, and a new one can begin
/// when the app is in use.
public final class BackgroundActivitySession: Sendable {
    /// How it stands.
    public enum State: Equatable, Sendable {
        /// The daemon has not answered yet.
        case beginning
        /// The app is kept in use; what the daemon answered. It stays so while the daemon is away.
        case held(AppAuthorization)
        /// It does not hold, or no longer. `refused(.notInUse, …)`: it began while the app was not in use, or counts no
        /// longer. `disconnected`: the daemon went away before it answered. Nil: it was invalidated.
        case ended(WaymarkError?)
    }

    private let board = StateBoard<State>(.beginning)
    private let thread = CallThread()

    /// Begins one.
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

    /// Ends it. Nothing begins it again.
    public func invalidate() { thread.stop() }

    /// How it stands now.
    public var state: State { board.state }

    /// The present state and those that follow, up to `ended`. Only the newest waits for a slow reader.
    public func states() -> AsyncStream<State> { board.states() }

    /// Returns what the daemon answered when the session has begun.
    ///
    /// - Throws: the `WaymarkError` that it was refused or ended with; `CancellationError` where it was invalidated, or the
    ///   task is cancelled.
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

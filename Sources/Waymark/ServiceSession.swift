import Interfaces
import Location

/// Declares which authorization the app needs while the object exists, and asks the person for it when the app is in use:
/// the equivalent of Core Location's `CLServiceSession`.
///
///     let session = ServiceSession(authorization: .whenInUse)
///     for await diagnostic in session.diagnostics where diagnostic.authorizationDenied { … }
///
/// The person is asked at most once in a session for each of these: positions while in use, always, full accuracy. Nothing
/// is asked while the app is not in use (see `ActivitySession`), and nothing that was decided before.
public final class ServiceSession: Sendable {
    /// The authorization that the app needs.
    public enum AuthorizationRequirement: Sendable {
        /// None beyond what the person has decided already.
        case none
        /// Positions while the app is in use.
        case whenInUse
        /// Positions also while the app is not in use.
        case always
    }

    /// The app's authorization, with the reasons for its limits.
    public typealias Diagnostic = AppAuthorization

    /// The state of the session.
    public enum State: Equatable, Sendable {
        /// The daemon has not replied yet. The error of the last attempt, nil before the first; the attempts continue.
        case connecting(after: WaymarkError?)
        /// The daemon has reported this authorization.
        case active(AppAuthorization)
        /// A request was not shown to the person, for example because the manifest lacks its usage description
        /// (`purposeMissing`). The session continues.
        case notAsked(WaymarkError)
        /// The session has ended: it was invalidated if there is no error.
        case ended(WaymarkError?)
    }

    private let board: StateBoard<State>
    private let task: Task<Void, Never>

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - requirement: What the app needs.
    ///   - fullAccuracyPurposeKey: A key in the manifest's section `[TemporaryUsage]`, if the app needs full accuracy.
    ///   - client: The daemon.
    public init(
        authorization requirement: AuthorizationRequirement, fullAccuracyPurposeKey: String? = nil,
        client: WaymarkClient = WaymarkClient()
    ) {
        let board = StateBoard(State.connecting(after: nil))
        self.board = board
        let plan = ServiceSessionPlan(requirement, fullAccuracyPurposeKey: fullAccuracyPurposeKey)
        task = Task { await Self.run(plan, client, board) }
    }

    deinit { task.cancel() }

    /// Ends the session permanently. A prompt that is already shown remains.
    public func invalidate() { task.cancel() }

    /// The present state.
    public var state: State { board.state }

    /// The present state and the following ones, up to `ended`. Only the newest is buffered for a slow reader.
    public func states() -> AsyncStream<State> { board.states() }

    /// The app's authorization, now and after each change, until the session ends. Only the newest is buffered for a slow
    /// reader.
    public var diagnostics: AsyncCompactMapSequence<AsyncStream<State>, Diagnostic> {
        states().compactMap { state in
            if case .active(let authorization) = state { authorization } else { nil }
        }
    }

    private static func run(
        _ plan: ServiceSessionPlan, _ client: WaymarkClient, _ board: StateBoard<State>
    ) async {
        var plan = plan
        let authorizations = client.replies(of: LocationInterface.MonitorAuthorization(), lasting: .always) {
            $0.authorization
        }
        let failure = await withTaskGroup(of: Void.self) { group -> WaymarkError? in
            // Ends the requests that wait for the person.
            defer { group.cancelAll() }
            do {
                for try await authorization in authorizations {
                    board.set(.active(authorization))
                    guard let request = plan.next(for: authorization) else { continue }
                    group.addTask { await make(request, client, board) }
                }
                return nil
            } catch {
                return error as? WaymarkError
            }
        }
        board.set(.ended(failure), isFinal: true)
    }

    /// Makes a request. The decision is reported by the authorization, which changes.
    private static func make(
        _ request: ServiceSessionPlan.Request, _ client: WaymarkClient, _ board: StateBoard<State>
    ) async {
        do {
            switch request {
            case .whenInUse: _ = try await client.requestWhenInUseAuthorization()
            case .always: _ = try await client.requestAlwaysAuthorization()
            case .fullAccuracy(let purposeKey):
                _ = try await client.requestTemporaryFullAccuracyAuthorization(purposeKey: purposeKey)
            }
        } catch let error as WaymarkError {
            board.set(.notAsked(error))
        } catch {
            // The session has ended.
        }
    }
}

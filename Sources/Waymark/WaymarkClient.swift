import Glibc
import Interfaces
import JSONText
import Location
import Varlink

/// A client of the daemon. Each call opens a connection of its own.
///
/// Calls that are not `async` block until their reply. For continuous positions see `LocationUpdates`.
public struct WaymarkClient: Sendable {
    /// The daemon's socket.
    public let socketPath: String

    /// A client of the daemon at a socket: at the given one, otherwise at `WAYMARK_SOCKET`, otherwise at the system's.
    public init(socketPath: String? = nil) {
        let environment = getenv(WaymarkSocket.environmentVariable).map { String(cString: $0) }
        self.socketPath = socketPath ?? environment.flatMap { $0.isEmpty ? nil : $0 } ?? WaymarkSocket.defaultPath
    }

    /// The state of the daemon. Operators only.
    public func status() throws(WaymarkError) -> DaemonStatus {
        try call(ManageInterface.Status()).status
    }

    /// One position, awaited as long as the request permits.
    public func position(_ request: PositionRequest = PositionRequest()) throws(WaymarkError) -> Position {
        try call(request, timeout: .seconds(request.waitingTime + Self.answerTime)).position
    }

    /// Positions as they are received, for `for try await`.
    public func updates(_ request: MonitorRequest = MonitorRequest()) -> LocationUpdates {
        LocationUpdates(client: self, request: request)
    }

    /// The directions in which the machine points, for `for try await`: at once, and after each change by so many
    /// degrees (the daemon's default is 1).
    public func headings(filter: Double? = nil) -> HeadingUpdates {
        HeadingUpdates(client: self, request: LocationInterface.MonitorHeading(headingFilter: filter))
    }

    /// The places where the machine stays, for `for try await`: those that have ended since a time, and then as they come.
    public func visits(since: UTCTime? = nil) -> VisitUpdates {
        VisitUpdates(client: self, request: LocationInterface.MonitorVisits(since: since?.secondsSinceEpoch))
    }

    /// The satellites that the receiver has in view. Needs full accuracy.
    public func satellites() throws(WaymarkError) -> SkyView {
        try call(LocationInterface.GetSatellites(), timeout: .seconds(30)).sky
    }

    /// The time limit in seconds for a reply that does not depend on an event.
    public static let answerTime = 10.0

    /// Any call of the daemon's interfaces: `client.call(RecordingInterface.List())`.
    ///
    /// - Throws: As `call(_:parameters:timeout:)`, and `.notUnderstood` if the reply does not match the interface.
    @discardableResult
    public func call<Method: VarlinkMethod>(
        _ method: Method, timeout: Duration = .seconds(answerTime)
    ) throws(WaymarkError) -> Method.Reply {
        do throws(VarlinkError) { return try connect().call(method, timeout: timeout) } catch { throw explained(error) }
    }

    /// Any call of the daemon's interfaces by its name; the parameters are a JSON object.
    ///
    /// - Throws: `.incompatible` if an older daemon does not know the method, or would ignore a parameter; and any
    ///   other error of the call.
    public func call(
        _ method: String, parameters: [UInt8] = Array("{}".utf8), timeout: Duration = .seconds(answerTime)
    ) throws(WaymarkError) -> JSON {
        let parameters = try Self.parse(parameters)
        do throws(VarlinkError) {
            let client = try connect()
            return try client.call(method, parameters, timeout: timeout)
        } catch {
            throw explained(error)
        }
    }

    /// Any stream of the daemon's interfaces; the parameters are a JSON object.
    public func stream(
        _ method: String, parameters: [UInt8] = Array("{}".utf8)
    ) throws(WaymarkError) -> ReplyStream {
        try stream(CallRequest(method: method, parameters: Self.parse(parameters), more: true))
    }

    /// Any call of the daemon's interfaces with several replies, or with one late reply; `stop` as in `connect`.
    public func stream(_ request: CallRequest, until stop: Int32? = nil) throws(WaymarkError) -> ReplyStream {
        do throws(VarlinkError) {
            return try connect(until: stop).stream(
                request.method, request.parameters, more: request.more, timeout: .seconds(Self.answerTime))
        } catch {
            throw explained(error)
        }
    }

    /// A connection for calls of this release. A call with a parameter that the daemon would ignore fails with
    /// `VarlinkError.unknownParameter` without being made; see `explained`. Once the descriptor `stop` is readable, waiting
    /// for the daemon fails with `closed`.
    public func connect(
        within timeout: Duration = .seconds(answerTime), until stop: Int32? = nil
    ) throws(VarlinkError) -> Client {
        try Client(path: socketPath, timeout: timeout, speaking: WaymarkVersion.protocolNumber, until: stop)
    }

    private static func parse(_ parameters: [UInt8]) throws(WaymarkError) -> JSON {
        do throws(JSONError) { return try JSON.parse(parameters) } catch {
            throw .notUnderstood("parameters of a call: \(error)")
        }
    }
}

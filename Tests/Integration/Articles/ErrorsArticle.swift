// The examples of Errors.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import JSONText
import Varlink
import Waymark

/// What an error means for the program, beside its sentence for the person.
func advice(for error: WaymarkError) -> String {
    switch error {
    case .notRunning(let path, _): "no daemon at \(path): try again later"
    case .disconnected, .timedOut: "try again"
    case .refused(let name, let message): "\(name): \(message)"
    case .purposeMissing(let key, _): "the manifest lacks \(key)"
    case .requestInProgress: "the person is asked already"
    case .notStored: "the decision is not in force"
    case .positionUnknown(let reason, _): "no position: \(reason)"
    case .incompatible(let message): message
    case .notUnderstood: "the peer is no daemon of this release"
    case .failed(let name, let message, _): "\(name): \(message)"
    }
}

/// The same in Core Location's words.
func code(of error: WaymarkError) -> String {
    let error = LocationError(error, otherwise: .headingFailure)
    switch error.code as LocationError.Code {
    case .locationUnknown, .headingFailure: return "wait"
    case .denied, .promptDeclined: return "explain: \(error.description)"
    case .network: return "wait for the daemon: \(error.cause?.description ?? "")"
    default: return error.code.advice
    }
}

/// Describes the daemon, and which of the two programs to update.
func describeDaemon(_ client: WaymarkClient) throws(WaymarkError) -> String {
    let daemon: DaemonRelease = try client.release(within: .seconds(WaymarkClient.answerTime))
    if daemon.age == 0 { return "\(daemon.product) \(daemon.version)" }
    let features = daemon.features.map(\.rawValue).sorted()
    return "\(daemon) \(daemon.difference ?? "") \(daemon.advice ?? "") \(daemon.protocolNumber), \(features)"
}

/// The same of a status, which operators may query.
func describeStatus(_ client: WaymarkClient) throws(WaymarkError) -> DaemonRelease {
    DaemonRelease(try client.status())
}

/// Calls a method of the interfaces by its type, or by its name. The parameters are JSON.
func note(_ text: String, _ client: WaymarkClient) throws(WaymarkError) {
    try client.call(JournalInterface.Note(text: text), timeout: .seconds(5))
    _ = try client.call("io.waymark.Reachability.GetPath", parameters: Array("{}".utf8))
}

/// Reads the first reply of a stream by its name.
func firstPath(_ client: WaymarkClient) throws -> String {
    let stream = try client.stream("io.waymark.Reachability.MonitorPath", parameters: Array("{}".utf8))
    return try stream.next()?.parameters["path"]?["status"]?.stringValue ?? "none"
}

/// Makes two calls on one connection. A client connects for each of its calls otherwise.
func pathAndTarget(of host: String, _ client: WaymarkClient) throws(WaymarkError) -> [NetworkPath.Status] {
    do throws(VarlinkError) {
        let connection = try client.connect(within: .seconds(5))
        let path = try connection.call(ReachabilityInterface.GetPath()).path
        let target = try connection.call(ReachabilityInterface.GetTarget(host: host)).target
        return [path.status] + (target.status == .reachable ? [.satisfied] : [])
    } catch {
        throw client.explained(error)
    }
}

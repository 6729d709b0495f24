import Interfaces
import Platform
import Varlink

/// `io.waymark.Reachability`: tells anybody how the network can be reached, and nothing of positions.
@DaemonActor
final class ReachabilityService {
    /// The methods that reply more than once.
    static let streaming: Set<String> = ["MonitorPath", "MonitorTarget"]

    /// Answers a call, now or later.
    func handle(_ call: Call) {
        guard ReachabilityMethod(rawValue: call.request.method) != nil else {
            return call.fail(ServiceError.methodNotImplemented(call.request.method))
        }
        call.fail(
            ErrorName.reachabilityUnavailable.rawValue, message: "The network is not watched by this release.")
    }
}

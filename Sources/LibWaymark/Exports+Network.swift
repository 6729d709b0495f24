// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// waymark.h documents the functions.

import CWaymark
import Interfaces

// The network.

@implementation @c public func waymark_get_path(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { .once(ReachabilityInterface.GetPath()) { .path($0.path) } }
}

@implementation @c public func waymark_monitor_path(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { .stream(ReachabilityInterface.MonitorPath()) { .path($0.path) } }
}

@implementation @c public func waymark_get_target(
    _ client: OpaquePointer?, _ host: UnsafePointer<CChar>?, _ port: UInt16,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        let request = ReachabilityInterface.GetTarget(
            host: try Arguments.text(host), port: port == 0 ? nil : port)
        return .once(request) { .target($0.target) }
    }
}

@implementation @c public func waymark_monitor_target(
    _ client: OpaquePointer?, _ host: UnsafePointer<CChar>?, _ port: UInt16,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        let request = ReachabilityInterface.MonitorTarget(
            host: try Arguments.text(host), port: port == 0 ? nil : port)
        return .stream(request) { .target($0.target) }
    }
}

@implementation @c public func waymark_report_target(
    _ client: OpaquePointer?, _ host: UnsafePointer<CChar>?, _ port: UInt16, _ outcome: Int32,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        .once(
            ReachabilityInterface.ReportTarget(
                host: try Arguments.text(host), port: port == 0 ? nil : port,
                outcome: try Arguments.outcome(outcome)))
    }
}

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// waymark.h documents the functions.

import CWaymark
import Interfaces

// Waking.

@implementation @c public func waymark_get_launch_reason(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { .once(WakingInterface.GetLaunchReason()) { .launchReason($0) } }
}

@implementation @c public func waymark_request_wakes(
    _ client: OpaquePointer?, _ cause: Int32, _ host: UnsafePointer<CChar>?, _ port: UInt16,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        .once(
            WakingInterface.Subscribe(
                cause: try Arguments.cause(cause), host: try Arguments.optionalText(host), port: port == 0 ? nil : port)
        )
    }
}

@implementation @c public func waymark_withdraw_wakes(
    _ client: OpaquePointer?, _ cause: Int32, _ host: UnsafePointer<CChar>?, _ port: UInt16,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        .once(
            WakingInterface.Unsubscribe(
                cause: try Arguments.cause(cause), host: try Arguments.optionalText(host), port: port == 0 ? nil : port)
        )
    }
}

@implementation @c public func waymark_monitor_wakes(
    _ client: OpaquePointer?, _ after: Int64, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { .wakes(after: after < 0 ? nil : after) }
}

@implementation @c public func waymark_acknowledge_wakes(
    _ client: OpaquePointer?, _ sequence: Int64, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        guard sequence >= 0 else { throw InvalidArgument() }
        return .once(WakingInterface.Acknowledge(upTo: sequence))
    }
}

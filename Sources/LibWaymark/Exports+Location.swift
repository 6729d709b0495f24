// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// waymark.h documents the functions.

import CWaymark
import Glibc
import Interfaces
import Location

// Authorization, use of the app, positions.

@implementation @c public func waymark_get_authorization(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { .once(LocationInterface.GetAuthorization()) { .authorization($0.authorization) } }
}

@implementation @c public func waymark_monitor_authorization(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) {
        .stream(LocationInterface.MonitorAuthorization()) { .authorization($0.authorization) }
    }
}

@implementation @c public func waymark_request_when_in_use(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) {
        .once(LocationInterface.RequestWhenInUse(), within: nil) { .authorization($0.authorization) }
    }
}

@implementation @c public func waymark_request_always(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) {
        .once(LocationInterface.RequestAlways(), within: nil) { .authorization($0.authorization) }
    }
}

@implementation @c public func waymark_request_full_accuracy(
    _ client: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        let request = LocationInterface.RequestTemporaryFullAccuracy(purposeKey: try Arguments.text(key))
        return .once(request, within: nil) { .authorization($0.authorization) }
    }
}

@implementation @c public func waymark_declare_activity(
    _ client: OpaquePointer?, _ activity: Int32, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in .activity(try Arguments.activity(activity)) }
}

@implementation @c public func waymark_change_activity(
    _ client: OpaquePointer?, _ call: waymark_call, _ activity: Int32
) -> Int32 {
    Exports.with(client) { (client) throws(InvalidArgument) in
        client.declare(call, try Arguments.activity(activity)) ? 0 : -ENOENT
    }
}

@implementation @c public func waymark_hold_in_use(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) {
        .stream(LocationInterface.HoldInUse(), .onceBegun) { .authorization($0.authorization) }
    }
}

@implementation @c public func waymark_monitor_positions(
    _ client: OpaquePointer?, _ options: UnsafePointer<waymark_monitor_options>?,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        .stream(try Arguments.monitor(options)) { .update($0.update) }
    }
}

@implementation @c public func waymark_get_position(
    _ client: OpaquePointer?, _ options: UnsafePointer<waymark_position_options>?,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        let request = try Arguments.position(options)
        return .once(request, within: .seconds(request.waitingTime)) { .position($0.position) }
    }
}

@implementation @c public func waymark_monitor_headings(
    _ client: OpaquePointer?, _ filter: Double, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        let request = LocationInterface.MonitorHeading(headingFilter: try Arguments.number(filter, to: 180))
        return .stream(request, firstIsLate: true) { .heading($0.heading) }
    }
}

@implementation @c public func waymark_monitor_visits(
    _ client: OpaquePointer?, _ since: Double, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        .visits(since: try Arguments.number(since, to: 1_000_000_000_000))
    }
}

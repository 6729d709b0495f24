// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// waymark.h documents the functions.

import CWaymark
import Interfaces

// Regions.

@implementation @c public func waymark_add_regions(
    _ client: OpaquePointer?, _ monitor: UnsafePointer<CChar>?,
    _ regions: UnsafePointer<UnsafePointer<waymark_region>?>?, _ count: Int,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        .once(
            RegionsInterface.Add(
                monitor: try Arguments.text(monitor), regions: try Arguments.regions(regions, count)))
    }
}

@implementation @c public func waymark_remove_regions(
    _ client: OpaquePointer?, _ monitor: UnsafePointer<CChar>?,
    _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        var request = RegionsInterface.Remove(monitor: try Arguments.text(monitor))
        if let identifiers {
            guard (0...1_000).contains(count) else { throw InvalidArgument() }
            var names: [String] = []
            for index in 0..<count { names.append(try Arguments.text(identifiers[index])) }
            request.identifiers = names
        }
        return .once(request)
    }
}

@implementation @c public func waymark_get_regions(
    _ client: OpaquePointer?, _ monitor: UnsafePointer<CChar>?, _ after: UnsafePointer<CChar>?,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        let request = RegionsInterface.Show(
            monitor: try Arguments.text(monitor), after: try Arguments.optionalText(after))
        return .once(request) { .regions($0.regions, isComplete: $0.isComplete) }
    }
}

@implementation @c public func waymark_monitor_regions(
    _ client: OpaquePointer?, _ monitor: UnsafePointer<CChar>?, _ after: Int64,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        .regionEvents(of: try Arguments.text(monitor), after: after < 0 ? nil : after)
    }
}

@implementation @c public func waymark_acknowledge(
    _ client: OpaquePointer?, _ monitor: UnsafePointer<CChar>?, _ sequence: Int64,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        guard sequence >= 0 else { throw InvalidArgument() }
        return .once(RegionsInterface.Acknowledge(monitor: try Arguments.text(monitor), upTo: sequence))
    }
}

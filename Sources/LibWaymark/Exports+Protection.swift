// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// waymark.h documents the functions.

import CWaymark
import Interfaces
import Platform

// Data protection.

@implementation @c public func waymark_get_protected_data(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) {
        .once(ProtectionInterface.Monitor(), more: true) { reply in
            .protectedData(waymark_protected_data(reply, receivedAt: SystemClock().monotonicNanoseconds))
        }
    }
}

@implementation @c public func waymark_monitor_protected_data(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { .protectedDataStates() }
}

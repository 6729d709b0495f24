// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// waymark.h documents the functions.

import CWaymark

// Events and their content.

@implementation @c public func waymark_event_type(_ event: OpaquePointer?) -> Int32 { Exports.event(event)?.type ?? 0 }

@implementation @c public func waymark_event_call(_ event: OpaquePointer?) -> waymark_call {
    Exports.event(event)?.call ?? 0
}

@implementation @c public func waymark_event_error(_ event: OpaquePointer?) -> Int32 {
    Exports.event(event)?.error ?? 0
}

@implementation @c public func waymark_event_message(_ event: OpaquePointer?) -> UnsafePointer<CChar>? {
    Exports.event(event)?.message ?? StaticTexts.shared.empty
}

@implementation @c public func waymark_event_error_name(_ event: OpaquePointer?) -> UnsafePointer<CChar>? {
    Exports.event(event)?.errorName ?? StaticTexts.shared.empty
}

@implementation @c public func waymark_event_free(_ event: OpaquePointer?) {
    if let event { Unmanaged<Event>.fromOpaque(UnsafeRawPointer(event)).release() }
}

@implementation @c public func waymark_event_position(_ event: OpaquePointer?) -> UnsafePointer<waymark_position>? {
    Exports.event(event)?.position
}

@implementation @c public func waymark_event_update(_ event: OpaquePointer?) -> UnsafePointer<waymark_update>? {
    Exports.event(event)?.update
}

@implementation @c public func waymark_event_authorization(
    _ event: OpaquePointer?
) -> UnsafePointer<waymark_authorization>? {
    Exports.event(event)?.authorization
}

@implementation @c public func waymark_event_heading(_ event: OpaquePointer?) -> UnsafePointer<waymark_heading>? {
    Exports.event(event)?.heading
}

@implementation @c public func waymark_event_visit(_ event: OpaquePointer?) -> UnsafePointer<waymark_visit>? {
    Exports.event(event)?.visit
}

@implementation @c public func waymark_event_region(_ event: OpaquePointer?) -> UnsafePointer<waymark_region_event>? {
    Exports.event(event)?.region
}

@implementation @c public func waymark_event_record_count(_ event: OpaquePointer?) -> Int {
    Exports.event(event)?.records.count ?? 0
}

@implementation @c public func waymark_event_record(
    _ event: OpaquePointer?, _ index: Int
) -> UnsafePointer<waymark_region_record>? {
    guard let records = Exports.event(event)?.records, records.indices.contains(index) else { return nil }
    return records[index]
}

@implementation @c public func waymark_event_is_complete(_ event: OpaquePointer?) -> Bool {
    Exports.event(event)?.isComplete ?? true
}

@implementation @c public func waymark_event_path(_ event: OpaquePointer?) -> UnsafePointer<waymark_path>? {
    Exports.event(event)?.path
}

@implementation @c public func waymark_event_target(_ event: OpaquePointer?) -> UnsafePointer<waymark_target>? {
    Exports.event(event)?.target
}

@implementation @c public func waymark_event_protected_data(
    _ event: OpaquePointer?
) -> UnsafePointer<waymark_protected_data>? {
    Exports.event(event)?.protectedData
}

@implementation @c public func waymark_event_launch_reason(
    _ event: OpaquePointer?
) -> UnsafePointer<waymark_launch_reason>? {
    Exports.event(event)?.launchReason
}

@implementation @c public func waymark_event_pending(
    _ event: OpaquePointer?, _ index: Int
) -> UnsafePointer<waymark_pending>? {
    guard let pending = Exports.event(event)?.pending, pending.indices.contains(index) else { return nil }
    return pending[index]
}

@implementation @c public func waymark_event_wake(_ event: OpaquePointer?) -> UnsafePointer<waymark_wake>? {
    Exports.event(event)?.wake
}

@implementation @c public func waymark_event_identifier(_ event: OpaquePointer?) -> UnsafePointer<waymark_identifier>? {
    Exports.event(event)?.identifier
}

@implementation @c public func waymark_event_tracking(_ event: OpaquePointer?) -> UnsafePointer<waymark_tracking>? {
    Exports.event(event)?.tracking
}

@implementation @c public func waymark_event_interface(
    _ event: OpaquePointer?, _ index: Int
) -> UnsafePointer<waymark_interface>? {
    guard let interfaces = Exports.event(event)?.interfaces, interfaces.indices.contains(index) else { return nil }
    return interfaces[index]
}

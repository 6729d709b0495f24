// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// waymark.h documents the functions.

import CWaymark
import Interfaces
import SyncInterface

// Identifiers.

@implementation @c public func waymark_get_identifier_for_vendor(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { .once(IdentityInterface.GetIdentifierForVendor()) { .vendorIdentifier($0) } }
}

@implementation @c public func waymark_get_tracking_authorization(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { .once(IdentityInterface.GetTrackingAuthorization()) { .tracking($0.status, nil) } }
}

@implementation @c public func waymark_request_tracking_authorization(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) {
        .once(IdentityInterface.RequestTrackingAuthorization(), within: nil) { .tracking($0.status, $0.obstacle) }
    }
}

@implementation @c public func waymark_get_advertising_identifier(
    _ client: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { .once(IdentityInterface.GetAdvertisingIdentifier()) { .advertisingIdentifier($0) } }
}

@implementation @c public func waymark_get_account_identifier(
    _ client: OpaquePointer?, _ socketPath: UnsafePointer<CChar>?, _ container: UnsafePointer<CChar>?,
    _ call: UnsafeMutablePointer<waymark_call>?
) -> Int32 {
    Exports.begin(client, call) { () throws(InvalidArgument) in
        .once(
            SyncInterface.GetAccountIdentifier(container: try Arguments.optionalText(container)),
            of: .sync(at: try Arguments.optionalText(socketPath))
        ) { .accountIdentifier($0.identifier) }
    }
}

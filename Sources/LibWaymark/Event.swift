import CWaymark
import Interfaces
import Location

/// A `waymark_event`: what a call has reported, as structures of `waymark.h`.
final class Event {
    let call: UInt64
    let type: Int32
    let error: Int32
    let message: UnsafePointer<CChar>
    let errorName: UnsafePointer<CChar>
    private(set) var position: UnsafePointer<waymark_position>?
    private(set) var update: UnsafePointer<waymark_update>?
    private(set) var authorization: UnsafePointer<waymark_authorization>?
    private(set) var heading: UnsafePointer<waymark_heading>?
    private(set) var visit: UnsafePointer<waymark_visit>?
    private(set) var region: UnsafePointer<waymark_region_event>?
    private(set) var records: [UnsafePointer<waymark_region_record>] = []
    private(set) var isComplete = true
    private(set) var path: UnsafePointer<waymark_path>?
    private(set) var target: UnsafePointer<waymark_target>?
    private(set) var protectedData: UnsafePointer<waymark_protected_data>?
    private(set) var launchReason: UnsafePointer<waymark_launch_reason>?
    private(set) var pending: [UnsafePointer<waymark_pending>] = []
    private(set) var wake: UnsafePointer<waymark_wake>?
    private(set) var identifier: UnsafePointer<waymark_identifier>?
    private(set) var tracking: UnsafePointer<waymark_tracking>?
    private(set) var interfaces: [UnsafePointer<waymark_interface>] = []
    private let memory = EventMemory()

    /// An event about the call itself.
    init(_ call: UInt64, _ type: waymark_event_type, _ failure: CallFailure? = nil, of peer: Peer = .daemon) {
        self.call = call
        self.type = Int32(type.rawValue)
        error = failure?.code ?? 0
        message = memory.text(failure?.message(of: peer) ?? "")
        errorName = memory.text(failure?.name ?? "")
    }

    /// An event with the content of a reply.
    convenience init(_ call: UInt64, _ payload: Operation.Payload) {
        self.init(call, Self.type(of: payload))
        switch payload {
        case .update(let update):
            position = update.position.map { memory.value(waymark_position($0)) }
            self.update = memory.value(waymark_update(update, memory))
        case .position(let position): self.position = memory.value(waymark_position(position))
        case .authorization(let authorization):
            self.authorization = memory.value(waymark_authorization(authorization, memory))
        case .heading(let heading): self.heading = memory.value(waymark_heading(heading))
        case .visit(let visit): self.visit = memory.value(waymark_visit(visit))
        case .region(let event): region = memory.value(waymark_region_event(event, memory))
        case .regions(let regions, let isComplete):
            records = regions.map { memory.value(waymark_region_record($0, memory)) }
            self.isComplete = isComplete
        case .path(let path):
            interfaces = path.interfaces.map { memory.value(waymark_interface($0, memory)) }
            self.path = memory.value(waymark_path(path, memory))
        case .target(let target):
            interfaces = target.interface.map { [memory.value(waymark_interface($0, memory))] } ?? []
            self.target = memory.value(waymark_target(target, memory))
        case .protectedData(let state): protectedData = memory.value(state)
        case .launchReason(let reply):
            pending = reply.reasons.map { memory.value(waymark_pending($0, memory)) }
            launchReason = memory.value(waymark_launch_reason(reply, memory))
        case .wake(let event): wake = memory.value(waymark_wake(event, memory))
        case .vendorIdentifier(let reply):
            identifier = memory.value(waymark_identifier(reply.identifier, vendor: reply.vendor, memory))
        case .advertisingIdentifier(let reply):
            identifier = memory.value(waymark_identifier(reply.identifier, memory))
            tracking = memory.value(waymark_tracking(reply.status, memory))
        case .accountIdentifier(let text): identifier = memory.value(waymark_identifier(text, memory))
        case .tracking(let status, let obstacle):
            tracking = memory.value(waymark_tracking(status, obstacle: obstacle, memory))
        }
    }

    private static func type(of payload: Operation.Payload) -> waymark_event_type {
        switch payload {
        case .update, .position: WAYMARK_EVENT_POSITION
        case .authorization: WAYMARK_EVENT_AUTHORIZATION
        case .heading: WAYMARK_EVENT_HEADING
        case .visit: WAYMARK_EVENT_VISIT
        case .region: WAYMARK_EVENT_REGION
        case .regions: WAYMARK_EVENT_REGIONS
        case .path: WAYMARK_EVENT_PATH
        case .target: WAYMARK_EVENT_TARGET
        case .protectedData: WAYMARK_EVENT_PROTECTED_DATA
        case .launchReason: WAYMARK_EVENT_LAUNCH_REASON
        case .wake: WAYMARK_EVENT_WAKE
        case .vendorIdentifier, .advertisingIdentifier, .accountIdentifier: WAYMARK_EVENT_IDENTIFIER
        case .tracking: WAYMARK_EVENT_TRACKING
        }
    }
}

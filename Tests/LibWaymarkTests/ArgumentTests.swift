import CWaymark
import Glibc
import LibWaymark
import TestSupport
import Testing

/// What programs pass to the C library.
@Suite struct ArgumentTests {
    private let client: CClient

    init() throws { client = try CClient("/nonexistent/waymark.sock") }

    @Test func `NULL in place of a client is an error`() {
        var event: OpaquePointer?
        #expect(waymark_fd(nil) == -EINVAL && waymark_timeout(nil) == -EINVAL && waymark_process(nil) == -EINVAL)
        #expect(waymark_wait(nil, 0) == -EINVAL && waymark_next(nil, &event) == -EINVAL)
        #expect(waymark_end(nil, 1) == -EINVAL && waymark_monitor_path(nil, nil) == -EINVAL)
        #expect(waymark_get_protected_data(nil, nil) == -EINVAL)
        #expect(waymark_get_launch_reason(nil, nil) == -EINVAL && waymark_monitor_wakes(nil, -1, nil) == -EINVAL)
        #expect(waymark_client_new(nil, nil) == -EINVAL)
        #expect(waymark_next(client.pointer, nil) == -EINVAL)
        waymark_client_free(nil)
        waymark_event_free(nil)
    }

    @Test func `NULL in place of an event is an empty event`() {
        #expect(waymark_event_type(nil) == 0 && waymark_event_call(nil) == 0 && waymark_event_error(nil) == 0)
        #expect(String(cString: waymark_event_message(nil)) == "")
        #expect(waymark_event_position(nil) == nil && waymark_event_record(nil, 0) == nil)
        #expect(waymark_event_protected_data(nil) == nil)
        #expect(waymark_event_launch_reason(nil) == nil && waymark_event_pending(nil, 0) == nil)
        #expect(waymark_event_wake(nil) == nil)
        #expect(waymark_event_identifier(nil) == nil && waymark_event_tracking(nil) == nil)
        #expect(waymark_event_record_count(nil) == 0 && waymark_event_is_complete(nil))
    }

    @Test func `every number has a sentence, which is always the same text`() {
        for number in [Int32.min, .min + 1, -20_000, -10_038, -10_035, -10_029, -4_096, -1, 0, 1, .max] {
            let text = waymark_error_message(number)
            #expect(text != nil && text == waymark_error_message(number) && text.map { strlen($0) > 5 } == true)
        }
        #expect(String(cString: waymark_error_message(WAYMARK_ERROR_DENIED.rawValue)).contains("may not know"))
    }

    @Test func `a text that is missing or no UTF-8 is an error`() {
        let broken: [CChar] = [-1, 0]
        #expect(waymark_get_target(client.pointer, nil, 0, nil) == -EINVAL)
        #expect(waymark_get_target(client.pointer, broken, 0, nil) == -EILSEQ)
        #expect(waymark_get_account_identifier(client.pointer, broken, nil, nil) == -EILSEQ)
        #expect(waymark_get_account_identifier(client.pointer, nil, broken, nil) == -EILSEQ)
        #expect(waymark_get_account_identifier(nil, nil, nil, nil) == -EINVAL)
        #expect(waymark_acknowledge(client.pointer, "m", -1, nil) == -EINVAL)
        #expect(waymark_report_target(client.pointer, "::1", 0, 4, nil) == -EINVAL)
        #expect(waymark_declare_activity(client.pointer, 4, nil) == -EINVAL)
        #expect(waymark_declare_activity(client.pointer, -1, nil) == -EINVAL)
    }

    @Test func `a cause that does not exist, a host that is no text and a number below zero are errors`() {
        let broken: [CChar] = [-1, 0]
        let target = Int32(WAYMARK_CAUSE_TARGET.rawValue)
        for cause in [0, WAYMARK_CAUSE_OTHER.rawValue, 8, .max] {
            #expect(waymark_request_wakes(client.pointer, Int32(bitPattern: cause), nil, 0, nil) == -EINVAL)
            #expect(waymark_withdraw_wakes(client.pointer, Int32(bitPattern: cause), nil, 0, nil) == -EINVAL)
        }
        #expect(waymark_request_wakes(client.pointer, -1, nil, 0, nil) == -EINVAL)
        #expect(waymark_request_wakes(client.pointer, target, broken, 0, nil) == -EILSEQ)
        #expect(waymark_withdraw_wakes(client.pointer, target, broken, 0, nil) == -EILSEQ)
        #expect(waymark_acknowledge_wakes(client.pointer, -1, nil) == -EINVAL)
        #expect(waymark_request_wakes(client.pointer, target, "192.0.2.1", 443, nil) == 0, "the daemon decides")
    }

    @Test func `a structure of a later release is accepted as far as it says nothing new`() {
        struct Later {
            var options: waymark_monitor_options
            var addition: UInt64
        }
        var later = Later(options: waymark_monitor_options(), addition: 0)
        later.options.size = MemoryLayout<Later>.size
        func begin() -> Int32 {
            withUnsafeBytes(of: &later) { bytes in
                waymark_monitor_positions(
                    client.pointer, bytes.baseAddress?.assumingMemoryBound(to: waymark_monitor_options.self), nil)
            }
        }
        #expect(begin() == 0)
        later.addition = 1
        #expect(begin() == -E2BIG)
        later.options.size = 8
        #expect(begin() == -EINVAL, "an option of the first release is missing")
        later.options.size = .max
        #expect(begin() == -EINVAL)
    }

    @Test func `options out of range are errors`() {
        func begin(_ change: (inout waymark_monitor_options) -> Void) -> Int32 {
            var options = waymark_monitor_options()
            options.size = MemoryLayout<waymark_monitor_options>.size
            change(&options)
            return waymark_monitor_positions(client.pointer, &options, nil)
        }
        #expect(begin { _ in } == 0)
        #expect(begin { $0.distance_filter = .nan } == 0, "as good as absent")
        #expect(begin { $0.distance_filter = .infinity } == -EINVAL)
        #expect(begin { $0.maximum_delay = 86_401 } == -EINVAL)
        #expect(begin { $0.activity_type = 5 } == -EINVAL && begin { $0.activity_type = -1 } == -EINVAL)
        #expect(begin { $0.flags = 8 } == -EINVAL)
    }

    /// Adds a region of these points and rings.
    private func add(shape: UInt32, points: Int, rings: [Int], radius: Double = 100) -> Int32 {
        let points = [waymark_point](repeating: waymark_point(latitude: 1, longitude: 2), count: points)
        return points.withUnsafeBufferPointer { points in
            rings.withUnsafeBufferPointer { rings in
                "yard".withCString { identifier in
                    var region = waymark_region()
                    region.size = MemoryLayout<waymark_region>.size
                    region.identifier = identifier
                    region.shape = Int32(shape)
                    region.points = points.baseAddress
                    region.point_count = points.count
                    region.ring_sizes = rings.baseAddress
                    region.ring_count = rings.count
                    region.radius = radius
                    return withUnsafePointer(to: region) { region in
                        let regions: [UnsafePointer<waymark_region>?] = [region]
                        return waymark_add_regions(client.pointer, "m", regions, 1, nil)
                    }
                }
            }
        }
    }

    @Test func `a shape that does not fit its points is an error`() {
        let (circle, polygon) = (WAYMARK_SHAPE_CIRCLE.rawValue, WAYMARK_SHAPE_POLYGON.rawValue)
        #expect(add(shape: circle, points: 1, rings: []) == 0)
        #expect(add(shape: circle, points: 2, rings: []) == -EINVAL)
        #expect(add(shape: circle, points: 1, rings: [], radius: .nan) == -EINVAL)
        #expect(add(shape: polygon, points: 6, rings: [3, 3]) == 0)
        #expect(add(shape: polygon, points: 6, rings: []) == 0)
        #expect(add(shape: polygon, points: 6, rings: [3, 4]) == -EINVAL)
        #expect(add(shape: polygon, points: 6, rings: [3, 2]) == -EINVAL)
        #expect(add(shape: polygon, points: 6, rings: [.max, 7]) == -EINVAL)
        #expect(add(shape: polygon, points: 6, rings: [0, 6]) == -EINVAL)
        #expect(add(shape: 9, points: 1, rings: []) == -EINVAL)
        #expect(add(shape: WAYMARK_SHAPE_CORRIDOR.rawValue, points: 10_001, rings: []) == -EINVAL)
        #expect(waymark_add_regions(client.pointer, "m", nil, 1, nil) == -EINVAL)
    }

    @Test func `a call that is no declaration cannot be changed`() throws {
        let path = try client.begin(waymark_monitor_path)
        let activity = try client.begin { waymark_declare_activity($0, 0, $1) }
        #expect(waymark_change_activity(client.pointer, path, 1) == -ENOENT)
        #expect(waymark_change_activity(client.pointer, 99, 1) == -ENOENT)
        #expect(waymark_change_activity(client.pointer, activity, 2) == 0)
        #expect(waymark_end(client.pointer, 99) == -ENOENT && waymark_end(client.pointer, 0) == -ENOENT)
    }

    @Test func `without a daemon a monitor waits, and a single call ends`() throws {
        let path = try client.begin(waymark_monitor_path)
        let single = try client.begin(waymark_get_path)
        let first = try #require(client.queued())
        #expect(first.call == path && first.type == CClient.interrupted && first.error == -ENOENT)
        #expect(first.message.contains("systemctl start waymark"))
        let second = try #require(client.queued())
        #expect(second.call == single && second.type == CClient.ended && second.error == -ENOENT)
        #expect((0...101).contains(waymark_timeout(client.pointer)), "the next attempt")
        #expect(try client.next(within: 1) == nil)
    }
}

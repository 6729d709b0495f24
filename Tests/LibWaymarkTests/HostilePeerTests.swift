import CWaymark
import Glibc
import LibWaymark
import Synchronization
import TestSupport
import Testing

/// The C library with a peer in the daemon's place that is broken or hostile.
@Suite(.serialized) struct HostilePeerTests {
    private static let path = #"{"status":"satisfied","interfaces":[],"generation":1}"#

    @Test func `a message without an end is given up after four mebibytes`() throws {
        let peer = try HostilePeer { connection, _ in
            let garbage = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
            for _ in 0..<1_024 where !HostilePeer.send(garbage, to: connection) { return }
        }
        let client = try CClient(peer.path)
        let call = try client.begin(waymark_monitor_path)
        let events = try client.events(untilEndOf: call)
        #expect(events.map(\.error) == [-EMSGSIZE])
        #expect(waymark_end(client.pointer, call) == -ENOENT, "the call has ended")
    }

    @Test(
        arguments: [
            "no JSON", "[]", #"{"parameters":[]}"#, #"{"parameters":{"path":{}},"continues":true}"#,
            #"{"parameters":{"path":{"status":"of another world"}}}"#, #"{"error":7}"#, "\u{ff}",
            String(repeating: "[", count: 100_000),
        ])
    func `what is no reply ends the call`(_ message: String) throws {
        let peer = try HostilePeer { connection, _ in
            _ = HostilePeer.receive(connection)
            HostilePeer.send(message, to: connection)
            _ = HostilePeer.receive(connection)
        }
        let client = try CClient(peer.path)
        let call = try client.begin(waymark_monitor_path)
        #expect(try client.events(untilEndOf: call).map(\.error) == [-EPROTO])
    }

    @Test(
        arguments: [
            "{}", #"{"parameters":{"identifier":7,"vendor":"org.example"}}"#,
            #"{"parameters":{"vendor":"org.example"}}"#,
        ])
    func `a reply without an identifier ends the call`(_ message: String) throws {
        let peer = try HostilePeer { connection, _ in
            _ = HostilePeer.receive(connection)
            HostilePeer.send(message, to: connection)
            _ = HostilePeer.receive(connection)
        }
        let client = try CClient(peer.path)
        let call = try client.begin(waymark_get_identifier_for_vendor)
        #expect(try client.events(untilEndOf: call).map(\.error) == [-EPROTO])
    }

    @Test func `an account's identifier is asked at the socket of waymark-sync, and its errors name that`() throws {
        let requests = Mutex<[String]>([])
        let identifier = "c7a3f1de-9b52-4d06-8f0e-31b9a6e4d2c8"
        let answers = [
            #"{"parameters":{"identifier":"\#(identifier)"}}"#,
            #"{"error":"io.waymark.Sync.NoAccount","parameters":{"message":"Join one."}}"#,
            #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"GetAccountIdentifier"}}"#, nil,
        ]
        let peer = try HostilePeer(connections: answers.count) { connection, index in
            guard let greeting = HostilePeer.receive(connection) else { return }
            HostilePeer.send(#"{"parameters":{"protocol":1}}"#, to: connection)
            guard let request = HostilePeer.receive(connection) else { return }
            requests.withLock { $0 += [greeting, request] }
            if let answer = answers[index] { HostilePeer.send(answer, to: connection) }
        }
        // No daemon is needed.
        let client = try CClient("/nonexistent")
        var taken: [(error: Int32, text: String)] = []
        for _ in answers {
            let call = try client.begin { waymark_get_account_identifier($0, peer.path, "org.example.notes", $1) }
            var isOpen = true
            while isOpen, waymark_wait(client.pointer, 60_000) > 0 {
                var event: OpaquePointer?
                while waymark_next(client.pointer, &event) == 1 {
                    if let found = waymark_event_identifier(event) {
                        taken.append((0, String(cString: found.pointee.identifier)))
                        #expect(found.pointee.vendor == nil && waymark_event_tracking(event) == nil)
                        #expect(waymark_event_type(event) == Int32(WAYMARK_EVENT_IDENTIFIER.rawValue))
                    } else if waymark_event_error(event) < 0 {
                        taken.append((waymark_event_error(event), String(cString: waymark_event_message(event))))
                    }
                    if waymark_event_type(event) == CClient.ended, waymark_event_call(event) == call { isOpen = false }
                    waymark_event_free(event)
                }
            }
        }
        #expect(taken.map(\.error) == [0, -10_037, WAYMARK_ERROR_INCOMPATIBLE.rawValue, -ECONNRESET])
        #expect(taken[0].text == identifier && taken[1].text == "Join one.")
        #expect(taken[2].text.hasPrefix("waymark-sync is older") && taken[3].text.hasPrefix("waymark-sync ended"))
        #expect(requests.withLock { $0[1].contains(#""container":"org.example.notes""#) && $0[0].contains("GetInfo") })
    }

    @Test func `an advertising identifier is reported with the status, and an obstacle with its word`() throws {
        let peer = try HostilePeer(connections: 2) { connection, index in
            guard HostilePeer.receive(connection) != nil else { return }
            HostilePeer.send(
                index == 0
                    ? #"{"parameters":{"identifier":"00000000-0000-0000-0000-000000000000","status":"denied"}}"#
                    : #"{"parameters":{"status":"notDetermined","obstacle":"aLaterWord"}}"#, to: connection)
        }
        let client = try CClient(peer.path)
        var seen: [String] = []
        for begin in [waymark_get_advertising_identifier, waymark_request_tracking_authorization] {
            let call = try client.begin(begin)
            var isOpen = true
            while isOpen, waymark_wait(client.pointer, 60_000) > 0 {
                var event: OpaquePointer?
                while waymark_next(client.pointer, &event) == 1 {
                    if let found = waymark_event_tracking(event)?.pointee {
                        let word = found.obstacle_word.map { String(cString: $0) } ?? "-"
                        seen.append("\(waymark_event_type(event)) \(found.status) \(found.obstacle) \(word)")
                    }
                    if waymark_event_type(event) == CClient.ended, waymark_event_call(event) == call { isOpen = false }
                    waymark_event_free(event)
                }
            }
        }
        #expect(seen == ["15 2 0 -", "16 0 4 aLaterWord"])
    }

    @Test func `a flood of replies is read only as fast as the program takes events`() throws {
        let peer = try HostilePeer { connection, _ in
            let flood = #"{"parameters":{"path":\#(Self.path)},"continues":true}"#
            for _ in 0..<100_000 where !HostilePeer.send(flood, to: connection) { return }
        }
        let client = try CClient(peer.path)
        let call = try client.begin(waymark_monitor_path)
        var queued: Int32 = 0
        while queued < 64 { queued = waymark_process(client.pointer) }
        for _ in 0..<50 { #expect(queued == 64 && waymark_process(client.pointer) == 64) }
        #expect(waymark_timeout(client.pointer) == 0, "a program that polls is called again at once")
        for _ in 0..<1_000 { #expect(try client.next()?.type == CClient.path) }
        #expect(waymark_end(client.pointer, call) == 0)
        #expect(waymark_process(client.pointer) == 0)
    }

    @Test func `a peer that closes at once is tried again, more and more seldom`() throws {
        let peer = try HostilePeer(connections: 3) { connection, index in
            guard index == 2, HostilePeer.receive(connection) != nil else { return }
            HostilePeer.send(#"{"parameters":{"path":\#(Self.path)},"continues":true}"#, to: connection)
            _ = HostilePeer.receive(connection)
        }
        let client = try CClient(peer.path)
        _ = try client.begin(waymark_monitor_path)
        let types = try (0..<3).map { _ in try client.next()?.type }
        #expect(types == [CClient.interrupted, CClient.resumed, CClient.path])
    }

    @Test func `an event of a region is reported once, although a restarted daemon sends it again`() throws {
        let requests = Mutex<[String]>([])
        let peer = try HostilePeer(connections: 2) { connection, index in
            _ = HostilePeer.receive(connection)
            HostilePeer.send(#"{"parameters":{"protocol":1}}"#, to: connection)
            guard let request = HostilePeer.receive(connection) else { return }
            requests.withLock { $0.append(request) }
            for sequence in 1...(index + 1) {
                let event =
                    #"{"sequence":\#(sequence),"region":"yard","kind":"left","time":0,"passedThrough":false,"isSimulated":false}"#
                HostilePeer.send(#"{"parameters":{"event":\#(event)},"continues":true}"#, to: connection)
            }
            if index == 1 { _ = HostilePeer.receive(connection) }
        }
        let client = try CClient(peer.path)
        let call = try client.begin { waymark_monitor_regions($0, "m", -1, $1) }
        var sequences: [Int64] = []
        while sequences.count < 2, waymark_wait(client.pointer, 60_000) > 0 {
            var event: OpaquePointer?
            while waymark_next(client.pointer, &event) == 1 {
                if let border = waymark_event_region(event) { sequences.append(border.pointee.sequence) }
                waymark_event_free(event)
            }
        }
        #expect(sequences == [1, 2])
        #expect(requests.withLock { $0.map { $0.contains(#""after":1"#) } } == [false, true])
        #expect(waymark_end(client.pointer, call) == 0)
    }

    @Test func `an event of the app is reported once, although a restarted daemon sends it again`() throws {
        let requests = Mutex<[String]>([])
        let peer = try HostilePeer(connections: 2) { connection, index in
            _ = HostilePeer.receive(connection)
            HostilePeer.send(#"{"parameters":{"protocol":1}}"#, to: connection)
            guard let request = HostilePeer.receive(connection) else { return }
            requests.withLock { $0.append(request) }
            let events = [
                #"{"sequence":1,"cause":"target","host":"192.0.2.1","port":443,"time":7.5}"#,
                #"{"sequence":4,"cause":"push","container":"org.example.notes","time":8}"#,
                #"{"sequence":5,"cause":"aLaterWord","time":9}"#,
            ]
            for event in events[..<(index + 2)] {
                HostilePeer.send(#"{"parameters":{"event":\#(event)},"continues":true}"#, to: connection)
            }
            if index == 1 { _ = HostilePeer.receive(connection) }
        }
        let client = try CClient(peer.path)
        let call = try client.begin { waymark_monitor_wakes($0, -1, $1) }
        var wakes: [String] = []
        while wakes.count < 3, waymark_wait(client.pointer, 60_000) > 0 {
            var event: OpaquePointer?
            while waymark_next(client.pointer, &event) == 1 {
                if let wake = waymark_event_wake(event)?.pointee {
                    let words = [wake.cause_word, wake.host, wake.container].map {
                        $0.map { String(cString: $0) } ?? "-"
                    }
                    wakes.append(
                        "\(wake.sequence) \(wake.cause) \(words.joined(separator: " ")) \(wake.port) \(wake.time)")
                }
                waymark_event_free(event)
            }
        }
        #expect(
            wakes == [
                "1 5 target 192.0.2.1 - 443 7.5", "4 6 push - org.example.notes 0 8.0", "5 7 aLaterWord - - 0 9.0",
            ])
        #expect(requests.withLock { $0.map { $0.contains(#""after":4"#) } } == [false, true])
        #expect(waymark_end(client.pointer, call) == 0)
    }

    @Test(
        arguments: [
            (
                #"{"launch":"woken","cause":"push","reasons":[{"cause":"push","container":"c","first":3}]}"#,
                "true 6 push [6 push - c 3]"
            ),
            (
                #"{"launch":"ownStart","reasons":[{"cause":"regions","monitor":"m","first":7},{"cause":"path","first":2}]}"#,
                "false 0 - [1 regions m - 7, 4 path - - 2]"
            ),
            (#"{"launch":"aLaterWord","cause":"path","reasons":[]}"#, "false 0 - []"),
            (#"{"launch":"woken","cause":"aLaterWord","reasons":[]}"#, "true 7 aLaterWord []"),
            (#"{"launch":"ownStart","reasons":[],"isAfterForcedQuit":true}"#, "false 0 - [] clean"),
        ])
    func `the reason of a launch has the pending events, and nothing beyond them`(_ reply: String, _ text: String)
        throws
    {
        let peer = try HostilePeer { connection, _ in
            _ = HostilePeer.receive(connection)
            HostilePeer.send(#"{"parameters":\#(reply)}"#, to: connection)
            _ = HostilePeer.receive(connection)
        }
        let client = try CClient(peer.path)
        _ = try client.begin(waymark_get_launch_reason)
        #expect(waymark_wait(client.pointer, 60_000) > 0)
        var event: OpaquePointer?
        #expect(waymark_next(client.pointer, &event) == 1)
        defer { waymark_event_free(event) }
        let reason = try #require(waymark_event_launch_reason(event)).pointee
        func word(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "-" }
        let pending = (0..<reason.pending_count).compactMap { waymark_event_pending(event, $0)?.pointee }.map {
            "\($0.cause) \(word($0.cause_word)) \(word($0.monitor)) \(word($0.container)) \($0.first)"
        }
        let found =
            "\(reason.is_woken) \(reason.cause) \(word(reason.cause_word)) [\(pending.joined(separator: ", "))]"
            + (reason.is_after_forced_quit ? " clean" : "")
        #expect(found == text)
        #expect(waymark_event_pending(event, reason.pending_count) == nil)
    }

    @Test func `a state of protected data is reported once, although a daemon repeats it`() throws {
        let available = #""isProtectedDataAvailable":true"#
        let locking = available + #","becomesUnavailableIn":"#
        let replies = [
            [available, available, locking + "10", locking + "9.9", locking + "-1e308", locking + "1e308"],
            [#""isProtectedDataAvailable":false,"becomesUnavailableIn":1"#, available],
        ]
        let peer = try HostilePeer(connections: 2) { connection, index in
            _ = HostilePeer.receive(connection)
            // At once: repetitions are recognized by the instants at which they are received.
            let messages = replies[index].map { #"{"parameters":{\#($0)},"continues":true}"# + "\0" }
            HostilePeer.send(messages.flatMap { Array($0.utf8) }, to: connection)
            if index == 1 { _ = HostilePeer.receive(connection) }
        }
        let client = try CClient(peer.path)
        let call = try client.begin(waymark_monitor_protected_data)
        var states: [waymark_protected_data] = []
        while states.count < 6, waymark_wait(client.pointer, 60_000) > 0 {
            var event: OpaquePointer?
            while waymark_next(client.pointer, &event) == 1 {
                if let state = waymark_event_protected_data(event) { states.append(state.pointee) }
                waymark_event_free(event)
            }
        }
        #expect(states.map(\.state) == [1, 2, 2, 2, 0, 1])
        #expect(states.map(\.unavailable_at.isNaN) == [true, false, false, false, true, true])
        #expect(waymark_end(client.pointer, call) == 0)
    }

    @Test func `a call that ends while its events are queued leaves none behind`() throws {
        let peer = try HostilePeer { connection, _ in
            for _ in 0..<3 {
                HostilePeer.send(#"{"parameters":{"path":\#(Self.path)},"continues":true}"#, to: connection)
            }
            _ = HostilePeer.receive(connection)
            _ = HostilePeer.receive(connection)
        }
        let client = try CClient(peer.path)
        let call = try client.begin(waymark_monitor_path)
        while waymark_process(client.pointer) < 3 {}
        var event: OpaquePointer?
        #expect(waymark_next(client.pointer, &event) == 1)
        #expect(waymark_end(client.pointer, call) == 0 && waymark_end(client.pointer, call) == -ENOENT)
        #expect(waymark_next(client.pointer, &event) == 0 && event == nil)
        #expect(waymark_wait(client.pointer, -1) == -EDEADLK, "no event can come any more")
    }

    @Test func `an error of the peer has its number, name and sentence`() throws {
        let peer = try HostilePeer { connection, _ in
            _ = HostilePeer.receive(connection)
            HostilePeer.send(
                #"{"error":"io.waymark.Reachability.Unavailable","parameters":{"message":"No sockets."}}"#,
                to: connection)
        }
        let client = try CClient(peer.path)
        let call = try client.begin(waymark_get_path)
        let events = try client.events(untilEndOf: call)
        let expected = CClient.Taken(
            type: CClient.ended, call: call, error: WAYMARK_ERROR_NETWORK_UNAVAILABLE.rawValue, message: "No sockets.")
        #expect(events == [expected])
    }
}

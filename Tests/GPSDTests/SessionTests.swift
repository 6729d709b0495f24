import GPSD
import Location
import Testing

private let second: UInt64 = 1_000_000_000
private let banner = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
private let version = ProtocolVersion(release: "3.22", major: 3, minor: 14)

private func devices(_ paths: String...) -> String {
    let list = paths.map { #"{"class":"DEVICE","path":"\#($0)","driver":"NMEA0183"}"# }
    return #"{"class":"DEVICES","devices":[\#(list.joined(separator: ","))]}"# + "\r\n"
}

private func report(_ path: String) -> String { #"{"class":"TPV","device":"\#(path)","mode":1}"# + "\r\n" }

extension Session {
    fileprivate mutating func received(_ text: String, at now: UInt64) -> [Effect] {
        received(Array(text.utf8).span, at: now)
    }

    /// A session that watches since the time 0.
    fileprivate static func watching(random: @escaping () -> Double = { 0 }) -> Session {
        var session = Session(random: random)
        _ = session.want(at: 0)
        _ = session.connected(at: 0)
        _ = session.received(banner, at: 0)
        return session
    }
}

struct SessionTests {
    @Test func `an idle session has nothing to do`() {
        var session = Session()
        #expect(session.state == .idle)
        #expect(session.timerFired(at: 5) == [])
        #expect(session.received(banner, at: 5) == [])
        #expect(session.unwant(at: 5) == [])
        #expect(session.disconnected(.closedByPeer, at: 5) == [])
        #expect(session.state == .idle)
    }

    @Test func `a wanted session connects, is greeted and watches`() {
        var session = Session()
        let connecting = Session.State.connecting(attempt: 1, deadline: 5 * second)
        #expect(session.want(at: 0) == [.connect, .stateChanged(connecting), .armTimer(at: 5 * second)])
        #expect(session.want(at: 1) == [])
        let greeting = Session.State.greeting(attempt: 1, deadline: 6 * second)
        #expect(session.connected(at: second) == [.stateChanged(greeting), .armTimer(at: 6 * second)])
        let effects = session.received(banner, at: 2 * second)
        #expect(
            effects == [
                .send(Session.watchRequest), .stateChanged(.watching(version, attempt: 1, since: 2 * second)),
                .report(.version(version)),
            ])
        let request = String(decoding: Session.watchRequest, as: UTF8.self)
        #expect(request == "?WATCH={\"enable\":true,\"json\":true,\"pps\":true};\n")
    }

    @Test func `half a banner is no banner yet`() {
        var session = Session()
        _ = session.want(at: 0)
        _ = session.connected(at: 0)
        #expect(session.received(String(banner.prefix(20)), at: 1) == [])
        #expect(session.received(String(banner.dropFirst(20)), at: 2).contains(.send(Session.watchRequest)))
    }

    @Test func `many lines at once are reported in order`() {
        var session = Session.watching()
        let effects = session.received(report("/dev/a") + #"{"class":"AIS"}"# + "\n" + report("/dev/a"), at: 1)
        let reports = effects.compactMap { if case .report(let report) = $0 { report } else { nil } }
        let tpv = Report.tpv(TPV(mode: 1, receiver: "/dev/a"))
        #expect(reports == [tpv, .other("AIS"), tpv])
        #expect(session.counters.reports == 3)
    }

    @Test func `who does not say what gpsd says first is left after 5 seconds`() {
        var session = Session(random: { 0 })
        _ = session.want(at: 0)
        _ = session.connected(at: 0)
        #expect(session.received("220 mail.example ESMTP\r\n", at: second) == [])
        #expect(session.timerFired(at: 5 * second - 1) == [.armTimer(at: 5 * second)])
        let until = 5 * second + 100_000_000
        #expect(
            session.timerFired(at: 5 * second) == [
                .close, .stateChanged(.waiting(until: until, attempt: 1, because: .noGreeting)), .armTimer(at: until),
            ])
        #expect(session.counters.faults == [.notAnObject: 1])
    }

    @Test func `a gpsd of another protocol is refused with its version`() {
        var session = Session(random: { 0 })
        _ = session.want(at: 0)
        _ = session.connected(at: 0)
        let effects = session.received(#"{"class":"VERSION","proto_major":4,"proto_minor":1}"# + "\n" + banner, at: 0)
        let failure = SessionFailure.protocolVersion(major: 4, minor: 1)
        #expect(effects.first == .close)
        #expect(!effects.contains(.send(Session.watchRequest)))
        #expect(session.lastFailure == failure)
        #expect(failure.description == "gpsd speaks protocol 4.1, and only 3.x is understood")
    }

    @Test func `an attempt to connect without an answer ends`() {
        var session = Session(random: { 0 })
        _ = session.want(at: 0)
        let effects = session.timerFired(at: 5 * second)
        #expect(effects.first == .close)
        #expect(session.lastFailure == .connectTimedOut)
    }

    @Test func `a gpsd that was restarted is found again with growing waits`() {
        var session = Session.watching(random: { 0.999_999 })
        var now: UInt64 = 60 * second
        _ = session.disconnected(.closedByPeer, at: now)
        var waits: [UInt64] = []
        for _ in 0..<12 {
            guard case .waiting(let until, _, _) = session.state else { break }
            waits.append((until - now) / 1_000_000)
            now = until
            #expect(session.timerFired(at: now).first == .connect)
            _ = session.disconnected(.system(.init("connect", code: 111)), at: now)
        }
        #expect(waits == [199, 399, 799, 1599, 3199, 6399, 12799, 25599, 29999, 29999, 29999, 29999])
        #expect(session.counters.failures == 13)
        guard case .waiting(let until, _, _) = session.state else { return }
        #expect(session.timerFired(at: until).first == .connect)
        _ = session.connected(at: until)
        #expect(session.received(banner, at: until).contains(.send(Session.watchRequest)))
    }

    @Test func `a gpsd that greets and hangs up at once does not reset the waits`() {
        var session = Session(random: { 0.999_999 })
        _ = session.want(at: 0)
        var now: UInt64 = 0
        for _ in 0..<10 {
            _ = session.connected(at: now)
            _ = session.received(banner, at: now)
            _ = session.disconnected(.closedByPeer, at: now)
            guard case .waiting(let until, _, _) = session.state else { break }
            now = until
            _ = session.timerFired(at: now)
        }
        #expect(now > 60 * second)
    }

    @Test func `a session that is no longer wanted closes its connection and discards its state`() {
        var session = Session.watching()
        _ = session.received(devices("/dev/a"), at: 0)
        #expect(session.unwant(at: second) == [.close, .stateChanged(.idle), .disarmTimer])
        #expect(session.receivers.byPath.isEmpty)
        #expect(session.received(report("/dev/a"), at: second) == [])
    }

    @Test func `a session that waits has nothing to close`() {
        var session = Session.watching()
        _ = session.disconnected(.closedByPeer, at: 0)
        #expect(session.unwant(at: 1) == [.stateChanged(.idle), .disarmTimer])
    }

    @Test func `receivers appear and are removed`() {
        var session = Session.watching()
        let both = session.received(devices("/dev/a", "/dev/b"), at: 0)
        #expect(both.prefix(2) == [.receiver("/dev/a", .appeared), .receiver("/dev/b", .appeared)])
        let removed = session.received(#"{"class":"DEVICE","path":"/dev/a","activated":0}"# + "\n", at: 1)
        #expect(removed.first == .receiver("/dev/a", .removed))
        #expect(session.received(devices(), at: 2).first == .receiver("/dev/b", .removed))
    }

    @Test func `a receiver removed without a word is stale while the socket stays open`() {
        var session = Session.watching()
        _ = session.received(devices("/dev/a", "/dev/b"), at: 0)
        for tick in 1...7 as ClosedRange<UInt64> { _ = session.received(report("/dev/b"), at: tick * second) }
        #expect(
            session.timerFired(at: 5 * second) == [.receiver("/dev/a", .becameStale), .armTimer(at: 12 * second)])
        #expect(session.received(report("/dev/a"), at: 9 * second).first == .receiver("/dev/a", .recovered))
    }

    @Test func `a receiver that reports slowly has 3 of its cycles`() {
        var session = Session.watching()
        let device = #"{"class":"DEVICE","path":"/dev/a","cycle":10.0}"# + "\n"
        _ = session.received(device, at: 0)
        #expect(session.timerFired(at: 29 * second) == [.armTimer(at: 30 * second)])
        #expect(
            session.timerFired(at: 30 * second) == [
                .receiver("/dev/a", .becameStale), .send(Session.inquiryRequest), .armTimer(at: 35 * second),
            ])
    }

    @Test func `a receiver that reports anything is alive, and has reported positions only with a TPV`() {
        var session = Session.watching()
        _ = session.received(devices("/dev/a"), at: 0)
        for tick in 1...9 as ClosedRange<UInt64> {
            _ = session.received(#"{"class":"AIS","device":"/dev/a","type":1}"# + "\n", at: tick * second)
            #expect(!session.timerFired(at: tick * second).contains(.receiver("/dev/a", .becameStale)))
        }
        #expect(session.receivers.byPath["/dev/a"]?.positionReportedAt == .some(nil))
        _ = session.received(report("/dev/a"), at: 10 * second)
        #expect(session.receivers.byPath["/dev/a"]?.positionReportedAt == 10 * second)
        // Pulses go on where the receiver's reports do not.
        let pulse =
            #"{"class":"PPS","device":"/dev/a","real_sec":1,"real_nsec":0,"clock_sec":1,"clock_nsec":0}"# + "\n"
        _ = session.received(pulse, at: 14 * second)
        #expect(session.timerFired(at: 15 * second).contains(.receiver("/dev/a", .becameStale)))
    }

    @Test func `a silent gpsd is queried, and without a reply the connection is made again`() {
        var session = Session.watching()
        _ = session.received(report("/dev/a"), at: 0)
        #expect(!session.timerFired(at: 9 * second).contains(.send(Session.inquiryRequest)))
        #expect(session.timerFired(at: 10 * second) == [.send(Session.inquiryRequest), .armTimer(at: 15 * second)])
        let awaitsAnswer = session.awaitsAnswer
        #expect(awaitsAnswer)
        // Half a line is no answer.
        _ = session.received("{\"class\"", at: 14 * second)
        let effects = session.timerFired(at: 15 * second)
        #expect(effects.first == .close)
        guard case .waiting(_, 1, .noAnswer) = session.state else {
            Issue.record("not made anew: \(session.state)")
            return
        }
        #expect(session.counters.reconnectsAfterSilence == 1 && session.counters.inquiries == 1)
        let stillAwaits = session.awaitsAnswer
        #expect(!stillAwaits)
    }

    @Test func `a gpsd that answers is asked ever less often, until a receiver reports again`() {
        var session = Session.watching()
        _ = session.received(report("/dev/a"), at: 0)
        var now: UInt64 = 0
        var waits: [UInt64] = []
        for _ in 0..<8 {
            let before = now
            while !session.awaitsAnswer {
                now += second
                _ = session.timerFired(at: now)
            }
            waits.append((now - before) / second)
            _ = session.received(devices("/dev/a"), at: now)
            let awaitsAnswer = session.awaitsAnswer
            #expect(!awaitsAnswer)
        }
        #expect(waits == [10, 20, 40, 80, 160, 300, 300, 300])
        #expect(session.counters.reconnectsAfterSilence == 0)
        _ = session.received(report("/dev/a"), at: now)
        #expect(session.timerFired(at: now + 10 * second).contains(.send(Session.inquiryRequest)))
    }

    @Test func `after a suspend a dead connection is replaced within seconds`() {
        var session = Session.watching()
        _ = session.received(report("/dev/a"), at: 0)
        // CLOCK_MONOTONIC stood still for hours: by it nothing is overdue.
        #expect(session.inquire(at: second).first == .send(Session.inquiryRequest))
        #expect(session.inquire(at: second) == [])
        #expect(session.timerFired(at: 6 * second).contains(.close))
        #expect(session.counters.reconnectsAfterSilence == 1)
        var idle = Session()
        #expect(idle.inquire(at: 0) == [])
    }

    @Test func `reports move a deadline without setting the timer each time`() {
        var session = Session.watching()
        _ = session.received(report("/dev/a"), at: 0)
        for tick in 1...4 as ClosedRange<UInt64> {
            let effects = session.received(report("/dev/a"), at: tick * second)
            #expect(effects == [.report(.tpv(TPV(mode: 1, receiver: "/dev/a")))])
        }
        #expect(session.timerFired(at: 5 * second) == [.armTimer(at: 9 * second)])
    }

    @Test func `a flood of devices is bounded`() {
        var session = Session.watching()
        for number in 0..<1000 { _ = session.received(report("/dev/\(number)"), at: 0) }
        #expect(session.receivers.byPath.count == 64)
        #expect(session.receivers.dropped == 936)
    }
}

struct BackoffTests {
    @Test func `waits stay between 100 ms and 30 s whatever the attempt and the dice`() {
        let backoff = Backoff()
        for attempt in [Int.min, -1, 0, 1, 2, 9, 63, 64, 1_000_000, .max] {
            for random in [-1.0, 0, 0.5, 0.999, 1, 2] {
                let delay = backoff.delay(attempt: attempt, random: random)
                #expect((100_000_000...30_000_000_000).contains(delay))
            }
        }
    }

    @Test func `a random number of a half is half the interval between the bounds`() {
        #expect(Backoff().delay(attempt: 3, random: 0.5) == 450_000_000)
    }

    @Test func `what an earlier process did not read is reported before gpsd's answer`() {
        var session = Session()
        let effects = session.resume(at: second)
        #expect(
            effects == [
                .stateChanged(.resuming(deadline: 6 * second)), .send(Session.versionRequest),
                .armTimer(at: 6 * second),
            ])
        #expect(String(decoding: Session.versionRequest, as: UTF8.self) == "?VERSION;\n")
        #expect(session.want(at: second) == [])
        let tpv = Report.tpv(TPV(mode: 1, receiver: "/dev/a"))
        #expect(
            session.received(report("/dev/a"), at: 2 * second) == [.receiver("/dev/a", .appeared), .report(tpv)])
        #expect(
            session.received(report("/dev/a") + banner + report("/dev/a"), at: 3 * second) == [
                .report(tpv), .send(Session.watchRequest),
                .stateChanged(.watching(version, attempt: 1, since: 3 * second)), .report(.version(version)),
                .report(tpv),
            ])
        #expect(session.counters.attempts == 0 && session.counters.unexpectedLines == 0)
        #expect(session.receivers.byPath.keys.sorted() == ["/dev/a"])
    }

    @Test func `a handed over connection that does not work is made again`() {
        let until = 5 * second + 100_000_000
        var silent = Session(random: { 0 })
        _ = silent.resume(at: 0)
        #expect(
            silent.timerFired(at: 5 * second) == [
                .close, .stateChanged(.waiting(until: until, attempt: 1, because: .noGreeting)), .armTimer(at: until),
            ])
        var ended = Session(random: { 0 })
        _ = ended.resume(at: 0)
        _ = ended.received(report("/dev/a"), at: 0)
        _ = ended.disconnected(.closedByPeer, at: 5 * second)
        #expect(ended.state == .waiting(until: until, attempt: 1, because: .closedByPeer))
        #expect(ended.receivers.byPath.isEmpty)
        #expect(ended.timerFired(at: until).first == .connect)
        var other = Session(random: { 0 })
        _ = other.resume(at: 0)
        #expect(other.received(#"{"class":"VERSION","proto_major":4,"proto_minor":1}"# + "\n", at: 0).first == .close)
        var unwanted = Session()
        _ = unwanted.resume(at: 0)
        #expect(unwanted.unwant(at: 1) == [.close, .stateChanged(.idle), .disarmTimer])
    }
}

import Location
import Testing

@testable import Upload

/// The behaviour of an uploader in one situation at a time.
@Suite struct UploaderTests {
    @Test func `positions are sent as they are recorded, and no timer is armed while none is pending`() throws {
        var bench = Bench()
        #expect(bench.state == .idle)
        #expect(bench.timer == nil)
        bench.record()
        #expect(bench.sent.map { $0.positions.map(\.sequence) } == [[1]])
        #expect(bench.timer != nil)
        bench.record(3)
        try bench.serve()
        #expect(bench.sent.map { $0.positions.map(\.sequence) } == [[1], [2, 3, 4]])
        #expect(bench.cursor == 4)
        #expect(bench.state == .idle)
        #expect(bench.timer == nil)
    }

    @Test func `an operator pauses, resumes and flushes`() throws {
        var configuration = Samples.configuration(.overland)
        configuration.queue.expensive = .defer
        var bench = Bench(configuration, positions: 2)
        bench.act { $0.pause(at: $1) }
        #expect(bench.state == .paused)
        // Transfers in flight may end.
        try bench.answer(Samples.ok)
        #expect(bench.cursor == 2)
        bench.record()
        #expect(bench.open.isEmpty)
        bench.act { $0.flush(at: $1) }
        #expect(bench.open.isEmpty)
        bench.act { $0.resume(at: $1) }
        #expect(bench.open.count == 1)
        try bench.answer(HTTPAnswer(status: 403))
        #expect(
            bench.state == .blocked(.unauthorized(status: 403), until: bench.now.monotonicNanoseconds + 900_000_000_000)
        )
        bench.act { $0.flush(at: $1) }
        try bench.serve()
        bench.notify(Samples.target(.reachable, generation: 2, expensive: true))
        bench.record(2)
        #expect(bench.open.isEmpty)
        bench.act { $0.flush(at: $1) }
        try bench.serve()
        #expect(bench.cursor == 5)
        bench.record()
        #expect(bench.open.isEmpty)
    }

    @Test(arguments: [401, 403, 407])
    func `a credential that is not accepted blocks for a quarter of an hour, and loses nothing`(_ status: Int) throws {
        var bench = Bench(positions: 3)
        try bench.answer(HTTPAnswer(status: status))
        bench.pass(.seconds(899))
        #expect(bench.open.isEmpty)
        bench.pass(.seconds(1))
        try bench.answer(HTTPAnswer(status: status))
        var other = Samples.configuration(.overland)
        other.credential.kind = .bearer
        other.credential.name = "token"
        bench.act { $0.configure(other, at: $1) }
        try bench.answer(HTTPAnswer(status: status))
        bench.notify(Samples.target(.reachable, generation: 2, index: 5))
        try bench.serve()
        #expect(bench.cursor == 3)
        #expect(bench.deadLetters.isEmpty)
    }

    @Test func `other credentials, or the same configuration once more, are tried at once`() throws {
        for isRenewed in [false, true] {
            var bench = Bench(positions: 3)
            try bench.answer(HTTPAnswer(status: 401))
            bench.act { $0.configure(Samples.configuration(.overland), isRenewed: isRenewed, at: $1) }
            #expect(bench.open.count == 1)
            bench.act { $0.configure(Samples.configuration(.overland), isRenewed: isRenewed, at: $1) }
            // Transfers in flight are given up only if the credentials have changed.
            #expect(bench.sent.count == (isRenewed ? 3 : 2))
            try bench.serve()
            #expect(bench.cursor == 3)
        }
    }

    @Test func `an incompletely configured uploader sends nothing until it is complete`() throws {
        var bench = Bench(positions: 3)
        bench.act { $0.configure(Samples.configuration(.overland), isComplete: false, at: $1) }
        #expect(bench.open.isEmpty && bench.state == .blocked(.notConfigured, until: .max))
        bench.act { $0.configure(Samples.configuration(.overland), at: $1) }
        try bench.serve()
        #expect(bench.cursor == 3)
        let uploader = Uploader(Samples.configuration(.overland), isComplete: false)
        #expect(!uploader.isConfigured)
    }

    @Test func `after a sleep an attempt is made at once, and the age of positions is computed again`() throws {
        var bench = Bench(positions: 3)
        try bench.fail(.connect)
        #expect(bench.open.isEmpty)
        bench.act { $0.clockChanged(hasSlept: false, at: $1) }
        #expect(bench.open.isEmpty)
        bench.act { $0.clockChanged(hasSlept: true, at: $1) }
        #expect(bench.open.count == 1)

        var waiting = Bench(positions: 3, isReachable: false)
        waiting.notify(Samples.target(.reachable, constrained: true))
        guard case .deferred = waiting.state else {
            Issue.record("\(waiting.state)")
            return
        }
        waiting.sleep(.seconds(7_200))
        #expect(waiting.open.isEmpty)
        waiting.act { $0.clockChanged(hasSlept: true, at: $1) }
        #expect(waiting.open.count == 1)
    }

    @Test func `a device that the destination does not know blocks`() throws {
        for status in [400, 404] {
            var bench = Bench(Samples.configuration(.osmand), positions: 1)
            try bench.answer(HTTPAnswer(status: status))
            #expect(
                bench.state
                    == .blocked(.unknownDevice(status: status), until: bench.now.monotonicNanoseconds + 900_000_000_000)
            )
        }
    }

    @Test func `a response to a transfer that was given up changes nothing`() throws {
        var bench = Bench(positions: 2)
        let first = try #require(bench.open.first)
        bench.notify(Samples.target(.unreachable, .noRoute, generation: 2))
        bench.act { $0.answered(first.id, with: Samples.ok, at: $1) }
        #expect(bench.cursor == 0)
        #expect(bench.uploader.report.late == 1)
        bench.notify(Samples.target(.reachable, generation: 3))
        try bench.answer(Samples.ok)
        bench.act { $0.answered(first.id, with: Samples.ok, at: $1) }
        #expect(bench.cursor == 2)
        #expect(bench.uploader.report.sent == 2)
    }

    @Test func `positions that may no longer be sent are discarded at once`() throws {
        var bench = Bench(positions: 20)
        #expect(bench.open.count == 1)
        bench.act { $0.recordingLost(isWithdrawn: true, at: $1) }
        #expect(bench.open.isEmpty)
        #expect(bench.state == .waitingForRecording)
        let before = bench.sent.count
        bench.notify(Samples.target(.reachable, generation: 9, index: 7))
        bench.act { $0.flush(at: $1) }
        #expect(bench.sent.count == before)
    }

    @Test func `a restarted daemon gets the acknowledgements again that were not stored`() throws {
        let bench = Bench(positions: 2)
        let now = bench.now
        var uploader = bench.uploader
        let transfer = try #require(bench.open.first)
        _ = uploader.recordingLost(isWithdrawn: false, at: now)
        let silent = uploader.answered(transfer.id, with: Samples.ok, at: now)
        #expect(!silent.contains(.acknowledge(Acknowledgement(upTo: 2, sent: 2))))
        let effects = uploader.recordingOpened(Samples.recording, cursor: 0, last: 2, at: now)
        #expect(effects.contains(.acknowledge(Acknowledgement(upTo: 2, sent: 2))))
        // Another recording has another queue.
        let other = uploader.recordingOpened(Samples.otherRecording, cursor: 0, last: 3, at: now)
        #expect(other.reads.map(\.after) == [0])
    }

    @Test func `an outcome is reported only when it changes`() throws {
        var bench = Bench(positions: 1)
        try bench.serve()
        for _ in 0..<5 {
            bench.record()
            try bench.serve()
        }
        #expect(bench.outcomes == [.answered])
        bench.record()
        try bench.answer(Samples.portal)
        #expect(bench.outcomes == [.answered, .captive])
        guard case .backingOff(_, 1, .captive) = bench.state else {
            Issue.record("\(bench.state)")
            return
        }
        bench.pass(.seconds(5))
        try bench.answer(HTTPAnswer(status: 500))
        bench.pass(.seconds(5))
        try bench.fail(.connect)
        #expect(bench.outcomes == [.answered, .captive, .answered, .failed])
    }

    @Test func `without a destination nothing is sent`() {
        let bench = Bench(UploadConfiguration(), positions: 1)
        #expect(bench.state == .blocked(.notConfigured, until: .max))
        #expect(bench.sent.isEmpty)
    }
}

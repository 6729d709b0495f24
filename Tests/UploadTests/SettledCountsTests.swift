import TestSupport
import Testing

@testable import Upload

/// The counts of sent and filtered positions: each is counted once, whatever ends between.
@Suite struct SettledCountsTests {
    @Test func `numbers above the cursor are counted, and stored when the cursor passes them`() {
        var counts = SettledCounts()
        counts.sent.insert([1, 2, 3, 9])
        counts.filtered.insert([4, 5])
        #expect(counts.sent.all == 4 && counts.sent.stored == 0)
        #expect(counts.acknowledgement(upTo: 5) == Acknowledgement(upTo: 5, sent: 3, filtered: 2))
        counts.store(through: 5)
        #expect(counts.sent.all == 4 && counts.sent.stored == 3 && counts.filtered.stored == 2)
        #expect(counts.acknowledgement(upTo: 5) == Acknowledgement(upTo: 5))
        #expect(counts.acknowledgement(upTo: 9) == Acknowledgement(upTo: 9, sent: 1))
    }

    @Test func `a recording that was opened again says what it has stored, whether the reply was lost or not`() {
        for isStored in [false, true] {
            var counts = SettledCounts()
            counts.sent.reopen(through: 10, stored: 7)
            counts.sent.insert(11...14)
            let lost = counts.acknowledgement(upTo: 12)
            #expect(lost.sent == 2)
            counts.sent.reopen(through: isStored ? 12 : 10, stored: isStored ? 9 : 7)
            #expect(counts.sent.all == 11)
            #expect(counts.acknowledgement(upTo: 14).sent == (isStored ? 2 : 4))
        }
    }

    @Test func `with too many ranges numbers are counted early rather than never`() {
        var counts = SettledCounts()
        let most = Int64(SettledCounts.Kind.mostRanges)
        counts.sent.insert((1...most + 100).map { $0 * 2 })
        #expect(counts.sent.all == most + 100)
        #expect(counts.acknowledgement(upTo: 2).sent == 101)
        counts.store(through: 2)
        #expect(counts.sent.all == most + 100 && counts.sent.stored == 101)
        counts.store(through: .max)
        #expect(counts.sent.stored == most + 100 && counts.sent.unstored == 0)
    }

    @Test func `a new process goes on counting, and counts what was sent ahead of the order once`() throws {
        var bench = Bench(positions: 400)
        try bench.serve(stopping: { $0.sent.count > 3 })
        #expect(bench.uploader.report.sentInAll > 0)
        bench.restart()
        try bench.serve()
        #expect(bench.uploader.report.sentInAll == 400 && bench.counted.sent == 400)
        bench.restart()
        #expect(bench.uploader.report.sentInAll == 400 && bench.uploader.report.sent == 0)
        bench.record()
        try bench.serve()
        #expect(bench.uploader.report.sentInAll == 401 && bench.counted.sent == 401)
    }

    @Test func `another recording has other counts`() throws {
        let bench = Bench(positions: 3)
        var uploader = bench.uploader
        _ = uploader.answered(try #require(bench.open.first).id, with: Samples.ok, at: bench.now)
        #expect(uploader.report.sentInAll == 3)
        _ = uploader.recordingOpened(Samples.otherRecording, cursor: 7, last: 9, sent: 5, at: bench.now)
        #expect(uploader.report.sentInAll == 5)
    }
}

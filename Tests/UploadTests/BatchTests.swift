import Location
import Testing

@testable import Upload

/// Which positions are sent together, in which order, and what happens to refused ones.
@Suite struct BatchTests {
    @Test func `batches grow while responses are quick, and halved after a timeout or when too large`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 2_000)
        #expect(bench.open.first?.lane == .current)
        try bench.answer(Samples.ok)
        var sizes: [Int] = []
        for _ in 0..<5 {
            sizes.append(bench.open.first?.positions.count ?? 0)
            try bench.answer(Samples.ok)
        }
        #expect(sizes == [16, 32, 64, 128, 200])
        bench.pass(.seconds(60))
        bench.pass(.seconds(1))
        #expect(bench.open.first?.lane == .current)
        try bench.answer(Samples.ok)
        #expect(bench.open.first?.positions.count == 100)
        try bench.answer(HTTPAnswer(status: 413))
        #expect(bench.open.first?.positions.count == 50)
        try bench.serve()
        #expect(bench.cursor == 2_000)
        #expect(bench.sent.suffix(10).allSatisfy { $0.positions.count <= 50 })
    }

    @Test func `slow responses do not make batches grow`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 100)
        try bench.answer(Samples.ok)
        bench.pass(.seconds(3))
        try bench.answer(Samples.ok)
        #expect(bench.open.first?.positions.count == 16)
    }

    @Test func `a single position that is too large becomes a dead letter`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 3)
        try bench.serve { $0.positions.contains { $0.sequence == 2 } ? HTTPAnswer(status: 413) : Samples.ok }
        #expect(bench.deadLetters.keys.sorted() == [2])
        #expect(bench.cursor == 3)
    }

    @Test func `after several refusals in a row a newer position shows whether they concern the positions`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 300)
        try bench.serve { $0.positions.contains { $0.sequence <= 50 } ? HTTPAnswer(status: 400) : Samples.ok }
        #expect(bench.deadLetters.keys.sorted() == Array(1...50))
        #expect(bench.cursor == 300)
    }

    @Test func `dead letters that are refused again remain dead letters`() throws {
        var bench = Bench(Samples.configuration(.geojson), positions: 40)
        let classify: (Transfer) -> HTTPAnswer = {
            $0.positions.contains { $0.sequence.isMultiple(of: 10) } ? HTTPAnswer(status: 422) : Samples.ok
        }
        try bench.serve(classify)
        bench.act { $0.retryRejected(at: $1) }
        try bench.fail(.connect)
        bench.pass(.seconds(10))
        try bench.serve { $0.positions.contains { $0.sequence == 20 } ? HTTPAnswer(status: 422) : Samples.ok }
        #expect(bench.deadLetters.keys.sorted() == [20])
        #expect(bench.state == .idle)
    }

    @Test func `with the order newest the newest position is sent first and the cursor follows from below`() throws {
        var configuration = Samples.configuration(.geojson)
        configuration.queue.order = .newest
        var bench = Bench(configuration, positions: 1_000)
        #expect(bench.open.first?.positions.last?.sequence == 1_000)
        try bench.answer(Samples.ok)
        #expect(bench.cursor == 0)
        try bench.serve()
        #expect(bench.cursor == 1_000)
        let firsts = bench.sent.compactMap(\.positions.first?.sequence)
        #expect(firsts == firsts.sorted(by: >))
        #expect(bench.sent.flatMap(\.positions).count == 1_000)
    }

    @Test func `the transfer that was announced as the next one is sent next`() throws {
        for format in [UploadFormat.owntracks, .geojson, .overland] {
            var bench = Bench(Samples.configuration(format), positions: 3_000)
            var hits = 0
            while !bench.open.isEmpty, bench.sent.count < 40 {
                let prepared = bench.prepared
                try bench.answer(Samples.ok)
                if let prepared, let next = bench.open.first, prepared.sendsSame(as: next) { hits += 1 }
            }
            #expect(hits > 0)
            if format == .owntracks { #expect(hits >= 38, "all but the newest, which is sent ahead of the order") }
            bench.act { $0.configure(Samples.configuration(.osmand), at: $1) }
            #expect(bench.prepared?.positions.count ?? 1 == 1)
        }
    }

    @Test func `Overland gets the newest position beside each batch, and again in order`() throws {
        var bench = Bench(positions: 100)
        let first = try #require(bench.open.first)
        #expect(first.lane == .history)
        #expect(first.positions.map(\.sequence) == Array(1...16))
        #expect(first.current?.sequence == 100)
        try bench.serve()
        #expect(bench.sent.last?.positions.last?.sequence == 100)
        #expect(bench.sent.last?.current == nil)
        #expect(bench.sent.flatMap(\.positions).map(\.sequence) == Array(1...100))
    }
}

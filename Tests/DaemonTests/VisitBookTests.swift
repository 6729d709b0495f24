import Authorization
import Location
import Testing
import Tracking

@testable import Daemon

/// The visits of one app, and their text in the journal.
@Suite struct VisitBookTests {
    private let start = UTCTime(microseconds: 1_780_300_800_000_000)

    private func fix(_ seconds: Double, north: Double = 0, speed: Double = 0) throws -> Fix {
        Fix(
            time: UTCTime(microseconds: start.microseconds + Int64(seconds * 1e6)), receivedAt: UInt64(seconds * 1e9),
            coordinate: try #require(Coordinate(latitude: 47 + north / 111_195, longitude: -30)),
            horizontalAccuracy: 5, speed: speed, speedAccuracy: 0.2)
    }

    /// Drives to a place that is so many kilometres north, stays for ten minutes and drives on.
    private func visit(_ book: inout VisitBook, _ number: Int, leaves: Bool = true) throws {
        let begin = Double(number) * 3600
        let place = Double(number % 50) * 1000
        for second in 0..<60 {
            _ = book.receive(try fix(begin + Double(second), north: place + 15 * Double(second - 60), speed: 15))
        }
        for second in stride(from: 60, to: 660, by: 5) {
            _ = book.receive(try fix(begin + Double(second), north: place))
        }
        guard leaves else { return }
        for second in 660..<720 {
            _ = book.receive(try fix(begin + Double(second), north: place + 15 * Double(second - 659), speed: 15))
        }
    }

    @Test func `a book is read as it was stored`() throws {
        var book = VisitBook()
        for number in 0..<3 { try visit(&book, number, leaves: number < 2) }
        #expect(book.ended.count == 2 && book.current != nil)
        let saved = try #require(book.saved)
        let restored = try #require(VisitBook(saved: saved))
        #expect(restored.ended == book.ended)
        #expect(restored.current == book.current)
        #expect(restored.saved == saved)
    }

    @Test func `a visit goes on over a restart, and has its arrival when it ends`() throws {
        var book = VisitBook()
        try visit(&book, 1, leaves: false)
        let arrival = try #require(book.current?.arrival)
        let saved = try #require(book.saved)
        var restored = try #require(VisitBook(saved: saved))
        var departed: [Visit] = []
        for second in 0..<60 {
            let fix = try fix(9_000 + Double(second), north: 1_000 + 15 * Double(second), speed: 15)
            for case .departed(let visit) in restored.receive(fix).events { departed.append(visit) }
        }
        #expect(departed.map(\.arrival) == [arrival])
        #expect(try departed.map(\.departure) == [fix(9_000).time])
    }

    @Test func `a book that was read later is continued, at the same place and elsewhere`() throws {
        var whole = VisitBook()
        try visit(&whole, 0)
        var earlier = whole
        try visit(&earlier, 1, leaves: false)
        let arrival = try #require(earlier.current?.arrival)
        // Nothing was observed meanwhile.
        #expect(VisitBook().continuing(earlier).saved == earlier.saved)
        // A stay at the same place.
        var same = VisitBook()
        for second in stride(from: 4_300.0, to: 4_400, by: 5) { _ = same.receive(try fix(second, north: 1_000)) }
        #expect(same.current == nil)
        let continued = same.continuing(earlier)
        #expect(continued.ended == whole.ended && continued.current?.arrival == arrival)
        // Elsewhere: the visit ended when it was seen last.
        var elsewhere = VisitBook()
        try visit(&elsewhere, 2)
        let moved = elsewhere.continuing(earlier)
        #expect(moved.ended.count == 3 && moved.current == elsewhere.current)
        #expect(moved.ended[1].arrival == arrival)
        #expect(try moved.ended[1].departure == fix(3_600 + 655).time)
        #expect(moved.ended.last == elsewhere.ended.last)
    }

    @Test func `only the last hundred visits are stored`() throws {
        var book = VisitBook()
        for number in 0..<103 { try visit(&book, number) }
        #expect(book.ended.count == VisitBook.mostEnded)
        let first = try #require(book.ended.first?.arrival)
        #expect(first == (try fix(3 * 3600 + 60)).time)
        #expect(book.ended(since: first.secondsSinceEpoch + 3600).count == 99)
        #expect((book.saved ?? "").utf8.count < 20_000)
    }

    @Test func `a stay that lasts is stored every ten minutes, and not with every fix`() throws {
        var book = VisitBook()
        try visit(&book, 0, leaves: false)
        let saves = try (660..<4_260).count { second in book.receive(try fix(Double(second))).isSaveDue }
        #expect(saves == 6)
    }

    @Test(arguments: ["", "[]", #"{"stay":{"latitude":91}}"#, #"{"ended":1,"stay":2}"#, "{"])
    func `a text that is no book gives none, or an empty one`(text: String) {
        let book = VisitBook(saved: text)
        #expect(book?.current == nil && book?.ended.isEmpty ?? true)
    }

    @Test(arguments: [VisitKey(app: AppID(uid: 7, name: "trailmap"), uid: 7), VisitKey(app: nil, uid: 0)])
    func `a key is read from its name`(key: VisitKey) {
        #expect(VisitKey(savedName: key.savedName) == key)
    }

    @Test(arguments: ["upload 1 a b", "visits", "visits x a", "visits 1", "positionsSeen"])
    func `the name of another value is no key`(name: String) {
        #expect(VisitKey(savedName: name) == nil)
    }
}

import Testing

/// The order in which the numbers of positions have arrived at a server.
///
/// An uploader that is behind, as on a busy machine, sends the newest position ahead of the others, at most once a minute.
struct ArrivalOrder {
    /// Whether each number from 1 on has arrived, once.
    let isWhole: Bool
    /// How many arrived ahead of a lower one.
    let ahead: Int

    init(_ numbers: [Int64]) {
        var next: Int64 = 1
        var early: Set<Int64> = []
        var count = 0
        var isWhole = true
        for number in numbers {
            if number > next {
                count += 1
                if !early.insert(number).inserted { isWhole = false }
                continue
            }
            if number < next { isWhole = false }
            next = max(next, number + 1)
            while early.remove(next) != nil { next += 1 }
        }
        self.isWhole = isWhole && early.isEmpty
        ahead = count
    }

    /// How many an uploader may have sent ahead since it was started.
    static func mostAhead(since start: ContinuousClock.Instant) -> Int {
        1 + Int(start.duration(to: .now) / .seconds(60))
    }
}

/// Expects that each number from 1 on has arrived once, and in order but for those that were sent ahead.
func expectInOrder(
    _ numbers: [Int64], since start: ContinuousClock.Instant, sourceLocation: SourceLocation = #_sourceLocation
) {
    let order = ArrivalOrder(numbers)
    #expect(order.isWhole, "\(numbers)", sourceLocation: sourceLocation)
    #expect(order.ahead <= ArrivalOrder.mostAhead(since: start), "\(numbers)", sourceLocation: sourceLocation)
}

@Suite struct ArrivalOrderTests {
    @Test(
        arguments: [
            ([1, 2, 3, 4], true, 0), ([1, 4, 2, 3, 5], true, 1), ([1, 6, 2, 3, 5, 4], true, 2), ([], true, 0),
            ([1, 2, 2, 3], false, 0), ([1, 3, 4], false, 2), ([1, 4, 2, 3, 4], false, 1), ([2, 2, 1], false, 2),
        ] as [([Int64], Bool, Int)])
    func `numbers that arrive ahead are counted, and missing and doubled ones are noticed`(
        numbers: [Int64], isWhole: Bool, ahead: Int
    ) {
        let order = ArrivalOrder(numbers)
        #expect(order.isWhole == isWhole && order.ahead == ahead)
    }
}

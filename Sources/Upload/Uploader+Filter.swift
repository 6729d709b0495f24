import Location

extension Uploader {
    /// Adds the positions of a page to the queue, except those that the filter of the destination leaves out.
    mutating func append(_ page: RecordedPage, for request: ReadRequest, at now: Instant) {
        let wasAcknowledged = outbox.map { $0.cursor <= acknowledged } ?? true
        // The reference of a read out of the order, such as that of the newest position, is no later position's.
        let isInOrder = request.waits || request.after == outbox?.edge
        let limits = configuration.limits
        var filter = isInOrder ? filter : PositionFilter()
        var left: [Int64] = []
        let newest = outbox?.append(page, for: request) { row in
            if filter.admits(row.position, limits) { return true }
            left.append(row.sequence)
            return false
        }
        if isInOrder { self.filter = filter }
        noteNewest(of: page)
        report.filtered += UInt64(left.count)
        counts.filtered.insert(left)
        if newest != nil {
            filteredUntil = nil
            noteNewPosition()
        } else if !left.isEmpty, wasAcknowledged, filteredUntil == nil, transfers.isEmpty {
            filteredUntil = now.later(by: Self.filteredAcknowledgementDelay)
        }
    }
}

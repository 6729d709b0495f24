/// A page of the records that a query finds.
public struct QueryPage: Equatable, Sendable {
    /// The records.
    public var records: [Record] = []
    /// What continues after this page; nil at the end.
    public var cursor: [UInt8]?

    /// A page without records.
    public init() {}
}

extension RecordStore {
    /// A page of the records of a zone that a query finds and that the caller may read, in the order of the query, or without
    /// one in any order that remains the same as long as the schema does.
    ///
    /// A page evaluates a limited number of records, so that it can have few or none and continue all the same. A record that
    /// is not changed between two pages is in one of them, whatever happens to others; one that is changed may be in both or in
    /// none.
    /// - Parameters:
    ///   - cursor: What the previous page of the same query in the same zone ended with.
    ///   - limit: The most records of the page; never more than the limit of a request.
    public func find(
        _ query: Query, in zone: ZoneID, after cursor: [UInt8]? = nil, limit: Int = .max, by caller: Caller
    ) throws(EngineFailure) -> Answer<QueryPage> {
        try engine.read { (transaction) throws(EngineFailure) in
            switch try open(zone, caller, &transaction) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let (row, access)):
                let schema = try schema(for: [query.type], in: zone.container, &transaction)
                if let violation = schema.violation(of: query) { return .failure(.notInSchema(violation)) }
                let part: SharedPart?
                switch try self.part(access, of: zone, &transaction) {
                case .failure(let refusal): return .failure(refusal)
                case .success(let found): part = found
                }
                let reader = RecordReader(access: access, caller: caller, schema: schema, part: part)
                let search = QuerySearch(self, query, in: zone, row, reader, limit: limit)
                return try search.page(after: cursor, &transaction)
            }
        }
    }
}

/// A query about the records of a zone, for one page.
private struct QuerySearch<Engine: RecordEngine, Signer: TokenSigner> {
    private let store: RecordStore<Engine, Signer>
    private let query: Query
    private let filter: Query.Filter?
    private let zone: ZoneID
    private let row: ZoneRow
    private let reader: RecordReader
    private let limit: Int
    private let type: TypeDefinition
    private let plan: QueryPlan

    init(
        _ store: RecordStore<Engine, Signer>, _ query: Query, in zone: ZoneID, _ row: ZoneRow, _ reader: RecordReader,
        limit: Int
    ) {
        self.store = store
        self.query = query
        self.zone = zone
        self.row = row
        self.reader = reader
        self.limit = limit
        type = reader.schema.definition(of: query.type) ?? TypeDefinition(query.type)
        filter = query.filter?.searching(reader.schema.searchedFields(of: query.type))
        plan = type.plan(of: filter, in: query.order)
    }

    func page(after cursor: [UInt8]?, _ transaction: inout Engine.Transaction) throws(EngineFailure) -> Answer<
        QueryPage
    > {
        // A query that was begun without an index goes on without it.
        let isBegunWithout = query.order.isEmpty && cursor.map(ChangeToken.isCursor) == true
        let plan = isBegunWithout ? .everything : plan
        var start: QueryPosition?
        if let cursor, plan != .everything {
            guard let bytes = store.signer.open(cursor, place), let position = QueryPosition(bytes: bytes) else {
                return .failure(.changeTokenExpired(.foreign))
            }
            guard position.incarnation == row.incarnation else { return .failure(.changeTokenExpired(.replaced)) }
            start = position
        }
        switch plan {
        case .everything: return try everything(after: cursor, &transaction)
        case .scans(let scans): return .success(try page(of: scans, after: start, &transaction))
        case .ordered(let index, let narrowed):
            return try ordered(by: index, narrowed, after: start, &transaction)
        }
    }

    private var digest: [UInt8] { store.signer.digest(of: query.json) }
    /// What a cursor is valid for.
    private var place: [UInt8] { zone.context + digest + plan.digestible }

    private func matches(_ record: Record) -> Bool {
        record.type == query.type && filter?.matches(record.fields) ?? true && reader.mayRead(record)
    }

    private func cursor(_ keys: [IndexKey], _ record: RecordName, scan: Int = 0) -> [UInt8] {
        let position = QueryPosition(incarnation: row.incarnation, scan: scan, keys: keys, record)
        return store.signer.seal(position.bytes, place)
    }

    // Without an index

    private func everything(
        after cursor: [UInt8]?, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Answer<QueryPage> {
        let place = ChangeToken.Place.query(zone, digest)
        var position: UInt64 = 0
        if let cursor {
            guard let token = ChangeToken(cursor, for: place, store.signer) else {
                return .failure(.changeTokenExpired(.foreign))
            }
            guard token.incarnation == row.incarnation else { return .failure(.changeTokenExpired(.replaced)) }
            position = token.position
        }
        var evaluation = EvaluatedPage(limit: limit, store.rules)
        try transaction.forEachChange(in: zone, after: position, deletedAfter: .max) { row in
            guard let record = row.record else { return true }
            guard evaluation.admit(record, isFound: matches(record)) else { return false }
            position = row.counter
            return true
        }
        let token = ChangeToken(incarnation: row.incarnation, position: position, baseline: 0)
        return .success(evaluation.page(continuing: token.bytes(for: place, store.signer)))
    }

    // By indexes

    private func page(
        of scans: [IndexScan], after start: QueryPosition?, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> QueryPage {
        var evaluation = EvaluatedPage(limit: limit, store.rules)
        var last = start
        for (number, scan) in scans.enumerated() where number >= start?.scan ?? 0 && !evaluation.isFull {
            let first = number == start?.scan ? start?.entry : nil
            try forEachEntry(of: scan, after: first, descending: false, &transaction) { key, record in
                let isFound = isFirst(key, record, number, scans) && matches(record)
                guard evaluation.admit(record, isFound: isFound) else { return false }
                last = QueryPosition(incarnation: row.incarnation, scan: number, keys: [key], record.name)
                return true
            }
        }
        return evaluation.page(continuing: last.map { cursor($0.keys, $0.record, scan: $0.scan) })
    }

    /// Whether this is the first entry of a record in all scans: a record with several is found once.
    private func isFirst(_ key: IndexKey, _ record: Record, _ number: Int, _ scans: [IndexScan]) -> Bool {
        for scan in scans[..<number] {
            if type.keys(scan.index, record).contains(where: { scan.ranges.contains($0) }) { return false }
        }
        let scan = scans[number]
        return type.keys(scan.index, record).filter { scan.ranges.contains($0) }.min() == key
    }

    /// Passes the records of a scan after a place to the body until it returns false; returns whether it did.
    @discardableResult
    private func forEachEntry(
        of scan: IndexScan, after start: EntryPosition?, descending: Bool, _ transaction: inout Engine.Transaction,
        _ body: (IndexKey, Record) -> Bool
    ) throws(EngineFailure) -> Bool {
        var isEnded = false
        for range in descending ? scan.ranges.reversed() : scan.ranges {
            var first = EntryPosition(descending ? range.upper : range.lower)
            if let start {
                // Before the range everything was passed already, or nothing.
                if descending ? start.key < range.lower : start.key >= range.upper { continue }
                if range.contains(start.key) { first = start }
                if descending ? start.key >= range.upper : start.key < range.lower {
                    first = EntryPosition(descending ? range.upper : range.lower)
                }
            }
            try transaction.forEachEntry(
                of: scan.index, in: zone, after: first, until: descending ? range.lower : range.upper,
                descending: descending
            ) { key, record in
                isEnded = !body(key, record)
                return !isEnded
            }
            if isEnded { break }
        }
        return isEnded
    }

    // In an order

    private func ordered(
        by index: IndexScan?, _ narrowed: [IndexScan]?, after start: QueryPosition?,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Answer<QueryPage> {
        // A condition that few records fulfil is faster than the order.
        if let narrowed, let page = try sorted(by: narrowed, after: start, &transaction) { return .success(page) }
        if let index, let first = query.order.first, let place = first.place {
            if !first.isDescending, let page = try nearest(to: place, by: index, after: start, &transaction) {
                return .success(page)
            }
            if first.isDescending, let page = try sorted(by: [index], after: start, &transaction) {
                return .success(page)
            }
            return .failure(.limitExceeded(.sortedRecords, most: store.rules.limits.sortedRecords))
        }
        guard let index else {
            if narrowed == nil, let page = try sorted(by: nil, after: start, &transaction) { return .success(page) }
            return .failure(.limitExceeded(.sortedRecords, most: store.rules.limits.sortedRecords))
        }
        guard query.order.count == 1 else {
            if let page = try sorted(by: [index], after: start, &transaction) { return .success(page) }
            return .failure(.limitExceeded(.sortedRecords, most: store.rules.limits.sortedRecords))
        }
        return .success(try page(inOrderOf: index, after: start, &transaction))
    }

    /// Sorts the records of circles around a place, each larger than the one before, until one has a page; nil if there are too
    /// many in the last one.
    private func nearest(
        to place: StoredPlace, by scan: IndexScan, after start: QueryPosition?, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> QueryPage? {
        for radius in Self.radii {
            let ranges = PlaceCell.numbers(within: radius, of: place.coordinate)
            let circle = IndexScan(index: scan.index, ranges: scan.ranges.intersection(ranges))
            guard let found = try sorted(by: [circle], within: radius, after: start, &transaction) else { return nil }
            // Every record outside of the circle is farther away than those of a page that is full without it.
            if found.cursor != nil || radius == Self.radii.last { return found }
        }
        return nil
    }

    /// The radii of circles, in metres; the last one has the whole Earth in it.
    private static var radii: [Double] { [100, 1_000, 10_000, 100_000, 1_000_000, 30_000_000] }

    /// Sorts what scans find, or all records of the zone; nil if there are too many.
    /// - Parameter radius: The greatest distance from the place of the first order; nil for any.
    private func sorted(
        by scans: [IndexScan]?, within radius: Double? = nil, after start: QueryPosition?,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> QueryPage? {
        var page = SortedPage<Record>(
            query.order, after: start.map { ($0.keys, $0.record) }, limit: limit, store.rules.limits)
        var evaluated = 0
        let farthest = radius.flatMap { FiniteDouble($0) }.flatMap { IndexKey(.double($0)) }
        func isNear(_ record: Record) -> Bool {
            guard let farthest else { return true }
            return query.order.keys(of: record.value)?.first.map { $0 <= farthest } ?? false
        }
        func admit(_ record: Record, _ isFound: Bool) -> Bool {
            evaluated += 1
            guard evaluated <= store.rules.limits.sortedRecords else { return false }
            if isFound, isNear(record) { page.insert(record, record.name, size: record.size, record.value) }
            return true
        }
        if let scans {
            for (number, scan) in scans.enumerated() {
                let isEnded = try forEachEntry(of: scan, after: nil, descending: false, &transaction) { key, record in
                    admit(record, isFirst(key, record, number, scans) && matches(record))
                }
                if isEnded { return nil }
            }
        } else {
            try transaction.forEachChange(in: zone, after: 0, deletedAfter: .max) { row in
                row.record.map { admit($0, matches($0)) } ?? true
            }
            if evaluated > store.rules.limits.sortedRecords { return nil }
        }
        var found = QueryPage()
        found.records = page.items
        if page.isCut, let last = page.last { found.cursor = cursor(last.keys, last.record) }
        return found
    }

    private func page(
        inOrderOf scan: IndexScan, after start: QueryPosition?, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> QueryPage {
        var evaluation = EvaluatedPage(limit: limit, store.rules)
        var last: (keys: [IndexKey], record: RecordName)?
        let descending = query.order.first?.isDescending ?? false
        try forEachEntry(of: scan, after: start?.entry, descending: descending, &transaction) { key, record in
            let isFound = query.order.keys(of: record.value) == [key] && matches(record)
            guard evaluation.admit(record, isFound: isFound) else { return false }
            last = ([key], record.name)
            return true
        }
        return evaluation.page(continuing: last.map { cursor($0.keys, $0.record) })
    }
}

/// A page while records are evaluated for it: as many as fit, of a limited number of records.
private struct EvaluatedPage {
    private var records: [Record] = []
    private var room: PageRoom
    /// How many more records are evaluated.
    private var left: Int
    /// Whether a record was not admitted.
    private(set) var isFull = false

    init(limit: Int, _ rules: SyncRules) {
        room = PageRoom(limit: limit, rules.limits)
        left = rules.evaluatedRecords
    }

    /// Counts a record, and adds it if the query finds it. False if there is no room for it: then the page ends before it.
    mutating func admit(_ record: Record, isFound: Bool) -> Bool {
        guard left > 0, !isFound || room.admit(record.size) else {
            isFull = true
            return false
        }
        left -= 1
        if isFound { records.append(record) }
        return true
    }

    /// The page, with the cursor for the next one if it is full.
    func page(continuing cursor: @autoclosure () -> [UInt8]?) -> QueryPage {
        var page = QueryPage()
        page.records = records
        if isFull { page.cursor = cursor() }
        return page
    }
}

extension QueryPosition {
    /// The place of the record in the index.
    fileprivate var entry: EntryPosition? { keys.first.map { EntryPosition($0, record) } }
}

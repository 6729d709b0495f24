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
    /// A page of the records of a zone that a query finds and that the caller may read, in the order of their last changes.
    ///
    /// A page evaluates a limited number of records, so that it can have few or none and continue all the same. A record that
    /// is changed meanwhile is evaluated once more, later.
    /// - Parameters:
    ///   - cursor: What the previous page of the same query in the same zone ended with.
    ///   - limit: The most records of the page; never more than the limit of a request.
    public func find(
        _ query: Query, in zone: ZoneID, after cursor: [UInt8]? = nil, limit: Int = .max, by caller: Caller
    ) throws(EngineFailure) -> Answer<QueryPage> {
        let place = ChangeToken.Place.query(zone, signer.digest(of: query.json))
        return try engine.read { (transaction) throws(EngineFailure) in
            switch try open(zone, caller, &transaction) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let (row, access)):
                let schema = try schema(for: [query.type], in: zone.container, &transaction)
                if let violation = schema.violation(of: query) { return .failure(.notInSchema(violation)) }
                var start = ChangeToken(incarnation: row.incarnation, position: 0, baseline: 0)
                if let cursor {
                    guard let token = ChangeToken(cursor, for: place, signer) else {
                        return .failure(.changeTokenExpired(.foreign))
                    }
                    guard token.incarnation == row.incarnation else { return .failure(.changeTokenExpired(.replaced)) }
                    start = token
                }
                let room = PageRoom(limit: limit, rules.limits)
                let reader = RecordReader(access: access, caller: caller, schema: schema)
                return .success(try page(of: query, in: zone, place, start, reader, room, &transaction))
            }
        }
    }

    private func page(
        of query: Query, in zone: ZoneID, _ place: ChangeToken.Place, _ start: ChangeToken, _ reader: RecordReader,
        _ room: PageRoom, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> QueryPage {
        var page = QueryPage()
        var room = room
        var position = start.position
        var evaluated = 0
        var isFull = false
        try transaction.forEachChange(in: zone, after: start.position, deletedAfter: .max) { row in
            guard let record = row.record else { return true }
            let isFound = query.matches(record) && reader.mayRead(record)
            guard evaluated < rules.evaluatedRecords, !isFound || room.admit(record.size) else {
                isFull = true
                return false
            }
            evaluated += 1
            position = row.counter
            if isFound { page.records.append(record) }
            return true
        }
        if isFull {
            page.cursor = ChangeToken(incarnation: start.incarnation, position: position, baseline: 0)
                .bytes(for: place, signer)
        }
        return page
    }
}

import Location
import Regions
import Storage

extension RegionTables {
    private static let isPassage: Int64 = 1
    private static let isSimulated: Int64 = 2

    /// Stores states and events of an owner's regions, durably. Returns the events with their numbers.
    func record(
        _ changes: [RegionChange], _ events: [NewRegionEvent], of monitors: [MonitorRow], pendingEvents: Int
    ) throws(StorageError) -> [StoredRegionEvent] {
        let lists = lists(of: monitors)
        return try change(as: "record events") { () throws(StorageError) in
            for change in changes {
                guard let place = try place(of: change.number), let list = lists[place.list]?.list else { continue }
                try statements.writeState.run([
                    .integer(StateCode.code(change.state)), .integer(change.since.microseconds), .integer(list.epoch),
                    .integer(change.number),
                ])
            }
            var stored: [StoredRegionEvent] = []
            for event in events {
                guard let place = try place(of: event.event.region),
                    var monitor = lists[place.list].flatMap({ table.monitors[$0.monitor] })
                else { continue }
                monitor.last += 1
                table.set(monitor)
                let new = StoredRegionEvent(event, identifier: place.identifier, of: monitor)
                try insert(new)
                stored.append(new)
            }
            for id in Set(stored.map(\.monitor)) {
                if let monitor = table.monitors[id] { try dropOverflow(of: monitor, beyond: pendingEvents) }
            }
            return stored
        }
    }

    private func place(of number: Int64) throws(StorageError) -> (list: Int64, identifier: String)? {
        var place: (list: Int64, identifier: String)?
        try statements.place.first([.integer(number)]) { place = ($0.integer(0), $0.text(1)) }
        return place
    }

    /// Stores an event, within `change`.
    func insert(_ event: StoredRegionEvent) throws(StorageError) {
        let codes = event.kind.codes
        let flags =
            (event.passedThrough ? Self.isPassage : 0) | (event.isSimulated ? Self.isSimulated : 0)
        try statements.insertEvent.run([
            .integer(event.monitor), .integer(event.sequence), .text(event.identifier ?? ""), .integer(codes.kind),
            SQLValue(codes.detail), .integer(event.time.microseconds), SQLValue(event.crossed?.microseconds),
            .integer(flags), SQLValue(event.place?.coordinate.latitude), SQLValue(event.place?.coordinate.longitude),
            SQLValue(event.place?.horizontalAccuracy),
        ])
    }

    /// Drops the oldest events until no more are stored than permitted.
    private func dropOverflow(of monitor: MonitorRow, beyond limit: Int) throws(StorageError) {
        guard monitor.last - monitor.floor > Int64(limit) else { return }
        var monitor = monitor
        monitor.dropped = monitor.last - Int64(limit)
        try statements.events.first([.integer(monitor.id), .integer(monitor.dropped - 1), .integer(1)]) {
            monitor.droppedAt = $0.integer(4)
        }
        try statements.deleteEvents.run([.integer(monitor.id), .integer(monitor.dropped)])
        table.set(monitor)
    }

    /// The events of a monitor after a number, or all that are not acknowledged.
    func events(of monitor: MonitorRow, after: Int64?, limit: Int) throws(StorageError) -> RegionEventPage {
        let after = max(after ?? 0, monitor.acknowledged)
        var page = RegionEventPage(events: [], isComplete: true)
        if monitor.dropped > after {
            page.events.append(
                StoredRegionEvent(
                    monitor: monitor.id, sequence: monitor.dropped, identifier: nil, kind: .overflowed,
                    time: UTCTime(microseconds: monitor.droppedAt), lost: monitor.dropped - after))
        }
        let operation = "read events (\(database.path))"
        try statements.events.run([.integer(monitor.id), .integer(after), .integer(Int64(max(limit, 1)) + 1)]) {
            row throws(StorageError) in
            guard page.events.count < max(limit, 1) else {
                page.isComplete = false
                return false
            }
            guard let event = StoredRegionEvent(row, of: monitor.id) else {
                throw .damage(operation, "event \(row.integer(0)) makes no sense")
            }
            page.events.append(event)
            return true
        }
        return page
    }

    /// Erases the events of a monitor up to a number, durably. Returns the number up to which all are acknowledged.
    func acknowledge(_ monitor: MonitorRow, upTo sequence: Int64) throws(StorageError) -> Int64 {
        if sequence <= monitor.acknowledged { return monitor.acknowledged }
        return try change(as: "acknowledge events") { () throws(StorageError) in
            var monitor = monitor
            monitor.acknowledged = sequence
            try statements.deleteEvents.run([.integer(monitor.id), .integer(sequence)])
            table.set(monitor)
            return sequence
        }
    }

    /// Erases the events of monitors, and forgets the states of their regions, durably. The regions' rows are written
    /// later: until then, their epoch says that their states are not valid.
    func forget(_ monitors: [MonitorRow], atMicroseconds now: Int64) throws(StorageError) -> [StoredMonitor] {
        if monitors.isEmpty { return [] }
        return try change(as: "forget states and events") { () throws(StorageError) in
            var stored: [StoredMonitor] = []
            for var monitor in monitors {
                try statements.deleteEvents.run([.integer(monitor.id), .integer(.max)])
                monitor.acknowledged = monitor.last
                table.set(monitor)
                var list = table.list(monitor.list)
                list.epoch += 1
                (list.forgottenAt, list.isReset) = (now, true)
                table.set(list)
                stored.append(monitor.stored)
            }
            return stored
        }
    }
}

extension StoredRegionEvent {
    fileprivate init(_ new: NewRegionEvent, identifier: String, of monitor: MonitorRow) {
        self.init(
            monitor: monitor.id, sequence: monitor.last, identifier: identifier, kind: Kind(new.event.kind),
            time: new.event.time, crossed: new.event.crossed, passedThrough: new.event.passedThrough,
            isSimulated: new.isSimulated, place: new.event.place)
    }

    /// The event of a row; nil where it is none that this program writes.
    init?(_ row: borrowing Row, of monitor: Int64) {
        guard let kind = Kind(kind: row.integer(2), detail: row.optionalInteger(3)), row.integer(0) > 0 else {
            return nil
        }
        let flags = row.integer(6)
        self.init(
            monitor: monitor, sequence: row.integer(0), identifier: row.text(1), kind: kind,
            time: UTCTime(microseconds: row.integer(4)),
            crossed: row.optionalInteger(5).map(UTCTime.init(microseconds:)), passedThrough: flags & 1 != 0,
            isSimulated: flags & 2 != 0, place: EventPlace(row))
    }
}

extension EventPlace {
    /// The place in a row of `RegionSchema.eventColumns`; nil where it has none.
    fileprivate init?(_ row: borrowing Row) {
        guard let latitude = row.optionalReal(7), let longitude = row.optionalReal(8),
            let accuracy = row.optionalReal(9),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude), accuracy > 0
        else { return nil }
        self.init(coordinate, horizontalAccuracy: accuracy)
    }
}

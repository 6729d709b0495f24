import Containers
import Platform
import Records
import Storage

/// One piece of work with the hub: the requests that it needs, and what their answers change in the copy. It has no network
/// and no clock.
struct WorkStep {
    let work: SyncWork

    /// What follows from an answer.
    enum Verdict: Equatable {
        /// The copy says what is to be done next.
        case next
        /// The hub accepts less at once.
        case less
        /// The work is repeated after a pause, because of this answer.
        case pause(HubReply)
    }

    /// The requests, one after the other. Only the answer to the last one is applied, and each has to be fulfilled before.
    var requests: [HubRequest] {
        switch work {
        case .register(let row):
            DatabaseScope.copied.map { scope in
                HubRequest(method: .put, path: HubAddress.subscription(row.container, scope))
            } + [HubRequest(method: .put, path: HubAddress.registration(row.container))]
        case .fetchAlerts(let row, let database):
            [HubRequest(method: .get, path: HubAddress.subscriptions(row.container, database))]
        case .readPushes: [HubRequest(method: .get, path: "/v1/pushes")]
        case .fetchDatabase(let row, let scope, let token, _):
            [HubRequest(method: .get, path: HubAddress.changes(row.container, scope, token: token))]
        case .fetchZone(_, let zone):
            [HubRequest(method: .get, path: HubAddress.changes(zone.zone, token: zone.token))]
        case .send(let row, let zone, let request):
            [
                HubRequest(
                    method: .post, path: zone.map { HubAddress.records($0.zone) } ?? HubAddress.zones(row.container),
                    key: request.key, body: request.body)
            ]
        case .upload(_, let zone, let row, let part): [AssetUpload(row, to: zone).request(for: part)]
        }
    }

    /// Whether changes of programs are sent, and not only fetched.
    var sends: Bool {
        switch work {
        case .send, .upload: true
        case .register, .fetchAlerts, .readPushes, .fetchDatabase, .fetchZone: false
        }
    }

    /// Applies the answer to the last request to the copy.
    /// - Parameter ahead: Is called with the request for the next page before a page is stored.
    func apply(
        _ reply: HubReply, to cache: SyncCache, ahead: (HubRequest) -> Void = { _ in }
    ) throws(StorageError) -> Verdict {
        switch work {
        case .register(let row):
            guard case .done = reply else { return .pause(reply) }
            try cache.write { (tables) throws(StorageError) in try tables.markRegistered(row.id) }
            return .next
        case .fetchAlerts(let row, let database): return try fetchedAlerts(reply, row, database, cache)
        case .readPushes(let row, let device):
            guard case .done(let body) = reply else { return .pause(reply) }
            let pushes = Self.understood { () throws(FormatError) in try [Push](to: device, json: body) }
            guard let pushes else { return .pause(.strange(status: 200)) }
            try cache.write { (tables) throws(StorageError) in try tables.endAlerts(after: pushes, in: row) }
            return .next
        case .fetchDatabase(let row, let scope, _, let marks):
            return try fetched(reply, row, scope, marks: marks, cache)
        case .fetchZone(let row, let zone): return try fetched(reply, zone, row, cache, ahead)
        case .send(let row, let zone?, let request): return try sent(reply, request, zone, row, cache)
        case .send(let row, nil, let request): return try sent(reply, request, row, cache)
        case .upload(let row, let zone, let asset, let part):
            return try AssetUpload(asset, to: zone).apply(reply, after: Int64(part.count), in: row, to: cache)
        }
    }

    private func fetchedAlerts(
        _ reply: HubReply, _ container: ContainerRow, _ database: DatabaseScope, _ cache: SyncCache
    ) throws(StorageError) -> Verdict {
        guard case .done(let body) = reply else { return .pause(reply) }
        let list = Self.understood { () throws(FormatError) in try [Subscription](container.container, json: body) }
        guard let list else { return .pause(.strange(status: 200)) }
        try cache.write { (tables) throws(StorageError) in try tables.apply(list, of: database, in: container) }
        return .next
    }

    private func fetched(
        _ reply: HubReply, _ container: ContainerRow, _ scope: DatabaseScope, marks: Int64, _ cache: SyncCache
    ) throws(StorageError) -> Verdict {
        switch reply {
        case .done(let body):
            let page = Self.understood { () throws(FormatError) in
                try DatabaseChanges(container.container, json: body)
            }
            guard let page else { return .pause(.strange(status: 200)) }
            try cache.write { (tables) throws(StorageError) in
                try tables.apply(page, of: scope, marks: marks, to: container)
            }
        case .refused(.changeTokenExpired, _):
            try cache.write { (tables) throws(StorageError) in try tables.expire(scope, in: container) }
        default: return .pause(reply)
        }
        return .next
    }

    private func fetched(
        _ reply: HubReply, _ zone: ZoneRow, _ container: ContainerRow, _ cache: SyncCache,
        _ ahead: (HubRequest) -> Void
    ) throws(StorageError) -> Verdict {
        switch reply {
        case .done(let body):
            let page = Self.understood { () throws(FormatError) in try WrittenZoneChanges(json: body) }
            guard let page else { return .pause(.strange(status: 200)) }
            if page.moreComing {
                ahead(HubRequest(method: .get, path: HubAddress.changes(zone.zone, token: page.token)))
            }
            try cache.write { (tables) throws(StorageError) in
                // A program may have deleted the zone meanwhile.
                guard let present = try tables.zone(zone.id, in: container), present.token == zone.token,
                    present.pass == zone.pass, present.isPresent, !present.mustDelete
                else { return }
                try tables.apply(page, to: present)
            }
        case .refused(.changeTokenExpired, _):
            try cache.write { (tables) throws(StorageError) in
                if let present = try tables.zone(zone.id, in: container) { try tables.fetchAgain(present) }
            }
        case .refused(.zoneNotFound(let reason), _):
            try cache.write { (tables) throws(StorageError) in try tables.vanish(zone.id, reason, in: container) }
        case .refused(.notPermitted, _):
            try cache.write { (tables) throws(StorageError) in try tables.vanish(zone.id, .withdrawn, in: container) }
        default: return .pause(reply)
        }
        return .next
    }

    private func sent(
        _ reply: HubReply, _ request: RequestRow, _ container: ContainerRow, _ cache: SyncCache
    ) throws(StorageError) -> Verdict {
        switch reply {
        case .done(let body):
            let answer = Self.understood { () throws(FormatError) in try ModifyZonesAnswer(json: body) }
            guard let answer else { return .pause(.strange(status: 200)) }
            try cache.write { (tables) throws(StorageError) in try tables.apply(answer, to: request, in: container) }
        case .refused(let refusal, let message):
            Log.warning("the hub refuses to change zones of \(container.container.name): \(message)")
            try cache.write { (tables) throws(StorageError) in
                try tables.apply(.refused(refusal), to: request, in: container)
            }
        default: return .pause(reply)
        }
        return .next
    }

    private func sent(
        _ reply: HubReply, _ request: RequestRow, _ zone: ZoneRow, _ container: ContainerRow, _ cache: SyncCache
    ) throws(StorageError) -> Verdict {
        switch reply {
        case .done(let body):
            let answer = Self.understood { () throws(FormatError) in try ModifyRecordsAnswer(json: body) }
            guard case .outcomes(let outcomes)? = answer else { return .pause(.strange(status: 200)) }
            let isWhole = try cache.write { (tables) throws(StorageError) -> Bool in
                try tables.apply(outcomes, to: request, in: zone)
            }
            guard isWhole else {
                Log.error("the hub's answer does not have an outcome for each record of the request")
                return .pause(.strange(status: 200))
            }
        case .refused(.requestKeyReused, _):
            try cache.write { (tables) throws(StorageError) in try tables.putBack(request, in: zone) }
        case .refused(.zoneNotFound(let reason), _):
            try cache.write { (tables) throws(StorageError) in
                try tables.putBack(request, in: zone)
                try tables.vanish(zone.id, reason, in: container)
            }
        case .refused(.limitExceeded(let subject, let most), _) where request.isDivisible:
            try cache.write { (tables) throws(StorageError) in try tables.putBack(request, in: zone) }
            Log.warning("the hub accepts less at once than expected: \(subject.rawValue) \(most)")
            return .less
        case .refused(let refusal, _):
            try cache.write { (tables) throws(StorageError) in
                try tables.setAside(request, refusal.json(), in: zone)
            }
        default: return .pause(reply)
        }
        return .next
    }

    /// What the hub has sent; nil if it is nothing that this version understands.
    private static func understood<Value>(_ body: () throws(FormatError) -> Value) -> Value? {
        do throws(FormatError) { return try body() } catch {
            Log.error("the hub's answer is not understood: \(error)")
            return nil
        }
    }
}

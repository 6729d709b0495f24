import Records

extension Simulation {
    /// Sends the client's request, again if it has no answer yet, and once more if the network repeats it.
    mutating func send(_ index: Int) {
        if clients[index].pending == nil {
            clients[index].lastKey += 1
            let key = "\(clients[index].device)/\(clients[index].lastKey)"
            clients[index].pending = SimulatedClient.Pending(
                key: key, request: someRequest(index))
        }
        guard let pending = clients[index].pending else { return }
        let packet = Packet(client: index, key: pending.key, request: pending.request, sent: world.now)
        packets.append(packet)
        if chance(5) { packets.append(packet) }
        if packets.count > 40 { packets.removeFirst() }
    }

    mutating func someRequest(_ index: Int) -> SimulatedRequest {
        let client = clients[index]
        let zone = World.zone(pick(Array(Self.zones.dropFirst())), client.host)
        guard client.isGuest else {
            if chance(10) { return someZones(index) }
            guard chance(10) else { return someRecords(index) }
            let other = client.other
            return .sharing(
                ModifySharing(
                    zone, chance(4) ? .withdraw(other) : .invite(other, pick([.read, .write, .write])),
                    of: chance(4) ? nil : name(pick(Self.names))))
        }
        if chance(client.known.count < 2 ? 2 : 6) {
            let offered = (reference.recordShares[Self.key(zone)]?[client.account.text] ?? [:]).keys.sorted()
            let root = chance(3) || offered.isEmpty ? nil : pick(offered)
            return .sharing(ModifySharing(zone, chance(8) ? .leave : .accept, of: root.map { name($0) }))
        }
        return someRecords(index)
    }

    mutating func someZones(_ index: Int) -> SimulatedRequest {
        let isDeletion = Bool.random(using: &random)
        var some: Set<String> = [pick(Array(Self.zones.dropFirst()))]
        if chance(3) { some.insert(pick(Array(Self.zones.dropFirst()))) }
        let names: [ZoneName] = some.sorted().map { name($0) }
        return .zones(
            ModifyZones(
                World.container, of: clients[index].account, saves: isDeletion && !chance(4) ? [] : [names[0]],
                deletions: isDeletion ? Array(names.dropFirst(names.count > 1 ? 1 : 0)) : [],
                reason: pick([.deleted, .purged, .encryptedDataReset])
            ).withoutRepetition)
    }

    mutating func someRecords(_ index: Int) -> SimulatedRequest {
        let client = clients[index]
        let some = World.zone(pick(Self.zones), client.host)
        let zone = client.isGuest && !client.known.isEmpty && !chance(6) ? pick(client.known.sorted()) : some
        var request = ModifyRecords(zone)
        for record in Self.names.shuffled(using: &random).prefix(pick([1, 1, 2, 3, 6])) {
            let known = client.hints[zone]?[record] ?? client.copies[zone]?.tags[record]
            let tag = chance(6) ? nil : known
            if chance(4) {
                request.deletions.append(.init(name(record), changeTag: chance(2) ? tag : nil))
            } else {
                request.saves.append(.init(someDraft(record, tag), pick(SavePolicy.allCases)))
            }
        }
        let items = request.saves.map { ReferenceHub.Item($0) } + request.deletions.map { ReferenceHub.Item($0) }
        return .records(request, items)
    }

    mutating func someDraft(_ record: String, _ tag: ChangeTag?) -> RecordDraft {
        var fields: [FieldName: FieldValue] = [:]
        var removed: Set<FieldName> = []
        for field in ["a", "b", "c"] {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                lastValue += 1
                fields[name(field)] = .string("\(lastValue)")
            case 2: removed.insert(name(field))
            default: break
            }
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0...2: fields[.parent] = .reference(name(pick(Self.names)))
        case 3: removed.insert(.parent)
        default: break
        }
        let type: RecordType = name(chance(60) ? "U" : "T")
        return RecordDraft(name(record), type, fields, removing: removed, changeTag: tag)
    }
}

extension ModifyZones {
    /// The request, with each zone named once.
    fileprivate var withoutRepetition: ModifyZones {
        var request = self
        request.deletions.removeAll { saves.contains($0) }
        return request
    }
}

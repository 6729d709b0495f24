import Location
import Records

extension Simulation {
    mutating func deliverAny() throws {
        let place = Int.random(in: 0..<packets.count, using: &random)
        let packet = packets[place]
        if !chance(4) { packets.remove(at: place) } else { count("packets delivered again") }
        // Older ones are beyond the time for which answers are stored.
        guard world.now.seconds(since: packet.sent) < 20 * 86_400 else { return }
        try deliver(packet)
    }

    mutating func deliver(_ packet: Packet) throws {
        let isLost = hasFaults && chance(8)
        let (call, after) = (Int.random(in: 0..<60, using: &random), chance(4))
        if hasFaults, chance(12) {
            if after {
                world.engine.failsAfterCommit = true
            } else {
                world.engine.failingCall = world.engine.nextCall + call
            }
        }
        var reply: Reply<SimulatedAnswer>
        var isUnanswered = isLost
        var hasRecords = true
        do throws(EngineFailure) {
            reply = try perform(packet)
        } catch {
            count(after ? "commits without an answer" : "failures")
            let wasCommitted = world.engine.failingCall == nil
            world.engine.failingCall = nil
            guard wasCommitted else { return }
            // The commit has happened: the repetition shows what was answered.
            reply = try perform(packet)
            if !reply.isRepeated { report("\(packet.key) was committed, and is done again") }
            reply.isRepeated = answers[packet.key] != nil
            isUnanswered = true
            hasRecords = false
        }
        world.engine.failingCall = nil
        world.engine.failsAfterCommit = false
        compare(packet, reply, hasRecords: hasRecords)
        if isUnanswered { count("answers lost") } else { receive(reply.answer, packet) }
    }

    private func perform(_ packet: Packet) throws(EngineFailure) -> Reply<SimulatedAnswer> {
        let caller = clients[packet.client].caller
        let key: RequestKey = name(packet.key)
        switch packet.request {
        case .records(let request, _):
            let reply = try world.store.modify(request, by: caller, key: key, at: world.now)
            return Reply(.records(reply.answer), pushes: reply.pushes, isRepeated: reply.isRepeated)
        case .sharing(let request):
            let reply = try world.store.modify(request, by: caller, key: key, at: world.now)
            return Reply(.sharing(reply.answer), pushes: reply.pushes, isRepeated: reply.isRepeated)
        case .zones(let request):
            let reply = try world.store.modify(request, by: caller, key: key, at: world.now)
            return Reply(.zones(reply.answer), pushes: reply.pushes, isRepeated: reply.isRepeated)
        }
    }

    /// Compares a reply with the first one of the request, or with the reference, which then applies the request.
    mutating func compare(_ packet: Packet, _ reply: Reply<SimulatedAnswer>, hasRecords: Bool) {
        if let first = answers[packet.key] {
            count("repetitions")
            operations += 1
            if reply.answer != first || !reply.isRepeated { report("\(packet.key) is answered in another manner") }
            return
        }
        if reply.isRepeated { report("\(packet.key) was never done, and is said to be repeated") }
        answers[packet.key] = reply.answer.withoutRecords
        switch (packet.request, reply.answer) {
        case (.records(let request, let items), .records(let answer)):
            compare(packet, request, items, answer, hasRecords: hasRecords)
        case (.zones(let request), .zones(let answer)): compare(packet, request, answer)
        case (.sharing(let request), .sharing(let answer)): compare(packet, request, answer)
        default: report("\(packet.key) has the answer of another request")
        }
    }

    mutating func compare(
        _ packet: Packet, _ request: ModifyRecords, _ items: [ReferenceHub.Item], _ answer: ModifyRecordsAnswer,
        hasRecords: Bool
    ) {
        operations += items.count
        let zone = Self.key(request.zone)
        let client = clients[packet.client]
        let isWhole = !client.isGuest || reference.may(client.account.text, write: false, zone)
        let mayWrite =
            !client.isGuest
            || (isWhole
                ? reference.may(client.account.text, write: true, zone)
                : reference.roots(in: zone, for: client.account.text).contains(where: \.value.mayWrite))
        if !mayWrite {
            count("guests refused")
            if answer != .refused(.notPermitted) { report("\(packet.key): \(answer), and is not permitted") }
            return
        }
        if client.isGuest { count("requests of guests") }
        if !isWhole { count("requests of guests about parts") }
        var (result, news) = reference.evaluate(
            items, in: zone, isDefault: request.zone.name == .defaultZone, isGuest: client.isGuest,
            for: isWhole ? nil : client.account.text)
        if !hasRecords { result = result.repeated }
        guard case .outcomes(let outcomes) = answer else {
            count("zones not found")
            guard case .refused(.zoneNotFound(let reason)) = answer, result == .zoneNotFound(reason?.rawValue) else {
                return report("\(packet.key): \(answer), expected \(result)")
            }
            return
        }
        let actual = outcomes.map { ReferenceHub.Outcome($0) }
        if .outcomes(actual.compactMap { $0 }) != result { report("\(packet.key): \(outcomes), expected \(result)") }
        for (item, outcome) in zip(items, outcomes) {
            if case .conflict = outcome { count("conflicts") }
            if case .unknownItem = outcome { count("unknown items") }
            guard case .saved(let saved) = outcome else { continue }
            count("saves")
            if !tags.insert("\(zone) \(saved.changeTag.text)").inserted { report("\(saved.changeTag.text) repeats") }
            if var version = news[item.name] ?? nil {
                version.tag = saved.changeTag.text
                news.updateValue(version, forKey: item.name)
            }
        }
        guard !news.isEmpty else { return }
        let guests = Self.accounts.filter { $0 != request.zone.owner && sees($0, request.zone) }
        let before = guests.map { expected(request.zone, $0) }
        reference.apply(news, in: zone)
        if let owner = request.zone.owner { expectPushes([request.zone], to: owner, by: packet.client) }
        for (guest, before) in zip(guests, before) {
            if !sees(guest, request.zone) {
                count("shared records deleted")
                expectPushes([request.zone], to: guest, by: packet.client)
            } else if expected(request.zone, guest) != before || reference.may(guest.text, write: false, zone) {
                expectPushes([request.zone], to: guest, by: packet.client)
            } else {
                // A record beside the part has moved, perhaps.
                for index in clients.indices where clients[index].account == guest {
                    clients[index].possiblePushes.insert(request.zone)
                }
            }
        }
    }

    mutating func compare(_ packet: Packet, _ request: ModifyZones, _ answer: ModifyZonesAnswer) {
        operations += 1
        count("requests about zones")
        func zone(_ name: ZoneName) -> ZoneID { ZoneID(World.container, owner: request.owner, name) }
        let guests = (request.saves + request.deletions).map(zone).filter { zone in
            sees(clients[packet.client].other, zone)
        }
        let changed = reference.modify(
            made: request.saves.map { Self.key(zone($0)) }, deleted: request.deletions.map { Self.key(zone($0)) },
            reason: request.reason.rawValue)
        let outcomes: [ZoneOutcome] = request.saves.map { _ in .saved } + request.deletions.map { _ in .deleted }
        if answer != .outcomes(outcomes) { report("\(packet.key): \(answer)") }
        for deletion in request.deletions.map(zone) where changed.contains(Self.key(deletion)) {
            deletionTimes[deletion] = world.now
        }
        let zones = request.names.map(zone).filter { changed.contains(Self.key($0)) }
        expectPushes(zones, to: request.owner, by: packet.client)
        expectPushes(zones.filter(guests.contains), to: clients[packet.client].other, by: packet.client)
    }

    mutating func compare(_ packet: Packet, _ request: ModifySharing, _ answer: ModifySharingAnswer) {
        operations += 1
        let zone = Self.key(request.zone)
        let account = clients[packet.client].account
        var expected = ModifySharingAnswer.done
        switch request.action {
        case .invite(let guest, let permission):
            count("invitations")
            if reference.zones[zone] == nil {
                guard case .refused(.zoneNotFound(let reason)) = answer, reason?.rawValue == reference.deletions[zone]
                else { return report("\(packet.key): \(answer)") }
                return
            }
            if let root = request.root?.text, reference.zones[zone]?[root] == nil {
                expected = .refused(.unknownItem)
            } else {
                reference.invite(guest.text, mayWrite: permission == .write, to: zone, request.root?.text)
            }
        case .withdraw(let guest): remove(guest, from: request, by: packet.client)
        case .leave: remove(account, from: request, by: packet.client)
        case .accept:
            let hadAccepted = hasAccepted(account, request)
            if !reference.accept(account.text, zone, request.root?.text) {
                expected = .refused(.notPermitted)
            } else if !hadAccepted {
                count(request.root == nil ? "invitations accepted" : "invitations to records accepted")
                expectPushes([request.zone], to: account, by: packet.client)
            }
        }
        if answer != expected { report("\(packet.key): \(answer), expected \(expected)") }
    }

    private func hasAccepted(_ account: AccountID, _ request: ModifySharing) -> Bool {
        let zone = Self.key(request.zone)
        guard let root = request.root else { return reference.may(account.text, write: false, zone) }
        return reference.roots(in: zone, for: account.text)[root.text] != nil
    }

    mutating func remove(_ guest: AccountID, from request: ModifySharing, by maker: Int) {
        if hasAccepted(guest, request) {
            count(request.root == nil ? "zones withdrawn" : "records withdrawn")
            expectPushes([request.zone], to: guest, by: maker)
        }
        reference.remove(guest.text, from: Self.key(request.zone), request.root?.text)
    }

    mutating func expectPushes(_ zones: [ZoneID], to account: AccountID, by maker: Int) {
        for index in clients.indices where index != maker && clients[index].account == account {
            for zone in zones {
                clients[index].pushCount += 1
                clients[index].expectedPushes[zone] = clients[index].pushCount
            }
        }
    }

    /// The client receives an answer, unless it has received it before.
    mutating func receive(_ answer: SimulatedAnswer, _ packet: Packet) {
        guard clients[packet.client].pending?.key == packet.key else { return }
        clients[packet.client].pending = nil
        guard case .records(let request, let items) = packet.request, case .records(.outcomes(let outcomes)) = answer
        else {
            return
        }
        for (item, outcome) in zip(items, outcomes) {
            switch outcome {
            case .saved(let saved):
                clients[packet.client].hints[request.zone, default: [:]][item.name] = saved.changeTag
            case .conflict(let conflict):
                clients[packet.client].hints[request.zone, default: [:]][item.name] = conflict.serverChangeTag
            default: break
            }
        }
    }
}

extension ReferenceHub.Outcome {
    /// The outcome in the reference's words; nil for one that the reference does not know.
    init?(_ outcome: RecordOutcome) {
        switch outcome {
        case .saved: self = .saved
        case .deleted: self = .deleted
        case .unknownItem: self = .unknownItem
        case .typeDiffers: self = .typeDiffers
        case .notPermitted: self = .notPermitted
        case .batchRequestFailed(let culprit): self = .batchRequestFailed(culprit.text)
        case .conflict(let conflict):
            let tag = ReferenceHub.Version(type: "", fields: [:], tag: conflict.serverChangeTag.text)
            self = .conflict(
                server: conflict.server.map { ReferenceHub.Version($0) } ?? tag,
                ancestor: conflict.ancestor.map { ReferenceHub.Version($0) })
        case .limitExceeded, .notInSchema, .assetNotFound: return nil
        }
    }
}

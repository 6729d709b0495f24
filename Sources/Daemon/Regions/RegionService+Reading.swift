import Authorization
import Interfaces
import JSONText
import Location
import Platform
import Regions
import RegionStorage
import Varlink

// Lists of monitors and regions.

extension RegionService {
    func list(_ call: MethodCall<RegionsInterface.List>) throws(RegionsInterface.Failure) {
        whenLoaded(call) { [weak self] (call, _, owner) throws(RegionsInterface.Failure) in
            guard let self else { return }
            let watches = owner.app == nil ? registry.allWatches : registry.watches[owner].map { [$0] } ?? []
            call.reply(.init(monitors: watches.flatMap { registry.summaries(of: $0) }))
        }
    }

    /// What of a region a caller of `Show` gets.
    private enum View {
        /// The caller's own: the shape, and the state as far as it is permitted.
        case own
        /// Another's, without coordinates and states.
        case listed
        /// Another's, with coordinates and states.
        case seen
    }

    func show(_ call: MethodCall<RegionsInterface.Show>) throws(RegionsInterface.Failure) {
        whenLoaded(call) { [weak self] (call, session, owner) throws(RegionsInterface.Failure) in
            guard let self else { return }
            let request = call.parameters
            let key = try monitor(request, of: owner)
            let view: View = key.owner == owner ? .own : request.coordinates == true ? .seen : .listed
            registry.store.page(
                of: key, after: request.after, limit: Int(request.limit ?? RegionQuotas.usualRegionsOfReply),
                pointLimit: RegionQuotas.pointsOfReply, identifiers: request.identifiers
            ) { [weak self, call = call.later] result in
                DaemonActor.assumeIsolated {
                    switch result {
                    case .success(let page): self?.show(page, of: key, as: view, to: session, call)
                    case .failure(let error): call.fail(.init(error, of: key.name))
                    }
                }
            }
        }
    }

    /// The monitor that is named: the caller's, or for an operator's program anybody's.
    private func monitor(
        _ request: RegionsInterface.Show, of owner: RegionOwner
    ) throws(RegionsInterface.Failure) -> MonitorKey {
        let namesAnother = request.app.map { $0 != owner.app } ?? false || request.uid.map { $0 != owner.uid } ?? false
        guard namesAnother else { return try storedMonitor(request.monitor, of: owner).key }
        guard owner.app == nil else {
            throw .notOperator(message: "Only an operator's program that is no app may name another app's monitor.")
        }
        let found = registry.allWatches.filter { watch in
            watch.monitors[request.monitor] != nil && request.app.map { $0 == watch.owner.app } ?? true
                && request.uid.map { $0 == watch.owner.uid } ?? true
        }
        guard let watch = found.first else { throw .noSuchMonitor(named: request.monitor) }
        guard found.count == 1 else {
            let owners = found.prefix(5).map { watch in
                "\(watch.owner.app ?? "an operator's program") of uid \(watch.owner.uid)"
            }
            throw .appNeeded(
                message: "More than one monitor is named \(request.monitor): of \(owners.joined(separator: ", ")). Name"
                    + " the app and the uid.")
        }
        return MonitorKey(owner: watch.owner, name: request.monitor)
    }

    private func show(
        _ page: RegionPage, of key: MonitorKey, as view: View, to session: ClientSession,
        _ call: LateCall<RegionsInterface.Show>
    ) {
        guard let call = call.call, !call.isOver, call.connection.isOpen else { return }
        let decision: RegionDecision
        switch view {
        case .own: decision = authorizer.decideRegions(of: key.owner, for: session)
        case .seen, .listed:
            guard session.isOperator, session.process == nil else {
                return call.fail(RegionsInterface.Failure.notOperator(message: "The caller is no operator any more."))
            }
            decision = Policy.decideRegions(isOperator: view == .seen)
        }
        let doubt = registry.doubt(about: key.owner)
        var count = 0
        let reply = EncodedReply { writer in
            writer.array("regions") { writer in
                for region in page.regions {
                    writer.object { writer in
                        writer.object("region") { writer in
                            region.writeMembers(to: &writer, showsShape: view != .listed)
                        }
                        writer.member("shape", region.region.shapeName)
                        let status =
                            doubt.map { RegionStatus(state: .unknown($0.doubt), since: $0.since) }
                            ?? RegionStatus(state: region.state, since: region.since)
                        if let disclosure = decision.view(of: status) {
                            disclosure.writeMembers(to: &writer)
                            count += 1
                        } else {
                            RegionDoubt.unauthorized.writeMembers(to: &writer)
                        }
                    }
                }
            }
            writer.member("isComplete", page.isComplete)
        }
        for _ in 0..<count { session.countPosition(.full) }
        call.reply(reply)
    }
}

extension StoredRegion {
    /// Writes the members of the `Region` of `io.waymark.Regions`.
    fileprivate func writeMembers(to writer: inout JSONWriter, showsShape: Bool) {
        writer.member("identifier", identifier)
        if showsShape { region.writeShape(to: &writer) }
        if dwell > 0 { writer.member("dwell", dwell) }
        writer.member("loitering", loitering)
    }
}

extension RegionRegistry {
    /// All owners, by app and user.
    var allWatches: [RegionWatch] {
        watches.values.sorted { ($0.owner.app ?? "", $0.owner.uid) < ($1.owner.app ?? "", $1.owner.uid) }
    }

    /// The monitors of an owner, by name.
    func summaries(of watch: RegionWatch) -> [RegionsInterface.MonitorSummary] {
        let state = monitoringState(of: watch)
        return watch.monitors.values.sorted { $0.key.name < $1.key.name }.map { monitor in
            RegionsInterface.MonitorSummary(
                name: monitor.key.name, uid: watch.owner.uid, app: watch.owner.app, regions: Int64(monitor.regions),
                last: monitor.last, acknowledged: monitor.acknowledged, pending: Int64(monitor.pending), state: state)
        }
    }

    /// Whether the regions of an owner are monitored, or why not. Whether there is a position is disclosed only to those that
    /// may have it.
    private func monitoringState(of watch: RegionWatch) -> RegionsInterface.MonitoringState {
        if let refusal = decide(watch.owner, at: authorizer.instant).refusal { return refusal.monitoringState }
        if !watch.isReadable, let loss = watch.loss { return loss.monitoringState }
        return pipeline.absence == nil ? .monitoring : .locationUnavailable
    }

    /// Why nothing is known about any region of an owner; nil if the stored states are what is known.
    func doubt(about owner: RegionOwner) -> (doubt: RegionDoubt, since: UTCTime?)? {
        // What is known from before a loss of the authorization is not disclosed, also if it cannot be erased yet.
        let isReadable = watches[owner]?.isReadable ?? true
        guard isReadable, decide(owner, at: authorizer.instant).isPermitted else { return (.unauthorized, nil) }
        return pipeline.absence.map { ($0.regionDoubt, lostAt) }
    }
}

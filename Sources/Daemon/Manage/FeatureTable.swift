import Interfaces
import Platform

/// What the daemon offers at the moment: one line for each feature, which asks the part that offers it.
@DaemonActor
struct FeatureTable {
    /// Where positions come from.
    let pipeline: Pipeline
    /// What stores.
    let journal: JournalSupervisor
    /// What asks the kernel and the name servers.
    let network: NetworkWatch
    /// What hands connections to the next process; nil where nothing does.
    let handover: Handover?

    /// Every feature that this release knows, and whether it is offered now.
    var lines: [(feature: DaemonFeature, isOffered: Bool)] {
        [
            (.positions, pipeline.hopeless == nil),
            // A full disk may be cleared while the daemon runs; a journal that has failed stays as it is.
            (.recordings, journal.status.state != .failed),
            (.reachability, network.problem == nil),
            (.hostNames, network.problem == nil && network.looksUpNames),
            (.preservedConnections, handover?.isOfUse == true),
        ]
    }

    /// The words of those that are.
    var offered: [String] { lines.filter(\.isOffered).map(\.feature.rawValue) }
}

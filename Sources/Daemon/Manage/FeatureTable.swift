import Interfaces
import Platform
import Varlink

/// The features that the daemon offers at present, one line each, determined by the part that provides it.
@DaemonActor
struct FeatureTable: FeatureSource {
    /// The source of positions.
    let pipeline: Pipeline
    /// The store.
    let journal: JournalSupervisor
    /// The watch of the network.
    let network: NetworkWatch
    /// The handover of connections to the next process; nil if there is none.
    let handover: Handover?

    /// Every feature known to this release, and whether it is offered at present.
    var lines: [(feature: DaemonFeature, isOffered: Bool)] {
        [
            (.positions, pipeline.hopeless == nil),
            // A full disk may be cleared while the daemon runs. A failed journal does not recover.
            (.recordings, journal.status.state != .failed),
            (.reachability, network.problem == nil),
            (.hostNames, network.problem == nil && network.looksUpNames),
            (.preservedConnections, handover?.isOfUse == true),
        ]
    }

    /// The names of the offered features.
    var offered: [String] { lines.filter(\.isOffered).map(\.feature.rawValue) }
}

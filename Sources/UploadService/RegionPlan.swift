import Destinations
import GeoJSON
import Interfaces
import RegionCalls
import Regions
import Upload

/// What an uploader's monitor of regions is to contain.
enum RegionPlan: Equatable, Sendable {
    /// The destination has no regions: the monitor is removed.
    case none
    /// The file cannot be used: the monitor stays as it is, and its events are not read.
    case unusable(problems: [String])
    /// These regions.
    case regions(WaypointFile)

    /// The plan of a configuration, for which its file is read.
    init(_ configuration: UploadConfiguration) {
        guard configuration.reportsRegions else {
            self = .none
            return
        }
        let file = WaypointFile(reading: configuration.owntracks.regionsFile)
        self = file.problems.isEmpty ? .regions(file) : .unusable(problems: file.problems)
    }

    /// The regions of the destination; nil if the file cannot be used, and those before it remain.
    var waypoints: [Waypoint]? {
        switch self {
        case .none: []
        case .unusable: nil
        case .regions(let file): file.waypoints
        }
    }

    /// Why the file cannot be used, in a sentence for people; nil if it can.
    var problem: String? {
        guard case .unusable(let problems) = self, let first = problems.first else { return nil }
        let others = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
        return "\(first)\(others). Correct it, then reload the uploader"
    }

    /// The number of regions.
    var count: Int {
        guard case .regions(let file) = self else { return 0 }
        return file.regions.count
    }
}

/// What has to be changed so that a monitor contains the regions of a file, and no others.
struct RegionDifference: Equatable {
    /// The regions to add, in the order of the file: new ones, and those that differ.
    var additions: [FeatureRegion] = []
    /// The identifiers of regions that the file does not contain.
    var removals: [String] = []

    init(from present: [RegionsInterface.Region], to file: WaypointFile) {
        let known = Dictionary(present.map { ($0.identifier, Self.canonical($0)) }) { first, _ in first }
        additions = file.regions.filter { known[$0.identifier] != Self.canonical(RegionsInterface.Region($0)) }
        let wanted = Set(file.regions.map(\.identifier))
        removals = present.map(\.identifier).filter { !wanted.contains($0) }
    }

    /// No dwell time and one of 0 s are the same.
    private static func canonical(_ region: RegionsInterface.Region) -> RegionsInterface.Region {
        var region = region
        if region.dwell == 0 { region.dwell = nil }
        return region
    }

    /// The additions in calls of at most a message's length.
    var batches: [[RegionsInterface.Region]] {
        var batches: [[RegionsInterface.Region]] = []
        var batch = RegionBatch()
        for region in additions {
            if batch.isFull(for: region) {
                batches.append(batch.regions)
                batch.removeAll()
            }
            batch.add(region)
        }
        if !batch.regions.isEmpty { batches.append(batch.regions) }
        return batches
    }
}

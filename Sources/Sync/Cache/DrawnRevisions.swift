/// The numbers of several changes of a container, which are stored together within their transaction.
final class DrawnRevisions {
    /// The latest number.
    private(set) var latest: Int64
    /// The latest number of a change that comes from the hub; 0 without one.
    private(set) var latestFromHub: Int64 = 0

    /// The numbers after this one.
    init(after latest: Int64) { self.latest = latest }

    /// The number that is drawn next.
    var next: Int64 { latest + 1 }

    /// The number of the next change.
    func draw(isFromHub: Bool) -> Int64 {
        latest = next
        if isFromHub { latestFromHub = latest }
        return latest
    }
}

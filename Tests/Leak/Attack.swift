import Glibc
import Location

/// An observer's estimate from the cells that an app was shown. The observer knows the grid, the receiver's noise and
/// the distribution of the offsets, but not the key.
enum Attack {
    /// The mean of all that was shown.
    static func mean(of cells: [ReducedCell], near origin: Coordinate) throws -> Coordinate {
        var sum = (north: 0.0, east: 0.0)
        for cell in cells {
            let displaced = cell.centre.displaced(from: origin)
            sum = (sum.north + displaced.north, sum.east + displaced.east)
        }
        let count = Double(cells.count)
        return try origin.moved(north: sum.north / count, east: sum.east / count)
    }

    /// The most likely place for these cells if each report deviates from it by this number of metres.
    static func mostLikely(_ cells: [ReducedCell], spread: Double) throws -> Coordinate {
        let bands = Dictionary(grouping: cells, by: \.band)
        let usual = bands.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
        guard let usual else { throw NothingSeen() }
        let columns = Dictionary(grouping: usual.value, by: \.column)
        guard let column = columns.max(by: { ($0.value.count, $0.key) < ($1.value.count, $1.key) }),
            let modal = ReducedCell(band: usual.key, column: column.key)
        else { throw NothingSeen() }
        let sigma = spread / ReducedCell.size
        let north = peak(bands.map { (Double($0.key - modal.band), Double($0.value.count)) }, sigma)
        let east = peak(columns.map { (Double($0.key - modal.column), Double($0.value.count)) }, sigma)
        return try modal.centre.moved(north: north * ReducedCell.size, east: east * ReducedCell.size)
    }

    struct NothingSeen: Error {}

    /// Where on one axis, in cells from the middle of cell 0, such counts of cells are the likeliest: the middle of
    /// all that are equally likely.
    private static func peak(_ counts: [(cell: Double, count: Double)], _ sigma: Double) -> Double {
        // Beyond a cell's half there are the neighbour's; a column number that jumps across 180° counts as none.
        let near = counts.filter { abs($0.cell) <= 2 }
        var best = -Double.infinity
        var places: [Double] = []
        // Two near places can be distinguished by a share of the spread near a border, and nowhere else.
        var candidates = (-50...50).map { Double($0) / 100 }
        for border in [-0.5, 0.5] {
            candidates += (-40...40).map { border + Double($0) / 10 * sigma }
        }
        for place in candidates where abs(place) <= 0.5 {
            var likelihood = 0.0
            for (cell, count) in near {
                let share = integral((cell + 0.5 - place) / sigma) - integral((cell - 0.5 - place) / sigma)
                likelihood += count * log(max(share, 1e-12))
            }
            if likelihood > best + 1e-6 {
                best = likelihood
                places = [place]
            } else if likelihood > best - 1e-6 {
                places.append(place)
            }
        }
        guard let least = places.min(), let most = places.max() else { return 0 }
        return (least + most) / 2
    }

    private static func integral(_ value: Double) -> Double { 0.5 * erfc(-value * 0.5.squareRoot()) }

    /// The estimated position after a visible step from one cell to another: the middle of their common border.
    static func border(of first: ReducedCell, and second: ReducedCell) throws -> Coordinate {
        let displaced = second.centre.displaced(from: first.centre)
        // Columns of two bands need not be aligned: the border is their common part.
        let half = ReducedCell.size / 2
        let common = (max(-half, displaced.east - half) + min(half, displaced.east + half)) / 2
        return try first.centre.moved(
            north: displaced.north / 2, east: first.band == second.band ? displaced.east / 2 : common)
    }
}

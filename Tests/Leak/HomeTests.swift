import Location
import TestSupport
import Testing

/// L2: a month of reports locates a home no better than one report.
struct HomeTests {
    /// Metres of a receiver's noise, on each axis.
    private static let noise = 8.0
    /// Metres of a stroll, on each axis.
    private static let stroll = 1_500.0
    private static let ticksADay = 72

    /// Errors in metres, over all homes.
    private struct Errors {
        var single: [Double] = []
        var mean: [Double] = []
        var likeliest: [Double] = []
        var meanOfAll: [Double] = []
        var strolls: [Double] = []
        var offset: [Double] = []

        func print(_ title: String) {
            func row(_ errors: [Double]) -> String {
                "\(Int(errors.median)) m (5 %: \(Int(errors.quantile(0.05))), 95 %: \(Int(errors.quantile(0.95))))"
            }
            Swift.print(
                """
                \(title), \(single.count) homes, median error
                  one report                     \(row(single))
                  mean of the nights             \(row(mean))
                  maximum likelihood, nights     \(row(likeliest))
                  mean of everything             \(row(meanOfAll))
                  maximum likelihood, strolls    \(row(strolls))
                  somebody who knew place+offset \(row(offset))
                """)
        }
    }

    /// A month: nights at home, weekdays at work, errands, and every day two hours of strolls around home.
    private func month(
        of home: Coordinate, days: Int, using generator: inout SeededGenerator
    ) throws -> (places: [Coordinate], nights: [Int], strolls: [Int]) {
        let work = try home.moved(
            north: Double.random(in: -20_000...20_000, using: &generator),
            east: Double.random(in: -20_000...20_000, using: &generator))
        let path = work.displaced(from: home)
        var places: [Coordinate] = []
        var (nights, strolls): ([Int], [Int]) = ([], [])
        for day in 0..<days {
            for tick in 0..<Self.ticksADay {
                var place = home
                switch tick {
                case 24, 51:
                    let part = Double.random(in: 0...1, using: &generator)
                    place = try home.moved(north: path.north * part, east: path.east * part)
                case 25..<51 where day % 7 < 5: place = work
                case 25..<51 where tick % 5 == 0: place = try home.scattered(by: 10_000, using: &generator)
                case 54..<60:
                    place = try home.scattered(by: Self.stroll, using: &generator)
                    strolls.append(places.count)
                case 0..<21: nights.append(places.count)
                default: break
                }
                places.append(try place.scattered(by: Self.noise, using: &generator))
            }
        }
        return (places, nights, strolls)
    }

    @Test func `a month of reports locates a home no better than one`() throws {
        var generator = SeededGenerator(sample: 1)
        var errors = Errors()
        // Medians of fewer homes would vary by more than the required 5 %.
        for _ in 0..<200 {
            var device = try Device(using: &generator)
            let home = try Coordinate.random(using: &generator)
            let month = try month(of: home, days: scaled(30, least: 3), using: &generator)
            let cells = try device.cells(at: month.places)
            let (nights, strolls) = (month.nights.map { cells[$0] }, month.strolls.map { cells[$0] })
            func error(_ guess: Coordinate) -> Double { guess.distance(to: home) }
            errors.single.append(error(cells[month.nights[0]].centre))
            errors.mean.append(error(try Attack.mean(of: nights, near: home)))
            errors.likeliest.append(error(try Attack.mostLikely(nights, spread: Self.noise)))
            errors.meanOfAll.append(error(try Attack.mean(of: cells, near: home)))
            errors.strolls.append(error(try Attack.mostLikely(strolls, spread: Self.stroll)))
            let offset = device.field.offset(at: home)
            errors.offset.append(
                ReducedCell.size * (offset.north * offset.north + offset.east * offset.east).squareRoot())
        }
        errors.print("L2: \(scaled(30, least: 3)) days")
        #expect(errors.mean.median >= 0.95 * errors.single.median, "\(generator)")
        #expect(errors.likeliest.median >= 0.95 * errors.single.median, "\(generator)")
        // A person who strolls around the home reveals its place in the cell. The offset stays secret.
        #expect(errors.strolls.median >= 0.9 * errors.offset.median, "\(generator)")
        #expect(errors.strolls.median >= 1_000, "\(generator)")
    }
}

import TestSupport

/// The same flaps with a hundred thousand routes in the table as without.
enum ResidentBenchmark {
    static func run(routes: Int, flaps: Int) throws {
        try OwnNetwork.enter()
        let directory = try TemporaryDirectory()
        let batch = try RouteBatch(routes: routes, in: directory)
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
        let without = try ReachabilityBenchmark.compare(
            flaps: flaps, with: .daemon(watching: nil), in: directory)
        print("\(flaps) flaps of the default route, no other routes")
        without.report()
        _ = try batch.make()
        let with = try ReachabilityBenchmark.compare(
            flaps: flaps, with: .daemon(watching: nil), in: directory)
        print("\(flaps) flaps of the default route, \(routes) other routes")
        with.report()
        guard let few = without.daemon?.all, let many = with.daemon?.all, few.median > 0 else { return }
        print(
            "  waymarkd with \(routes) routes / without: \(Text.fixed(many.median / few.median, 2)) (median),"
                + " \(Text.fixed(many.percentile(0.99) / few.percentile(0.99), 2)) (99 %)")
        print("load average of the last minute: \(ReachabilityBenchmark.loadAverage)")
    }
}

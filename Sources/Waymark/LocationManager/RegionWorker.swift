import Location
import Platform
import Synchronization

/// Performs a manager's operations on its monitor one after another, and reports each result on the manager's actor. An
/// operation waits for a daemon that is unavailable, and for data that is locked, which is reported once.
final class RegionWorker: Sendable {
    typealias Operation = LocationManagerRegions.Operation
    typealias Report = LocationManagerRegions.Report

    private let operations: AsyncStream<Operation>.Continuation
    private let task: Task<Void, Never>

    init(_ client: WaymarkClient, _ report: @escaping @Sendable (Report) async -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(of: Operation.self)
        operations = continuation
        task = Task {
            for await operation in stream { await Self.perform(operation, client, report) }
        }
    }

    deinit { task.cancel() }

    /// Performs an operation after those before it.
    func append(_ operation: Operation) { operations.yield(operation) }

    private static func perform(
        _ operation: Operation, _ client: WaymarkClient, _ report: @Sendable (Report) async -> Void
    ) async {
        let monitor = LocationMonitor(client: client, name: LocationManagerRegions.monitorName)
        var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(5))
        var isReported = operation == .load
        while !Task.isCancelled {
            do {
                if let result = try await result(of: operation, monitor) { await report(result) }
                return
            } catch let error as WaymarkError where error.isAbsence || error.isProtectedDataUnavailable {
                if !isReported { await report(.failed(nil, error)) }
                isReported = true
            } catch let error as WaymarkError {
                // A program that may not have regions has none that were stored before.
                if operation != .load { await report(.failed(operation.region, error)) }
                return
            } catch {
                return
            }
            // Throws only if the task is cancelled, which ends the loop.
            do { try await Task.sleep(for: pause.nextAtRandom()) } catch { return }
        }
    }

    private static func result(of operation: Operation, _ monitor: LocationMonitor) async throws -> Report? {
        switch operation {
        case .load:
            var regions: [CircularRegion] = []
            for identifier in try await monitor.identifiers {
                guard case .circle(let center, let radius)? = try await monitor.record(for: identifier)?.condition
                else {
                    continue
                }
                regions.append(CircularRegion(center: center, radius: radius, identifier: identifier))
            }
            return .loaded(regions)
        case .add(let region):
            try await monitor.add(
                .circle(center: region.center, radius: region.radius), identifier: region.identifier)
            return .added(region)
        case .remove(let identifier):
            try await monitor.remove(identifier)
            return nil
        case .queryState(let region):
            return .state(region, try await monitor.record(for: region.identifier)?.state ?? .unknown)
        }
    }
}

extension LocationManagerRegions.Operation {
    /// The region that it is about.
    fileprivate var region: CircularRegion? {
        switch self {
        case .add(let region), .queryState(let region): region
        case .load, .remove: nil
        }
    }
}

import Platform
import Storage

/// The parts of an erasure, each of which may fail. The erasure is done when all of them have ended.
@DaemonActor
final class ErasureParts {
    /// Called once, with the result of a part.
    typealias Part = @DaemonActor @Sendable (Result<Void, StorageError>) -> Void

    private let completion: Part
    /// The parts that have not ended, and one more until `allBegun`.
    private var open = 1
    private var failure: StorageError?

    /// - Parameter completion: Called when all parts have ended, with the first failure if there is any.
    init(completion: @escaping Part) {
        self.completion = completion
    }

    /// Begins a part, which has to call the result.
    func begin() -> Part {
        open += 1
        return { self.end($0) }
    }

    /// No further part begins.
    func allBegun() { end(.success(())) }

    private func end(_ result: Result<Void, StorageError>) {
        if case .failure(let error) = result, failure == nil { failure = error }
        open -= 1
        guard open == 0 else { return }
        completion(failure.map { .failure($0) } ?? .success(()))
    }
}

import Synchronization

/// What a `SyncEngine` is asked to do, and the signal that there is something to do.
final class SyncEngineInbox: Sendable {
    /// What an app asks for.
    enum Operation: Sendable {
        case fetch
        case send(SyncEngine.SendChangesOptions)
    }

    /// An operation that a task of the app waits for.
    struct Request: Sendable {
        let number: Int
        let operation: Operation
        let waiting: CheckedContinuation<Void, any Error>
    }

    private struct Contents {
        var requests: [Request] = []
        var last = 0
        /// The numbers of requests that were cancelled before they waited, or before their work began.
        var cancelled: Set<Int> = []
        /// The number of the request whose work begins next.
        var next: Int?
        var current: (request: Request?, task: Task<Void, any Error>)?
        var isClosed = false
        var hasFailed = false
    }

    private let contents = Mutex(Contents())
    /// Yields once for any number of signals that were not received.
    let signals: AsyncStream<Void>
    private let output: AsyncStream<Void>.Continuation

    init() {
        (signals, output) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// There is something to do.
    func signal() { output.yield() }

    /// Waiting for changes has failed, so that the next attempt is made after a pause.
    func signalFailure() {
        contents.withLock { $0.hasFailed = true }
        signal()
    }

    /// Whether waiting for changes has failed since the last call.
    func removeFailure() -> Bool {
        contents.withLock { contents in
            defer { contents.hasFailed = false }
            return contents.hasFailed
        }
    }

    /// Refuses everything from now on: the engine was released.
    func close() {
        let rest = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.requests = [] }
            return contents.requests
        }
        for request in rest { request.waiting.resume(throwing: CancellationError()) }
        output.finish()
    }

    /// Waits until an operation is done. Cancelling the task ends it.
    func perform(_ operation: Operation) async throws {
        try Task.checkCancellation()
        let number = contents.withLock { contents in
            contents.last += 1
            return contents.last
        }
        defer { contents.withLock { _ = $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiting: CheckedContinuation<Void, any Error>) in
                let isRefused = contents.withLock { contents in
                    if contents.isClosed || contents.cancelled.remove(number) != nil { return true }
                    contents.requests.append(Request(number: number, operation: operation, waiting: waiting))
                    return false
                }
                if isRefused { waiting.resume(throwing: CancellationError()) } else { signal() }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        let request: Request? = contents.withLock { contents in
            if let current = contents.current, current.request?.number == number {
                current.task.cancel()
                return nil
            }
            guard let index = contents.requests.firstIndex(where: { $0.number == number }) else {
                contents.cancelled.insert(number)
                return nil
            }
            return contents.requests.remove(at: index)
        }
        request?.waiting.resume(throwing: CancellationError())
    }

    /// Cancels the work in progress, and all requests.
    func cancelAll() {
        let requests = contents.withLock { contents in
            contents.current?.task.cancel()
            if let next = contents.next { contents.cancelled.insert(next) }
            defer { contents.requests = [] }
            return contents.requests
        }
        for request in requests { request.waiting.resume(throwing: CancellationError()) }
    }

    /// The next request; nil if there is none.
    func next() -> Request? {
        contents.withLock { contents in
            guard !contents.requests.isEmpty else { return nil }
            let request = contents.requests.removeFirst()
            contents.next = request.number
            return request
        }
    }

    /// Performs work for a request, or without one, so that it can be cancelled by itself.
    func run(_ request: Request?, _ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await work() }
        contents.withLock { contents in
            contents.current = (request, task)
            contents.next = nil
            if let request, contents.cancelled.remove(request.number) != nil { task.cancel() }
        }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        contents.withLock { $0.current = nil }
        request?.waiting.resume(with: result)
        try result.get()
    }
}

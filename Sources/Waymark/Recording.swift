import Interfaces
import Location
import Platform
import Varlink

/// Positions that the daemon stores for the app until the app acknowledges them, even while the app is not running.
///
///     let recording = WaymarkClient().recording("trip")
///     try await recording.start(RecordingOptions(distanceFilter: 10))
///     for try await page in recording.pages() {
///         try await send(page.points)
///         if let last = page.points.last { try await recording.acknowledge(upTo: last.sequence) }
///     }
///
/// The app's manifest needs `Record=yes`, and to be recorded while it is not in use, the app needs Always. None of
/// these calls blocks a thread of the caller's. Each throws a `WaymarkError`, or `CancellationError` if its task is
/// cancelled.
public struct Recording: Sendable {
    let client: WaymarkClient
    /// The app's own name for the recording: letters, digits, dots, underscores and hyphens.
    public let identifier: String

    /// Starts recording, or continues with these options; positions recorded before are retained. Returns when that is
    /// durable.
    ///
    /// - Throws: `.refused` with `recordingNotAllowed` if the manifest does not permit recordings, `.failed` with
    ///   `TooManyRecordings`, `InvalidIdentifier` or `JournalUnavailable`.
    @discardableResult
    public func start(_ options: RecordingOptions = RecordingOptions()) async throws -> KnownRecording {
        try await reply(to: RecordingInterface.Start(identifier: identifier, options: options)).recording
    }

    /// Stops recording; recorded positions are retained until they are acknowledged.
    @discardableResult
    public func stop() async throws -> KnownRecording {
        try await reply(to: RecordingInterface.Stop(identifier: identifier)).recording
    }

    /// Erases the recording with all its positions, and returns their number.
    @discardableResult
    public func erase() async throws -> Int64 {
        try await reply(to: RecordingInterface.Erase(identifier: identifier)).erased
    }

    /// The state and the number of pending positions; nil if the app has no recording with this name.
    public func status() async throws -> KnownRecording? {
        try await client.recordings().first { $0.identifier == identifier }
    }

    /// The recorded positions after a number, without waiting.
    public func read(after: Int64 = 0, limit: Int = 200) async throws -> RecordingPage {
        let request = RecordingInterface.Read(identifier: identifier, after: after, limit: Int64(limit))
        return RecordingPage(try await reply(to: request))
    }

    /// The positions after a number, including future ones, page by page. A page is requested when the one before has
    /// been consumed.
    public func pages(after: Int64 = 0, limit: Int = 200) -> RecordingPages {
        RecordingPages(recording: self, after: after, limit: limit)
    }

    /// Acknowledges all positions up to this number, which the daemon then removes. Returns the greatest acknowledged
    /// number when that is durable.
    @discardableResult
    public func acknowledge(upTo number: Int64) async throws -> Int64 {
        try await reply(to: RecordingInterface.Acknowledge(identifier: identifier, upTo: number)).acknowledged
    }

    func reply<Method: VarlinkMethod>(to method: Method) async throws -> Method.Reply {
        // With `more` the daemon would delay the reply until there are positions.
        try await client.reply(to: method, more: false)
    }
}

extension WaymarkClient {
    /// The app's recording with this name, whether or not it was started.
    public func recording(_ identifier: String) -> Recording { Recording(client: self, identifier: identifier) }

    /// The app's recordings. An operator's program that is no app receives those of all apps.
    public func recordings() async throws -> [KnownRecording] {
        try await reply(to: RecordingInterface.List()).recordings
    }
}

/// The positions of a recording, present and future, for `for try await`.
///
/// Each page is a separate call, made after the page before was consumed. So no position is lost: a reader that starts
/// again after the last number that it consumed misses none. If the daemon stops, the sequence waits until it is
/// available again, and continues after the last page. It ends with an error if the app is no longer authorized, or the
/// daemon is not running at first.
public struct RecordingPages: AsyncSequence, Sendable {
    /// The elements of the sequence, with at least one position each.
    public typealias Element = RecordingPage
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let recording: Recording
    let after: Int64
    let limit: Int

    /// Starts reading.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            recording: recording,
            request: RecordingInterface.Read(
                identifier: recording.identifier, after: after, limit: Int64(limit), wait: true))
    }

    /// An iterator over pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let recording: Recording
        fileprivate var request: RecordingInterface.Read
        private var hasBegun = false

        fileprivate init(recording: Recording, request: RecordingInterface.Read) {
            self.recording = recording
            self.request = request
        }

        /// Waits for the next positions; nil after the task was cancelled. Throws a `WaymarkError`.
        public mutating func next() async throws -> RecordingPage? {
            let request = request
            guard let reply = try await reply(to: request) else { return nil }
            hasBegun = true
            let page = RecordingPage(reply)
            self.request.after = page.points.last?.sequence ?? request.after
            return page
        }

        /// Repeats the call until the daemon replies; nil if the task was cancelled.
        private func reply(to request: RecordingInterface.Read) async throws -> RecordingInterface.Read.Reply? {
            var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(5))
            while true {
                do {
                    return try await recording.reply(to: request)
                } catch is CancellationError {
                    return nil
                } catch let error as WaymarkError where hasBegun && error.isAbsence {
                    do { try await Task.sleep(for: pause.nextAtRandom()) } catch { return nil }
                }
            }
        }
    }
}

import Interfaces
import Location
import Platform
import Varlink

/// Positions that are kept for the app, also while it does not run, until it acknowledges them.
///
///     let recording = WaymarkClient().recording("trip")
///     try await recording.start(RecordingOptions(distanceFilter: 10))
///     for try await page in recording.pages() {
///         try await send(page.points)
///         if let last = page.points.last { try await recording.acknowledge(upTo: last.sequence) }
///     }
///
/// The app's manifest has to say `Record=yes`, and the app needs Always to be recorded while it is not in use. None of these calls blocks a
/// thread of the caller's; each throws a `WaymarkError`, or `CancellationError` where its task is cancelled.
public struct Recording: Sendable {
    let client: WaymarkClient
    /// The app's own name for it: letters, digits, dots, underscores and hyphens.
    public let identifier: String

    /// Begins to record, or goes on with these options; what was recorded before stays. Returns once that is durable.
    ///
    /// - Throws: `.refused` with `recordingNotAllowed` where the manifest does not let the app record, `.failed` with
    ///   `TooManyRecordings`, `InvalidIdentifier` or `JournalUnavailable`.
    @discardableResult
    public func start(_ options: RecordingOptions = RecordingOptions()) async throws -> KnownRecording {
        try await reply(to: RecordingInterface.Start(identifier: identifier, options: options)).recording
    }

    /// Records nothing more; what there is stays until it is acknowledged.
    @discardableResult
    public func stop() async throws -> KnownRecording {
        try await reply(to: RecordingInterface.Stop(identifier: identifier)).recording
    }

    /// Ends the recording and forgets all of it: how many positions that were.
    @discardableResult
    public func erase() async throws -> Int64 {
        try await reply(to: RecordingInterface.Erase(identifier: identifier)).erased
    }

    /// How it stands, and how much waits; nil where the app has none of this name.
    public func status() async throws -> KnownRecording? {
        try await client.recordings().first { $0.identifier == identifier }
    }

    /// The positions that come after a number, without waiting for any.
    public func read(after: Int64 = 0, limit: Int = 200) async throws -> RecordingPage {
        let request = RecordingInterface.Read(identifier: identifier, after: after, limit: Int64(limit))
        return RecordingPage(try await reply(to: request))
    }

    /// The positions that come after a number, and those that are recorded from then on, page by page: the next one is
    /// asked for when the one before has been taken.
    public func pages(after: Int64 = 0, limit: Int = 200) -> RecordingPages {
        RecordingPages(recording: self, after: after, limit: limit)
    }

    /// Everything up to this number has arrived where it was to go, and is kept no longer. Returns once that is durable:
    /// up to which number is acknowledged.
    @discardableResult
    public func acknowledge(upTo number: Int64) async throws -> Int64 {
        try await reply(to: RecordingInterface.Acknowledge(identifier: identifier, upTo: number)).acknowledged
    }

    func reply<Method: VarlinkMethod>(to method: Method) async throws -> Method.Reply {
        // With `more` a reader that waits would be sent what it asks for later.
        try await client.reply(to: method, more: false)
    }
}

extension WaymarkClient {
    /// The app's recording of this name, whether it was started or not.
    public func recording(_ identifier: String) -> Recording { Recording(client: self, identifier: identifier) }

    /// The app's recordings; an operator's program that is no app gets everybody's.
    public func recordings() async throws -> [KnownRecording] {
        try await reply(to: RecordingInterface.List()).recordings
    }
}

/// Positions of a recording, those there are and those that come, for `for try await`.
///
/// Each page is one call, so that none is read before the last was taken, and none is lost: a reader that begins anew after
/// the last number that it took misses nothing. When the daemon goes away the sequence waits until it is back, and goes on
/// behind the last page. It ends with an error where the app may not have positions any more, or the daemon does not run
/// at first.
public struct RecordingPages: AsyncSequence, Sendable {
    /// The elements of the sequence: at least one position each.
    public typealias Element = RecordingPage
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let recording: Recording
    let after: Int64
    let limit: Int

    /// Starts to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            recording: recording,
            request: RecordingInterface.Read(
                identifier: recording.identifier, after: after, limit: Int64(limit), wait: true))
    }

    /// Reads pages one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let recording: Recording
        fileprivate var request: RecordingInterface.Read
        private var hasBegun = false

        fileprivate init(recording: Recording, request: RecordingInterface.Read) {
            self.recording = recording
            self.request = request
        }

        /// The next positions, waited for; throws a `WaymarkError`. Nil after the task was cancelled.
        public mutating func next() async throws -> RecordingPage? {
            let request = request
            guard let reply = try await reply(to: request) else { return nil }
            hasBegun = true
            let page = RecordingPage(reply)
            self.request.after = page.points.last?.sequence ?? request.after
            return page
        }

        /// Asks until the daemon answers; nil where the task was cancelled.
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

import Interfaces
import SyncInterface

/// The account of the machine, now and after each change of it: what the notification `CKAccountChanged` is in CloudKit. Only the
/// latest state is buffered for a slow reader. A `waymark-sync` that is restarted is waited for; the sequence ends with a
/// `RecordError` if the program may not ask.
public struct AccountChanges: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Account
    /// A `RecordError`.
    public typealias Failure = any Error

    let client: WaymarkClient

    /// Starts to listen.
    public func makeAsyncIterator() -> AsyncIterator {
        let replies = client.replies(of: SyncInterface.GetAccount(), lasting: .always) { Account($0) }
        return AsyncIterator(accounts: replies.makeAsyncIterator())
    }

    /// Reads accounts one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var accounts: AsyncThrowingStream<Account, any Error>.AsyncIterator
        private var last: Account?

        fileprivate init(accounts: AsyncThrowingStream<Account, any Error>.AsyncIterator) { self.accounts = accounts }

        /// The next one; throws a `RecordError`. Nil after the task was cancelled.
        public mutating func next() async throws -> Account? {
            do {
                // A program that was restarted sends again what is the same.
                while let account = try await accounts.next() {
                    guard account != last else { continue }
                    last = account
                    return account
                }
                return nil
            } catch let error as WaymarkError {
                throw RecordError(error)
            }
        }
    }
}

import Platform
import Varlink

extension LoopClient {
    /// A connection to the daemon. `fail` is called with the reason when it ends, and at once, with nil returned, if it cannot
    /// be made.
    static func daemon(
        at socketPath: String, clock: any TimeSource, fail: @escaping @DaemonActor (String) -> Void
    ) -> LoopClient? {
        do throws(VarlinkError) {
            let client = try LoopClient(path: socketPath, clock: clock)
            client.onEnd = { fail("the daemon has disconnected: \($0)") }
            return client
        } catch {
            fail("the daemon does not reply: \(error)")
            return nil
        }
    }
}

import NetworkPaths
import Platform
import Resolver

/// Resolves a broker's name on a thread of its own: libmosquitto would block the loop meanwhile.
@DaemonActor
enum AddressLookup {
    /// The most concurrent lookups, including abandoned ones.
    static let most = 8
    private(set) static var running = 0

    /// Resolves a name and reports its addresses later, the preferred one first; none if the name cannot be resolved.
    static func start(_ name: HostName, completion: @escaping @DaemonActor ([HostAddress]) -> Void) {
        // Used only on the loop.
        let box = Box(completion)
        guard running < most else {
            DaemonActor.post { box.completion([]) }
            return
        }
        do throws(SystemError) {
            try DetachedThread.start(name: "name-lookup") {
                var addresses: [HostAddress] = []
                if case .addresses(let found) = NameLookup.answer(for: name) { addresses = found }
                DaemonActor.post { [addresses] in
                    running -= 1
                    box.completion(addresses)
                }
            }
            running += 1
        } catch {
            Log.warning("a name cannot be resolved: \(error)")
            DaemonActor.post { box.completion([]) }
        }
    }

    @DaemonActor
    private final class Box {
        let completion: @DaemonActor ([HostAddress]) -> Void
        init(_ completion: @escaping @DaemonActor ([HostAddress]) -> Void) { self.completion = completion }
    }
}

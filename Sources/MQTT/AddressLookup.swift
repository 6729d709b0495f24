import NetworkPaths
import Platform
import Resolver

/// Looks a broker's name up on a thread that lives as long as that takes: libmosquitto would hold the loop meanwhile.
@DaemonActor
enum AddressLookup {
    /// How many may go on at once, most of which nobody waits for any more.
    static let most = 8
    private(set) static var running = 0

    /// The addresses of a name, the one to be tried first at the top, none where it cannot be looked up; told later.
    static func start(_ name: HostName, completion: @escaping @DaemonActor ([HostAddress]) -> Void) {
        // Only ever used on the loop.
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
            Log.warning("a name cannot be looked up: \(error)")
            DaemonActor.post { box.completion([]) }
        }
    }

    @DaemonActor
    private final class Box {
        let completion: @DaemonActor ([HostAddress]) -> Void
        init(_ completion: @escaping @DaemonActor ([HostAddress]) -> Void) { self.completion = completion }
    }
}

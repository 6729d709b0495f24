import Netlink
import Platform

/// The sockets that the service manager handed over, by what they are for.
struct HandedSockets: Equatable {
    /// A descriptor, and the name that the unit, or who put it into the store, gave it.
    struct Named: Equatable {
        var number: Int32
        var name: String
    }

    /// The two sockets to the kernel's routing: it announces changes on one, and is asked over the other.
    struct Routing: Equatable {
        var announcements: Int32
        var queries: Int32
    }

    /// Those that clients connect to.
    var listeners: [Named] = []
    /// What an earlier process of the service left of its connections.
    var left: [Named] = []
    /// Those to the kernel's routing; nil where the daemon has to open its own.
    var routing: Routing?

    /// Takes what there is; to be called once.
    static func receive() throws -> HandedSockets {
        try HandedSockets(
            ServiceManager.receiveListeningSockets(), isListener: ServiceManager.isListeningUnixStream,
            isRouting: NetlinkSocket.isRouteSocket)
    }

    /// Sorts sockets by what the tests say of them.
    init(
        _ sockets: [(number: Int32, name: String)], isListener: (Int32) -> Bool, isRouting: (Int32) -> Bool
    ) throws(StartError) {
        var routing: [Int32] = []
        for socket in sockets {
            if Handover.isPart(socket.name) {
                left.append(Named(number: socket.number, name: socket.name))
            } else if isListener(socket.number) {
                listeners.append(Named(number: socket.number, name: socket.name))
            } else if isRouting(socket.number) {
                routing.append(socket.number)
            } else {
                throw .unusableSocket(name: socket.name)
            }
        }
        switch routing.count {
        case 0: break
        case 2: self.routing = Routing(announcements: routing[0], queries: routing[1])
        default: throw .routingSockets(count: routing.count)
        }
    }
}

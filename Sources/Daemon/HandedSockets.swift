import Netlink
import Platform

/// The sockets that the service manager passed, sorted by purpose.
struct HandedSockets: Equatable {
    /// A descriptor with its name, from the unit or from the process that stored it.
    struct Named: Equatable {
        var number: Int32
        var name: String
    }

    /// The two routing sockets of the kernel: one receives announcements, the other is for queries.
    struct Routing: Equatable {
        var announcements: Int32
        var queries: Int32
    }

    /// The sockets to which clients connect.
    var listeners: [Named] = []
    /// The descriptors that an earlier process of the service stored: its connections, and the file with their state.
    var left: [Named] = []
    /// The routing sockets; nil if the daemon has to open its own.
    var routing: Routing?

    /// Receives the sockets; to be called once.
    static func receive() throws -> HandedSockets {
        try HandedSockets(
            ServiceManager.receiveListeningSockets(), isListener: ServiceManager.isListeningUnixStream,
            isRouting: NetlinkSocket.isRouteSocket)
    }

    /// Sorts sockets by their types.
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

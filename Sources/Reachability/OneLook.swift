import Location

/// The kernel as it is asked in one look at the network: about each router once, however many destinations it leads to.
final class OneLook<Asked: Kernel>: Kernel {
    private let kernel: Asked
    private var neighbours: [(gateway: Gateway, neighbour: Neighbour?)] = []

    /// A look that has asked nothing yet.
    init(asking kernel: Asked) {
        self.kernel = kernel
    }

    func neighbour(_ address: IPAddress, on index: Int32) -> Neighbour? {
        let gateway = Gateway(address, on: index)
        if let known = neighbours.first(where: { $0.gateway == gateway }) { return known.neighbour }
        let neighbour = kernel.neighbour(address, on: index)
        neighbours.append((gateway, neighbour))
        return neighbour
    }

    func route(_ question: RouteQuestion) -> RouteAnswer { kernel.route(question) }
    func way(_ question: RouteQuestion) -> RouteAnswer { kernel.way(question) }
    func link(_ index: Int32) -> Link? { kernel.link(index) }
    func links() -> [Link]? { kernel.links() }
    func addresses(of index: Int32) -> [InterfaceAddress]? { kernel.addresses(of: index) }
    func rules(_ family: IPAddress.Family) -> [RoutingRule]? { kernel.rules(family) }
}

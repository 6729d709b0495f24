import NetworkPaths
import TestSupport

extension NetworkSituation {
    /// The situations in which the network is lost, without another one.
    static let losses = links + addresses + routes + nextHops + [silentRouter, silentRouterOfRouter]

    private static let links = [
        NetworkSituation(
            name: "the carrier is lost", outcome: .lost(.requiresConnection, .noCarrier), isOfOneFamily: false,
            operate: { network, _ in try network.far.ip("link set far0 down") }),
        NetworkSituation(
            name: "the link goes down", outcome: .lost(.unsatisfied, .noRoute), isOfOneFamily: false,
            operate: { network, _ in try network.machine.ip("link set up0 down") }),
        NetworkSituation(
            name: "the device is deleted", outcome: .lost(.unsatisfied, .noRoute), isOfOneFamily: false,
            operate: { network, _ in try network.machine.ip("link del up0") },
            undo: { network, _ in try network.connect() }),
        NetworkSituation(
            name: "the device is moved to another network", outcome: .lost(.unsatisfied, .noRoute),
            isOfOneFamily: false,
            operate: { network, _ in try network.machine.ip("link set up0 netns \(network.far.processID)") },
            undo: { network, _ in
                try network.far.ip("link set up0 netns \(network.machine.processID)")
                try network.restore()
            }),
    ]

    private static let addresses = [
        NetworkSituation(
            // The kernel removes all routes of an interface with its last address.
            name: "the address is deleted", outcome: .lost(.unsatisfied, .noRoute), families: [.ipv4],
            operate: { network, families in try network.each(families) { "address del \($0.ownNetwork()) dev up0" } }),
        NetworkSituation(
            // Here it leaves the default route alone, and one address to send from, which is of the link only.
            name: "the address is deleted", outcome: .lost(.requiresConnection, .noAddress), families: [.ipv6],
            operate: { network, families in try network.each(families) { "address del \($0.ownNetwork()) dev up0" } }),
        NetworkSituation(
            name: "the address is new and not ready", outcome: .lost(.requiresConnection, .addressTentative),
            families: [.ipv6], isOneStep: false,
            operate: { network, families in
                // The number of probes of duplicate address detection, a second apart.
                for (setting, value) in [("accept_dad", "1"), ("dad_transmits", "100")] {
                    try network.machine.set("net/ipv6/conf/up0/\(setting)", value)
                }
                try network.each(families) { "address del \($0.ownNetwork()) dev up0" }
                try network.each(families) { "address add \($0.ownNetwork()) dev up0" }
            },
            undo: { network, families in
                try network.machine.set("net/ipv6/conf/up0/accept_dad", "0")
                try network.each(families) { "address del \($0.ownNetwork()) dev up0" }
                try network.restore()
            }),
    ]

    private static let routes =
        [
            NetworkSituation(
                name: "a rule prohibits it", outcome: .lost(.unsatisfied, .prohibited),
                operate: { network, families in try network.each(families) { "\($0.option) rule add pref 100 prohibit" }
                },
                undo: { network, families in try network.each(families) { "\($0.option) rule del pref 100" } }),
            NetworkSituation(
                name: "the default route is deleted", outcome: .lost(.unsatisfied, .noRoute),
                operate: { network, families in try network.each(families) { "route del \($0.all)" } }),
        ]
        + [
            ("unreachable", UnreachableReason.unreachableRoute), ("prohibit", .prohibited), ("blackhole", .blackhole),
            ("throw", .noRoute),
        ].map { type, reason in
            NetworkSituation(
                name: "a default route of type \(type) comes first", outcome: .lost(.unsatisfied, reason),
                operate: { network, families in
                    try network.each(families) { "route add \(type) \($0.all) metric 1" }
                },
                undo: { network, families in
                    try network.each(families) { "route del \(type) \($0.all) metric 1" }
                })
        }

    private static let nextHops = [
        NetworkSituation(
            name: "the nexthop object is deleted", outcome: .lost(.unsatisfied, .noRoute), prepare: useNextHops,
            operate: { network, families in try network.each(families) { "nexthop del id \($0.nextHop)" } },
            undo: { network, families in
                try network.each(families) { "nexthop add id \($0.nextHop) via \($0.router()) dev up0" }
                try network.each(families) { "route add \($0.all) nhid \($0.nextHop) metric 50" }
            }),
        NetworkSituation(
            name: "the nexthop object becomes a blackhole", outcome: .lost(.unsatisfied, .blackhole),
            prepare: useNextHops,
            operate: { network, families in
                try network.each(families) { "\($0.option) nexthop replace id \($0.nextHop) blackhole" }
            },
            undo: { network, families in
                try network.each(families) { "nexthop replace id \($0.nextHop) via \($0.router()) dev up0" }
            }),
    ]

    private static let silentRouter = NetworkSituation(
        name: "the router stops answering", outcome: .lost(.unsatisfied, .gatewayNotAnswering), isForgettable: true,
        prepare: { network, _ in try network.solicitRoutersEvery(milliseconds: 50) },
        operate: { network, families in try network.silenceRouters(families) },
        undo: { network, families in
            try network.solicitRouters(times: 250)
            try network.restore()
            for family in families { try network.knock(family.world) }
        })

    /// A machine that forwards sends through the first router as long as there is a route.
    private static let silentRouterOfRouter = NetworkSituation(
        name: "the first of two routers stops answering a machine that forwards",
        outcome: .lost(.unsatisfied, .gatewayNotAnswering), uplinks: 2, families: [.ipv6], isOfOneFamily: false,
        isForgettable: true,
        prepare: { network, families in
            try network.machine.set("net/ipv6/conf/all/forwarding", "1")
            try silentRouter.prepare(network, families)
        },
        operate: silentRouter.operate, undo: silentRouter.undo)

    /// Default routes by nexthop objects instead of the others.
    static let useNextHops: Step = { network, families in
        try network.each(families) { "nexthop add id \($0.nextHop) via \($0.router()) dev up0" }
        try network.each(families) { "route add \($0.all) nhid \($0.nextHop) metric 50" }
        try network.each(families) { "route del \($0.all) metric 100" }
    }
}

import Glibc
import Location
import TestSupport

extension NetworkSituation {
    /// The situations in which another network is available immediately.
    static let moves = [
        NetworkSituation(
            name: "a second uplink has the better metric", outcome: .moved("up1"), uplinks: 2, isOfOneFamily: false,
            operate: { network, families in
                try network.each(families) { "route add \($0.all) via \($0.router(1)) dev up1 metric 50" }
            },
            undo: { network, families in try network.each(families) { "route del \($0.all) metric 50" } }),
        NetworkSituation(
            name: "a rule chooses another table", outcome: .moved("up1"), uplinks: 2, isOfOneFamily: false,
            prepare: { network, families in
                try network.each(families) { "route add \($0.all) via \($0.router(1)) dev up1 table 100" }
            },
            operate: { network, families in
                try network.each(families) { "\($0.option) rule add pref 100 lookup 100" }
            },
            undo: { network, families in try network.each(families) { "\($0.option) rule del pref 100" } }),
        NetworkSituation(
            name: "a VPN puts two halves before the default route", outcome: .moved("up1"), uplinks: 2,
            isOfOneFamily: false,
            operate: { network, families in
                for half in 0..<2 {
                    try network.each(families) { "route add \($0.halves[half]) via \($0.router(1)) dev up1" }
                }
            },
            undo: { network, families in
                for half in 0..<2 { try network.each(families) { "route del \($0.halves[half])" } }
            }),
        NetworkSituation(
            name: "the nexthop object leads elsewhere", outcome: .moved("up1"), uplinks: 2, isOfOneFamily: false,
            prepare: useNextHops,
            operate: { network, families in
                try network.each(families) { "nexthop replace id \($0.nextHop) via \($0.router(1)) dev up1" }
            },
            undo: { network, families in
                try network.each(families) { "nexthop replace id \($0.nextHop) via \($0.router()) dev up0" }
            }),
        NetworkSituation(
            name: "the carrier is lost where the kernel passes over such interfaces", outcome: .moved("up1"),
            uplinks: 2, isOfOneFamily: false,
            prepare: { network, _ in
                for family in ["ipv4", "ipv6"] {
                    try network.machine.set("net/\(family)/conf/up0/ignore_routes_with_linkdown", "1")
                }
            },
            operate: { network, _ in try network.far.ip("link set far0 down") }),
        NetworkSituation(
            // With version 6 the kernel passes over routers that failed, and over none that it tries.
            name: "the first of two routers stops answering", outcome: .moved("up1"), uplinks: 2, families: [.ipv6],
            isOfOneFamily: false, isForgettable: true,
            prepare: { network, _ in try network.solicitRoutersEvery(milliseconds: 50) },
            operate: { network, families in try network.silenceRouters(families) },
            undo: { network, families in
                // Nothing happens at the machine itself except that the kernel probes the router for a while, and then
                // gets a reply.
                try network.solicitRouters(times: 250)
                for family in families { try network.knock(family.router()) }
                _ = poll(nil, 0, 65)
                try network.far.ip(families.map { "address add \($0.routerNetwork()) dev far0 nodad" })
            }),
        NetworkSituation(
            name: "the interface is renamed", outcome: .moved("wan0"), isOfOneFamily: false,
            operate: { network, _ in try network.machine.ip("link set up0 name wan0") },
            undo: { network, _ in try network.machine.ip("link set wan0 name up0") }),
    ]
}

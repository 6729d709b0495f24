import CommandLineKit
import Glibc
import Interfaces
import Location
import Varlink

/// `waymark satellites`: what the receiver sees.
enum SatellitesCommand {
    static let command = Command(
        "satellites", "show which satellites the receiver sees, and how well",
        discussion: [
            "A satellite is named as RINEX names it: G GPS, R GLONASS, E Galileo, C BeiDou, J QZSS, S SBAS, I NavIC. On a"
                + " terminal a map of the sky shows where they stand: north is up, the zenith is in the middle.",
            "A signal of 35 dB-Hz and more is good; indoors it is often below 25, which is too weak for a position.",
        ],
        options: [
            CommonOptions.json, Option("watch", short: "w", "go on as the receiver tells"), CommonOptions.noReconnect,
        ],
        examples: [Command.Example("waymark satellites --watch", "While looking for a place for the antenna.")])

    static func run(_ session: Session) throws(CommandFailure) {
        guard session.invocation.has("watch") else {
            // The daemon itself waits up to ten seconds for the receiver to tell.
            return try show(try session.daemon.call(LocationMethod.getSatellites.rawValue, waiting: 15), session)
        }
        let interruption = try session.interruption()
        let stream = try PatientStream(
            session, LocationMethod.monitorSatellites.rawValue, comesBack: !session.invocation.has("no-reconnect"),
            until: interruption)
        var redrawing = Redrawing()
        while true {
            switch try stream.next() {
            case .reply(let reply) where session.terminal.canRedraw && !session.isJSON:
                let terminal = Terminal(descriptor: STDOUT_FILENO)
                session.output.text(redrawing.frame(try lines(reply, terminal), for: terminal))
                try session.flush()
            case .reply(let reply): try show(reply, session)
            case .nothing, .lost, .expired: continue
            }
        }
    }

    private static func show(_ reply: Reply, _ session: Session) throws(CommandFailure) {
        if session.isJSON { return try session.print(json: try CommonReply.raw(reply, "sky")) }
        try session.print(try lines(reply, session.terminal))
    }

    private static func lines(_ reply: Reply, _ terminal: Terminal) throws(CommandFailure) -> [String] {
        guard let sky = reply.parameters["sky"].flatMap(SkyView.init) else {
            throw CommonReply.notUnderstood("a sky without satellites")
        }
        return SatelliteText(sky: sky, terminal: terminal).lines
    }
}

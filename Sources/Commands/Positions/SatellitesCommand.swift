import CommandLineKit
import Glibc
import Interfaces
import Location
import Varlink

/// `waymark satellites`: the satellites that the receiver sees.
enum SatellitesCommand {
    static let command = Command(
        "satellites", "show which satellites the receiver sees, and how well",
        discussion: [
            "Satellites have the names of RINEX: G GPS, R GLONASS, E Galileo, C BeiDou, J QZSS, S SBAS, I NavIC. On a"
                + " terminal a map of the sky shows their directions: north is up, the zenith is in the middle.",
            "A signal of 35 dB-Hz and more is good; indoors it is often below 25, which is too weak for a position.",
        ],
        options: [
            CommonOptions.json, Option("watch", short: "w", "continue with every report of the receiver"),
            CommonOptions.noReconnect,
        ],
        examples: [Command.Example("waymark satellites --watch", "While finding a place for the antenna.")])

    static func run(_ session: Session) throws(CommandFailure) {
        guard session.invocation.has("watch") else {
            // The daemon itself waits up to ten seconds for a report of the receiver.
            let reply = try session.daemon.call(LocationInterface.GetSatellites(), waiting: 15)
            return try show(reply.sky, try reply.bytes(of: "sky"), session)
        }
        let interruption = try session.interruption()
        let stream = try PatientStream(
            session, LocationInterface.MonitorSatellites(), comesBack: !session.invocation.has("no-reconnect"),
            until: interruption)
        var redrawing = Redrawing()
        while true {
            switch try stream.next() {
            case .reply(let reply) where session.terminal.canRedraw && !session.isJSON:
                let terminal = Terminal(descriptor: STDOUT_FILENO)
                session.output.text(
                    redrawing.frame(SatelliteText(sky: reply.sky, terminal: terminal).lines, for: terminal))
                try session.flush()
            case .reply(let reply): try show(reply.sky, try reply.bytes(of: "sky"), session)
            case .nothing, .lost, .expired: continue
            }
        }
    }

    private static func show(_ sky: SkyView, _ bytes: [UInt8], _ session: Session) throws(CommandFailure) {
        if session.isJSON { return try session.print(json: bytes) }
        try session.print(SatelliteText(sky: sky, terminal: session.terminal).lines)
    }
}

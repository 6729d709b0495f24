import CommandLineKit
import Interfaces
import JSONText
import Varlink

/// `waymark services`: the switch for everybody.
enum ServicesCommand {
    static let command = Command(
        "services", "turn location services on or off for all apps, or show whether they are",
        discussion: [
            "While they are off no app gets a position, whatever was decided for it; that is kept for later. Operators"
                + " still get theirs. Needs an operator."
        ],
        options: [CommonOptions.json],
        arguments: [
            Command.Argument(Value("STATE", .choice(["on", "off"])), "what they are to be", isOptional: true)
        ],
        examples: [Command.Example("waymark services off", "Nobody is to know, for now.")])

    static func run(_ session: Session) throws(CommandFailure) {
        let link = ManageLink(session)
        var isEnabled: Bool
        if let word = session.invocation.argument("STATE") {
            isEnabled = word == "on"
            _ = try link.call(ManageInterface.SetServicesEnabled(enabled: isEnabled))
        } else {
            isEnabled = try link.apps().list.servicesEnabled
        }
        if session.isJSON {
            var writer = JSONWriter()
            writer.object { $0.member("servicesEnabled", isEnabled) }
            return try session.print(json: writer.bytes)
        }
        try session.print([text(isEnabled)])
    }

    static func text(_ isEnabled: Bool) -> String {
        isEnabled
            ? "Location services are on: each app gets what was decided for it."
            : "Location services are off: no app gets a position until `waymark services on`."
    }
}

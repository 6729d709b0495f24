import CommandLineKit
import Interfaces
import JSONText
import Varlink

/// `waymark services`: turns location services on or off for all users.
enum ServicesCommand {
    static let command = Command(
        "services", "turn location services on or off for all apps, or show whether they are",
        discussion: [
            "While they are off no app gets a position, regardless of its decision, which remains stored. Operators"
                + " still get positions. Needs an operator."
        ],
        options: [CommonOptions.json],
        arguments: [
            Command.Argument(Value("STATE", .choice(["on", "off"])), "the new state", isOptional: true)
        ],
        examples: [Command.Example("waymark services off", "No app gets positions for now.")])

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
        try session.print(sentence: text(isEnabled))
    }

    static func text(_ isEnabled: Bool) -> String {
        isEnabled
            ? "Location services are on: each app gets positions according to its decision."
            : "Location services are off: no app gets a position until `waymark services on`."
    }
}

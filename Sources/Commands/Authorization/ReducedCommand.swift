import CommandLineKit
import Interfaces

/// `waymark reduced`: the secret of reduced positions.
enum ReducedCommand {
    static let command = Command(
        "reduced", "manage the secret of reduced positions",
        subcommands: [
            Command(
                "rotate", "make a new secret offset for reduced positions",
                discussion: [
                    "Reduced positions lie on a grid that is moved by a secret offset. With a new offset the same place"
                        + " is shown at another point some kilometres away. A recipient of both points knows more than"
                        + " with one: rotate only where others may know the old secret, or before the machine changes"
                        + " hands.",
                    "Asks for confirmation on a terminal; elsewhere add --yes. Needs an operator.",
                ],
                options: [AppOptions.yes])
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        try AppOptions.confirm(
            "Show every place at another point from now on? A recipient of the old and the new point knows more than"
                + " with one.",
            session)
        _ = try ManageLink(session).call(ManageInterface.RotateReduced())
        try session.print(sentence: "Reduced positions have a new secret offset.")
    }
}

import CommandLineKit
import Interfaces

/// `waymark reduced`: the secret of reduced positions.
enum ReducedCommand {
    static let command = Command(
        "reduced", "make reduced positions anew",
        subcommands: [
            Command(
                "rotate", "make a new secret offset for reduced positions",
                discussion: [
                    "Reduced positions come from a grid that a secret offset moves. With a new one the same place is"
                        + " shown at another point some kilometres away. Whoever has seen both knows more than from"
                        + " one: rotate where the old key may be known to others, or before a machine is handed on, not"
                        + " by habit.",
                    "Asks on a terminal; elsewhere add --yes. Needs an operator.",
                ],
                options: [AppOptions.yes])
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        try AppOptions.confirm(
            "Show every place at another point from now on? Who has seen the old and the new knows more than from one.",
            session)
        _ = try ManageLink(session).call(ManageInterface.RotateReduced())
        try session.print(["Reduced positions have a new secret offset."])
    }
}

import CommandLineKit
import Interfaces

/// `waymark regions`: parts of the Earth's surface, and what happens at their borders.
enum RegionsCommand {
    static let command = Command(
        "regions", "name places, and do something when this machine enters or leaves them",
        discussion: [
            "A region is a circle, a polygon or a corridor along a line. Regions are in monitors: a region that is added by"
                + " itself is in a monitor of its own with the same name, and a file is imported into one monitor. So NAME is"
                + " a monitor, and with --monitor a region in that monitor.",
            "The daemon stores the monitors and decides at every fix whether this machine has entered or left a region, even"
                + " while no command runs. What happened is stored until it is acknowledged, which `waymark regions on` does.",
        ],
        examples: [
            Command.Example("waymark regions add yard --circle 47.58,21.12,80", "All within 80 m of a point."),
            Command.Example(
                "waymark regions on yard --enter -- notify-send 'The van is here'", "A command at every arrival."),
            Command.Example("waymark regions import depots.geojson", "Many regions, all or none of them."),
            Command.Example("waymark regions show depots", "Where they are, and whether this machine is inside."),
        ],
        subcommands: [add, importing, list, show, remove, watch, on, acknowledge])

    static func run(_ session: Session) throws(CommandFailure) {
        switch session.invocation.path.last {
        case "add": try RegionAdding(session).add()
        case "import": try RegionImport(session).run()
        case "list": try RegionListing(session).list()
        case "show": try RegionListing(session).show()
        case "remove": try RegionRemoval(session).run()
        case "watch": try RegionWatch(session).run()
        case "on": try RegionCommandRun(session).run()
        default: try RegionRemoval(session).acknowledge()
        }
    }

    static let name = Command.Argument(
        Value("NAME", .named("regions")), "the monitor; with --monitor a region in that monitor")
    static let monitor = Option(
        "monitor", Value("MONITOR", .named("monitors")), "the monitor; without it NAME is the name of the monitor")
    private static let dwell = Option(
        "dwell", RegionTime.value, "report a stay as entered only when it has lasted so long, such as 5min")
    private static let loitering = Option(
        "loitering", RegionTime.value, "report once more, as loitered, when a stay has lasted so long")

    private static let add = Command(
        "add", "add a region, or replace the one of that name",
        discussion: [
            "LAT and LON are degrees, negative in the south and west. RADIUS and WIDTH are metres. FILE is GeoJSON, whose"
                + " positions have the longitude first, with one Polygon or LineString; - is standard input."
        ],
        options: [
            Option("circle", Value("LAT,LON,RADIUS"), "all within RADIUS metres of a point"),
            Option("polygon", Value("FILE", .file), "all within the polygon in a file"),
            Option(
                "corridor", Value("FILE,WIDTH", .file), "a strip, WIDTH metres wide, along the line in a file"),
            dwell, loitering, monitor, CommonOptions.json,
        ],
        arguments: [
            Command.Argument(Value("NAME"), "the region; without --monitor also the name of its monitor")
        ],
        examples: [
            Command.Example(
                "waymark regions add route --corridor route.geojson,400",
                "Has the vehicle left its route by more than 200 m?")
        ])

    private static let importing = Command(
        "import", "add the regions of a GeoJSON file, all or none of them",
        discussion: [
            "A Polygon is a region, a Point with the property radius a circle, and a LineString with the property width a"
                + " corridor, both in metres. Each part of a MultiPolygon, MultiPoint or MultiLineString is a region of its"
                + " own, numbered as in depot-2. The properties dwell and loitering are seconds.",
            "The identifier is the feature's id, else its property id, identifier or name. A region replaces the one with its"
                + " identifier; others of the monitor are retained. The whole file is checked before anything is sent.",
        ],
        options: [
            monitor(importing: true),
            Option("radius", Value("M", .number(1...5_000_000)), "the radius in metres of points without one"),
            Option("width", Value("M", .number(2...2_000_000)), "the width in metres of lines without one"), dwell,
            loitering, CommonOptions.json,
        ],
        arguments: [Command.Argument(Value("FILE", .file), "the file; - is standard input")])

    private static func monitor(importing _: Bool) -> Option {
        Option(
            "monitor", Value("MONITOR", .named("monitors")),
            "the monitor (default: FILE's name without .geojson or .json)")
    }

    private static let list = Command(
        "list", "show the monitors, and whether their regions are monitored",
        discussion: [
            "Operators see the monitors of all users and apps. PENDING is the number of events that are not acknowledged."
        ], options: [CommonOptions.json])

    private static let show = Command(
        "show", "show regions, and whether this machine is inside",
        discussion: [
            "An operator may show another's monitor with --app and --user. The places and states of its regions appear only"
                + " with --with-places, and the daemon then counts the operator among those who have seen positions of the"
                + " app's user."
        ],
        options: [
            monitor, Option("app", Value("APP", .named("apps")), "the app that the monitor belongs to"),
            AppOptions.user,
            Option("with-places", "also where another's regions are, and whether this machine is inside"),
        ] + Preferences.options + [CommonOptions.json],
        arguments: [name])

    private static let remove = Command(
        "remove", "remove regions and what is stored about them",
        options: [
            Option("all", "all regions of --monitor, or without it all your monitors"), monitor, AppOptions.yes,
            CommonOptions.json,
        ],
        arguments: [
            Command.Argument(
                Value("NAME", .named("regions")), "the monitor; with --monitor a region in that monitor",
                isOptional: true)
        ],
        examples: [
            Command.Example("waymark regions remove yard", "The monitor yard with all its regions and events."),
            Command.Example("waymark regions remove gate-3 --monitor depots", "One region."),
        ])

    private static let watch = Command(
        "watch", "print what happens at the borders of regions",
        discussion: [
            "First what is stored and was not acknowledged, then what happens, until Ctrl-C. Nothing is acknowledged. Without"
                + " NAME it watches all your monitors that exist when it begins. With --json a line is an object with monitor"
                + " and event."
        ],
        options: [
            monitor, Option("after", Value("N", .integer(0...Int.max)), "only events of NAME with larger numbers"),
            Option("count", short: "n", Value("N", .integer(1...Int.max)), "end after so many"),
            CommonOptions.noReconnect, CommonOptions.json,
        ],
        arguments: [
            Command.Argument(
                Value("NAME", .named("regions")), "the monitor; with --monitor a region in that monitor",
                isOptional: true)
        ])

    private static let acknowledge = Command(
        "acknowledge", "confirm events up to a number, so that they are no longer stored",
        discussion: ["For programs that read `waymark regions watch --json`."],
        arguments: [
            Command.Argument(Value("MONITOR", .named("monitors")), "the monitor"),
            Command.Argument(Value("N", .integer(0...Int.max)), "the number"),
        ])

    private static let on = Command(
        "on", "run a command when this machine enters or leaves a region",
        discussion: [
            "Runs COMMAND for each event in order, one at a time, beginning with what happened while this did not run. An event"
                + " is acknowledged when its command has ended with 0: so none is lost, and where this command or the machine"
                + " is stopped in between, the same event runs COMMAND again. The monitor and WAYMARK_SEQUENCE identify an event.",
            "COMMAND is started without a shell, with /dev/null as standard input and with these variables, of which those"
                + " that do not apply are absent: WAYMARK_MONITOR, WAYMARK_REGION, WAYMARK_EVENT (entered, left, loitered,"
                + " determined or unknown), WAYMARK_STATE (inside or outside, of determined), WAYMARK_REASON (of unknown),"
                + " WAYMARK_TIME and WAYMARK_CROSSED (RFC 3339, UTC: the fix that decided, and the crossing of the border),"
                + " WAYMARK_SEQUENCE, WAYMARK_PASSED_THROUGH=1 and WAYMARK_SIMULATED=1.",
            "Where COMMAND fails or cannot be started, it is run again after 1 s to 5 min, and later events wait;"
                + " --on-failure skip continues with the next event, and --on-failure stop ends with 1 and leaves the event"
                + " for the next start. A command that does not end is reported after ten minutes; with --timeout it is ended"
                + " and has failed. Ctrl-C and SIGTERM end COMMAND with SIGTERM, after 5 s with SIGKILL.",
            "Use a monitor for one of these at a time: an acknowledged event is removed for every reader.",
        ],
        options: [
            monitor, Option("enter", "at an entry (without any of these options: entries and exits)"),
            Option("leave", "at an exit"), Option("loiter", "when a stay has lasted the region's loitering time"),
            Option("determined", "when it becomes known whether this machine is inside, such as after a start"),
            Option("unknown", "when this is not known any more"),
            Option(
                "on-failure", Value("WHAT", .choice(FailurePolicy.Choice.allCases.map(\.rawValue)), default: "retry"),
                "what follows a failure"),
            Option("timeout", RegionTime.value, "end COMMAND when it has run so long"), CommonOptions.noReconnect,
        ],
        arguments: [name],
        trailing: Command.Argument(Value("COMMAND"), "the program to run and its arguments"),
        examples: [
            Command.Example(
                "waymark regions on depots --leave -- /usr/local/bin/report-departure",
                "A program that reads WAYMARK_REGION, for every region of the monitor depots.")
        ])
}

/// A duration on the command line, in seconds.
enum RegionTime {
    static let value = Value(
        "TIME",
        .checked(expected: "a time up to a week, such as 90, 30s, 5min or 1h30min") {
            TimeExpression.duration($0).map { (0...604_800).contains($0) } == true
        })

    /// The seconds given for an option; nil without it.
    static func given(_ option: String, _ session: Session) -> Double? {
        session.invocation.text(option).flatMap { TimeExpression.duration($0) }
    }
}

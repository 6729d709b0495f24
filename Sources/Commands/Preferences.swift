import CommandLineKit
import Configuration
import Glibc

/// How the user wants positions in text: by the options of the command, otherwise by the environment, otherwise by the user's
/// file `waymark-cli.conf`.
///
/// An error in the environment or in the file is reported as a remark, and its value is ignored: a command that
/// shows a position must not fail because of a preference for its format.
struct Preferences: SettingValues {
    /// The units of distances, altitudes and speeds.
    var units = Units.metric
    /// The notation of coordinates.
    var coordinates = CoordinateNotation.degrees

    private static let unitsType = ValueType<Units>.word("system of units")
    private static let notationType = ValueType<CoordinateNotation>.word("notation")

    /// The settings of `waymark-cli.conf`.
    static let table = SettingTable<Preferences>([
        Setting(
            "Display", "Units", \.units, unitsType, .atReload,
            "The units of distances, altitudes and speeds. imperial has feet, miles and mph, nautical has metres,"
                + " nautical miles and knots."),
        Setting(
            "Display", "Coordinates", \.coordinates, notationType, .atReload,
            "How coordinates are written: in decimal degrees, in degrees, minutes and seconds, or as a reference of the"
                + " Military Grid Reference System."),
    ])

    /// The options of a command that prints positions.
    static let options = [Units.option, CoordinateNotation.option]

    /// The user's file: in `XDG_CONFIG_HOME`, else in `~/.config`, by the XDG Base Directory Specification, which
    /// ignores a relative path. Nil where the environment names no home.
    static func path(_ environment: (String) -> String?) -> String? {
        let base = environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (base ?? home.map { $0 + "/.config" }).map { $0 + "/waymark/waymark-cli.conf" }
    }

    /// The defaults.
    init() {}

    /// The preferences for a command's text; the defaults for JSON and other formats for programs.
    ///
    /// - Throws: A usage error where an option is given for output in which figures are fixed.
    init(_ session: Session, isForPeople: Bool = true) throws(CommandFailure) {
        guard isForPeople, !session.isJSON else {
            try Self.refuseOptions(session)
            return
        }
        let environment = { (name: String) in getenv(name).map { String(cString: $0) } }
        let (preferences, mistakes) = Self.chosen(session.invocation, environment)
        for mistake in mistakes { session.remarks.say(Self.remark(on: mistake)) }
        self = preferences
    }

    /// The sentences about an error, which may end with a question.
    static func remark(on mistake: String) -> String {
        "waymark: \(mistake)\(mistake.hasSuffix("?") ? "" : ".") This setting is ignored."
    }

    private static func refuseOptions(_ session: Session) throws(CommandFailure) {
        let path = session.invocation.path.dropFirst().joined(separator: " ")
        if session.invocation.isGiven("units") {
            throw .usage(
                "--units is for text. JSON and the formats for programs are always in metres and metres a second.",
                command: path)
        }
        if session.invocation.isGiven("coordinates") {
            throw .usage(
                "--coordinates is for text. JSON and the formats for programs have forms of their own.", command: path)
        }
    }

    /// The preferences by their order of precedence, and the errors in the environment and the file.
    static func chosen(
        _ invocation: Invocation, _ environment: (String) -> String?
    ) -> (preferences: Preferences, mistakes: [String]) {
        var reading = SettingReading<Preferences>()
        if let path = path(environment) { reading.read(path, mayBeMissing: true) }
        var preferences = reading.values
        var mistakes = reading.problems.map { String(describing: $0) }
        func choose<Value: RawRepresentable<String>>(
            _ keyPath: WritableKeyPath<Preferences, Value>, _ type: ValueType<Value>, _ variable: String,
            _ option: Option
        ) {
            if let text = environment(variable), !text.isEmpty {
                do throws(ValueError) {
                    preferences[keyPath: keyPath] = try type.parse(text)
                } catch {
                    let hint = error.suggestion.map { "Did you mean \($0)? " } ?? ""
                    mistakes.append(
                        "\(variable): \(ConfigurationProblem.quoted(text)) \(error.description). \(hint)Allowed:"
                            + " \(type.allowed)")
                }
            }
            // The option was checked when the command line was parsed.
            if let word = invocation.text(option.name), let value = Value(rawValue: word) {
                preferences[keyPath: keyPath] = value
            }
        }
        choose(\.units, unitsType, "WAYMARK_UNITS", Units.option)
        choose(\.coordinates, notationType, "WAYMARK_COORDINATES", CoordinateNotation.option)
        return (preferences, mistakes)
    }
}

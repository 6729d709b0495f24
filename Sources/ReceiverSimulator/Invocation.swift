import Location

/// The parsed command line of `waymark-simulator`.
public enum Invocation: Sendable {
    case help
    case list
    /// List the names only, one a line, for scripts.
    case names
    case make(Order)
    /// Serve a simulated receiver at the socket that systemd has handed over.
    case serve

    /// A recording to generate.
    public struct Order: Sendable {
        /// The scenario to record.
        public var scenario: Scenario
        /// The seed of the random errors.
        public var seed: UInt64 = 1
        /// The output file; nil for standard output.
        public var output: String?
        /// The file for the true states; nil for none.
        public var truth: String?
        /// The file of the true stays; nil for none.
        public var visits: String?
    }

    /// Parses the arguments, without the program's own name.
    public init(_ arguments: [String]) throws(UsageError) {
        if arguments.contains("--help") || arguments.contains("-h") {
            self = .help
            return
        }
        switch arguments.first {
        case nil: throw UsageError("no command given; there are list and make SCENARIO")
        case "help": self = .help
        case "list":
            switch Array(arguments.dropFirst()) {
            case []: self = .list
            case ["--names"]: self = .names
            case let rest: throw UsageError("list takes --names or nothing, but was given '\(rest[0])'")
            }
        case "make": self = .make(try Self.order(Array(arguments.dropFirst())))
        case "serve":
            if arguments.count > 1 { throw UsageError("serve takes nothing, but was given '\(arguments[1])'") }
            self = .serve
        case let other?: throw UsageError("unknown command '\(other)'; there are list and make SCENARIO")
        }
    }

    private static func order(_ arguments: [String]) throws(UsageError) -> Order {
        var names: [String] = []
        var options = Options()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-") else {
                names.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = Options.Name(rawValue: parts[0]) else {
                throw UsageError("unknown option '\(parts[0])'; see --help")
            }
            guard let value = parts.count > 1 ? parts[1] : rest.popFirst() else {
                throw UsageError("\(option.rawValue) needs a value")
            }
            try options.apply(option, value)
        }
        guard let name = names.first else { throw UsageError("make needs a scenario; list shows them") }
        if names.count > 1 { throw UsageError("make takes one scenario, but was given '\(names[1])' as well") }
        guard let preset = Preset.named(name) else {
            throw UsageError("unknown scenario '\(name)'; list shows what there is")
        }
        let scenario = preset.scenario(
            duration: options.duration, rate: options.rate, start: options.start, with: options.features)
        if options.visits != nil, preset.journey == nil {
            let known = Preset.all.filter { $0.journey != nil }.map(\.name).joined(separator: ", ")
            throw UsageError("the stays of '\(name)' are not known; --visits can be given for \(known)")
        }
        return Order(
            scenario: scenario, seed: options.seed, output: options.output, truth: options.truth,
            visits: options.visits)
    }

    /// The output of `--help`.
    public static let helpText = """
        usage: waymark-simulator list [--names]
               waymark-simulator make SCENARIO [options]
               waymark-simulator serve

        Makes NMEA 0183 recordings of journeys that nobody made, to test what reads a receiver.
        The same scenario, options and seed give the same bytes.

          list               show the scenarios and features; with --names, their names only
          serve              simulate a receiver of the present, behind a gpsd of its own that serves the socket
                             which systemd hands over: waymark-simulated-receiver.socket

          --with FEATURE     add a feature to the scenario; may be repeated, applied in order
          --seed N           what decides the errors, 0 to 18446744073709551615 (default 1)
          --duration S       seconds, up to 604800
          --rate HZ          epochs a second, up to 50
          --start TIME       when it starts, such as 2026-06-01T08:00:00Z
          --output FILE      where the recording goes (default: standard output)
          --truth FILE       where the truth goes: time,lat,lon,speed,course,altitude
          --visits FILE      where the true stays go: arrival,departure,lat,lon,place
          -h, --help         show this

        Exit codes: 0 made, 1 could not be written, 2 wrong usage.

        """

    /// The output of `list`.
    public static let listText: String = {
        let width = Preset.all.map(\.name.count).max() ?? 0
        func line(_ name: String, _ summary: String) -> String {
            "  " + name + String(repeating: " ", count: width + 2 - name.count) + summary + "\n"
        }
        let journeys = Preset.all.filter { Feature(rawValue: $0.name) == nil }
        return "Journeys:\n" + journeys.map { line($0.name, $0.summary) }.joined()
            + "Features, each a scenario of its own or added to one by --with:\n"
            + Feature.allCases.map { line($0.rawValue, $0.summary) }.joined()
    }()
}

/// An invalid command line.
public struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and the correct form.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// The options of `make` that were given.
private struct Options {
    enum Name: String {
        case feature = "--with"
        case seed = "--seed"
        case duration = "--duration"
        case rate = "--rate"
        case start = "--start"
        case output = "--output"
        case truth = "--truth"
        case visits = "--visits"
    }

    var features: [Feature] = []
    var seed: UInt64 = 1
    var duration: Double?
    var rate: Double?
    var start: UTCTime?
    var output: String?
    var truth: String?
    var visits: String?

    mutating func apply(_ name: Name, _ value: String) throws(UsageError) {
        switch name {
        case .feature:
            guard let feature = Feature(rawValue: value) else {
                throw UsageError("unknown feature '\(value)'; list shows what there is")
            }
            features.append(feature)
        case .seed:
            guard let seed = UInt64(value) else { throw UsageError("--seed must be a whole number, not '\(value)'") }
            self.seed = seed
        case .duration: duration = try number(value, of: name, upTo: 604_800)
        case .rate: rate = try number(value, of: name, upTo: 50)
        case .start:
            guard let time = CivilTime(iso8601: value)?.time else {
                throw UsageError("--start must be a time such as 2026-06-01T08:00:00Z, not '\(value)'")
            }
            start = time
        case .output: output = try path(value, of: name)
        case .truth: truth = try path(value, of: name)
        case .visits: visits = try path(value, of: name)
        }
    }

    private func number(_ value: String, of name: Name, upTo limit: Double) throws(UsageError) -> Double {
        guard let number = Double(value), number > 0, number <= limit else {
            throw UsageError("\(name.rawValue) must be a number above 0 and up to \(Int(limit)), not '\(value)'")
        }
        return number
    }

    private func path(_ value: String, of name: Name) throws(UsageError) -> String {
        if value.isEmpty { throw UsageError("\(name.rawValue) needs the name of a file") }
        return value
    }
}

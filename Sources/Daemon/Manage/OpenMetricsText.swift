/// A text of families of metrics in the format of OpenMetrics (openmetrics.io). The name of each family begins with `waymark_`.
struct OpenMetricsText {
    /// A type of metric.
    enum Kind: String {
        case info, gauge, counter

        /// What the name of a sample has behind that of its family.
        fileprivate var suffix: String {
            switch self {
            case .info: "_info"
            case .gauge: ""
            case .counter: "_total"
            }
        }
    }

    private var lines: [String] = []

    /// The text with its end mark.
    var complete: String { lines.joined(separator: "\n") + "\n# EOF\n" }

    /// Adds a family: its type, its help and a line for each sample.
    mutating func family(
        _ name: String, _ kind: Kind, _ help: String,
        _ samples: [(labels: [(name: String, value: String)], value: String)]
    ) {
        lines.append("# TYPE waymark_\(name) \(kind)")
        lines.append("# HELP waymark_\(name) \(help)")
        for sample in samples {
            lines.append("waymark_\(name)\(kind.suffix)\(Self.labels(sample.labels)) \(sample.value)")
        }
    }

    /// Adds a value that may rise and fall; nothing where there is no value.
    mutating func gauge(_ name: String, _ help: String, _ value: (some CustomStringConvertible)?) {
        guard let value else { return }
        family(name, .gauge, help, [([], value.description)])
    }

    /// Adds a count since the start.
    mutating func counter(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
        family(name, .counter, help, [([], value.description)])
    }

    private static func labels(_ labels: [(name: String, value: String)]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { label in
            let escaped = label.value.map { character in
                switch character {
                case "\\": "\\\\"
                case "\"": "\\\""
                case "\n": "\\n"
                default: String(character)
                }
            }
            return "\(label.name)=\"\(escaped.joined())\""
        }
        return "{\(pairs.joined(separator: ","))}"
    }
}

import CJSON
import JSONText
import TestSupport

/// The time that the reader of JSON needs for the messages of clients and the daemon, compared with json-c on the same
/// bytes.
enum JSONBenchmark {
    private static let position = """
        {"timestamp":1780300800.123,"latitude":48.137154321,"longitude":11.575382987,"horizontalAccuracy":3.5,\
        "altitude":519.25,"verticalAccuracy":5.1,"speed":13.4,"speedAccuracy":0.4,"course":271.3,"courseAccuracy":2.1,\
        "accuracyAuthorization":"full","isSimulated":false,"receiver":"/dev/ttyACM0"}
        """

    private static var texts: [(name: String, text: String)] {
        let points = (1...128).map { #"{"sequence":\#($0),"position":\#(position)}"# }.joined(separator: ",")
        return [
            (
                "call",
                #"{"method":"io.waymark.Location.Monitor","parameters":{"accuracy":10,"interval":1.0},"more":true}"#
            ),
            ("position", #"{"parameters":\#(position),"continues":true}"#),
            ("page of 128 positions", #"{"parameters":{"points":[\#(points)],"last":128},"continues":true}"#),
        ]
    }

    static func run(rounds: Int) throws {
        for (name, text) in texts {
            let bytes = Array(text.utf8)
            let repetitions = max(200, 20_000_000 / bytes.count)
            var figures: [[Double]] = [[], [], []]
            for _ in 0..<rounds {
                figures[0].append(try nanoseconds(of: repetitions) { try JSON.parse(bytes).isNull ? 1 : 0 })
                figures[1].append(
                    try nanoseconds(of: repetitions) {
                        var reader = try JSONReader(bytes)
                        return try members(&reader)
                    })
                figures[2].append(nanoseconds(of: repetitions) { peer(bytes) })
            }
            let medians = figures.map { Distribution($0).median }
            print("\(name), \(bytes.count) bytes")
            print(
                "  into a tree:       \(Text.fixed(medians[0], 0)) ns, json-c's time × \(ratio(medians[0], medians[2]))"
            )
            print(
                "  value by value:    \(Text.fixed(medians[1], 0)) ns, json-c's time × \(ratio(medians[1], medians[2]))"
            )
            print("  json-c into a tree: \(Text.fixed(medians[2], 0)) ns")
        }
    }

    private static func ratio(_ ours: Double, _ theirs: Double) -> String { Text.fixed(ours / theirs, 2) }

    private static func nanoseconds(of repetitions: Int, _ body: () throws -> Int) rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        var sum = 0
        for _ in 0..<repetitions { sum &+= try body() }
        let elapsed = clock.now - start
        guard sum >= 0 else { return 0 }
        return elapsed / .nanoseconds(1) / Double(repetitions)
    }

    /// Reads every value by the method for its kind.
    private static func members(_ reader: inout JSONReader) throws(JSONError) -> Int {
        var count = 0
        switch reader.kind {
        case .object:
            try reader.members { (reader) throws(JSONError) in
                count += reader.isNamed("timestamp") ? 2 : 1
                count += try members(&reader)
            }
        case .array: try reader.elements { (reader) throws(JSONError) in count += try members(&reader) }
        case .string: count += try reader.string().utf8.count
        case .number: count += try reader.number() > 0 ? 1 : 0
        default: try reader.skip()
        }
        return count
    }

    private static func peer(_ bytes: [UInt8]) -> Int {
        guard let tokener = json_tokener_new_ex(17) else { return 0 }
        defer { json_tokener_free(tokener) }
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT)
        let root = bytes.withUnsafeBytes { raw in
            json_tokener_parse_ex(tokener, raw.bindMemory(to: CChar.self).baseAddress, Int32(raw.count))
        }
        defer { json_object_put(root) }
        return root == nil ? 0 : 1
    }
}

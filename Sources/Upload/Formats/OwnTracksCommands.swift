import JSONText

/// OwnTracks' `cmd` messages, https://owntracks.org/booklet/tech/json/#_typecmd: over HTTP members of a response's array,
/// over MQTT published to `TOPIC/cmd`. Only `reportLocation` is known here.
enum OwnTracksCommands {
    /// The most elements of a response that are evaluated: it also has the positions of friends.
    private static let mostElements = 256

    static func topic(_ topic: String) -> String { topic + "/cmd" }

    /// The commands in a response or message. With a key only encrypted ones count, so that nobody without the key
    /// commands anything.
    static func read(_ bytes: [UInt8], _ open: RequestWriter.Open?) -> RemoteCommands {
        var commands = RemoteCommands()
        guard let json = parse(bytes) else { return commands }
        for element in json.arrayValue?.prefix(mostElements) ?? [json] {
            switch element["_type"]?.stringValue {
            case "cmd": if open == nil { add(element, to: &commands) } else { commands.ignored += 1 }
            case "encrypted":
                guard let open else { continue }
                // A response may also contain encrypted positions of friends.
                guard let sealed = element["data"]?.stringValue.flatMap({ Base64.bytes(Array($0.utf8)) }),
                    let inner = open(sealed).flatMap(parse), inner["_type"]?.stringValue == "cmd"
                else { continue }
                add(inner, to: &commands)
            default: continue
            }
        }
        return commands
    }

    private static func add(_ command: JSON, to commands: inout RemoteCommands) {
        if command["action"]?.stringValue == "reportLocation" {
            commands.reportsLocation = true
        } else {
            commands.ignored += 1
        }
    }

    private static func parse(_ bytes: [UInt8]) -> JSON? {
        do throws(JSONError) {
            return try JSON.parse(bytes, maximumDepth: 8, maximumValues: 16_384)
        } catch {
            return nil
        }
    }
}

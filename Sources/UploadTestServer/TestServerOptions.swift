import CommandLineKit

/// The parsed command line.
struct TestServerOptions: Sendable {
    /// The port of 127.0.0.1; 0 for any free one.
    var port: UInt16 = 0
    /// Whether standard input is the socket to listen on.
    var acceptsSocket = false
    /// The file of the points; nil for none.
    var file: String?
    /// Whether the output is for programs.
    var isJSON = false
    /// The deliberate failure; nil for none.
    var misbehaviour: Misbehaviour?
    /// The failure affects every `every`-th request.
    var every = 1
    /// Seconds for `Retry-After`.
    var retryAfter: Int?
    /// The numbers, or complete ids, of points that are refused.
    var refused: Set<String> = []
    /// The actions of OwnTracks' commands in each response to OwnTracks' messages.
    var commands: [String] = []
    /// The delay of each response in seconds.
    var delaySeconds = 0.0
    /// The file with the token that requests must contain.
    var tokenFile: String?
    /// The file with a certificate and its key, in PEM; nil for no TLS.
    var identityFile: String?

    init() {}

    init(_ invocation: Invocation) {
        port = invocation.integer("port").map(UInt16.init) ?? 0
        acceptsSocket = invocation.has("standard-input")
        file = invocation.text("file")
        isJSON = invocation.has("json")
        misbehaviour = invocation.text("fail").flatMap(Misbehaviour.init)
        every = invocation.integer("every") ?? 1
        retryAfter = invocation.integer("retry-after")
        refused = Set(invocation.texts("reject"))
        commands = invocation.texts("command")
        delaySeconds = invocation.number("delay") ?? 0
        tokenFile = invocation.text("expect-token")
        identityFile = invocation.text("tls")
    }

    static let command = Command(
        "waymark-upload-test-server", "a loopback server for testing uploads",
        discussion: [
            "Receives uploads of waymark-upload and other trackers on 127.0.0.1, each format at the path of its name,"
                + " such as /overland, and OsmAnd's also at /. Shows the points, and with --file stores them before it"
                + " replies: one JSON object a line. Points are identified by their ids, so that a repeated one is"
                + " counted and not stored twice.",
            "It shows positions on this terminal, and --fail makes it fail deliberately. It is for"
                + " tests, not for storing tracks.",
            "When it ends (Ctrl-C), it prints the number of points and the missing numbers of each recording.",
        ],
        options: [
            Option("port", Value("N", .integer(0...65_535), default: "8765"), "the port; 0 for any that is free"),
            Option("file", Value("FILE", .file), "append points to this file"),
            Option("json", "print one JSON object a line"),
            Option(
                "fail", Value("HOW", .checked(expected: Misbehaviour.words) { Misbehaviour($0) != nil }),
                "fail deliberately: \(Misbehaviour.words)"),
            Option("every", Value("K", .integer(1...1_000_000), default: "1"), "fail at every Kth request only"),
            Option("retry-after", Value("SECONDS", .integer(0...86_400)), "Retry-After for a status of --fail"),
            Option(
                "reject",
                Value(
                    "ID",
                    .checked(expected: "a number of 1 or more, or RECORDING/NUMBER") {
                        PointID($0) != nil || (Int64($0) ?? 0) > 0
                    }), "reply 422 to requests with this point", repeats: true),
            Option(
                "command", Value("ACTION", .checked(expected: "letters") { !$0.isEmpty && $0.allSatisfy(\.isLetter) }),
                "reply to OwnTracks' messages with this command, such as reportLocation", repeats: true),
            Option("delay", Value("SECONDS", .number(0...3_600)), "delay each response"),
            Option(
                "expect-token", Value("FILE", .file),
                "reply 401 to requests without the bearer token in this file, or its `Basic …`"),
            Option(
                "tls", Value("FILE", .file), "use TLS with the certificate and the key in this file, in PEM"),
            Option("standard-input", "listen on the socket that is standard input"),
        ],
        examples: [
            Command.Example("waymark upload-test-server --file points.jsonl", "Store and show points."),
            Command.Example(
                "waymark upload-test-server --fail 503 --every 3 --retry-after 5", "Have every third request fail."),
            Command.Example("waymark upload-test-server --fail drop-stored --every 2", "Lose every second response."),
        ])
}

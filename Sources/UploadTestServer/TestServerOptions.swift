import CommandLineKit

/// What the command line says.
struct TestServerOptions: Sendable {
    /// The port of 127.0.0.1; 0 for any that is free.
    var port: UInt16 = 0
    /// Whether standard input is the socket to listen on.
    var acceptsSocket = false
    /// Where points are stored; nil for nowhere.
    var file: String?
    /// Whether what is printed is for programs.
    var isJSON = false
    /// What is done wrong; nil for nothing.
    var misbehaviour: Misbehaviour?
    /// Every so many requests it is.
    var every = 1
    /// Seconds for `Retry-After`.
    var retryAfter: Int?
    /// Numbers, or whole ids, that are refused.
    var refused: Set<String> = []
    /// Seconds before each answer.
    var delaySeconds = 0.0
    /// The file that holds the token which requests have to bring.
    var tokenFile: String?
    /// The file that holds a certificate and its key, in PEM; nil for no TLS.
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
        delaySeconds = invocation.number("delay") ?? 0
        tokenFile = invocation.text("expect-token")
        identityFile = invocation.text("tls")
    }

    static let command = Command(
        "waymark-upload-test-server", "a server on loopback to try uploads with",
        discussion: [
            "Takes what waymark-upload and other trackers send to 127.0.0.1, each format at the path of its name, as in"
                + " /overland, and OsmAnd's at / too; shows it, and with --file stores it before it answers: one JSON"
                + " object a line. Points are known by their ids, so that what comes twice is counted and not stored"
                + " twice.",
            "It shows where somebody was to whoever sees this terminal, and does wrong what --fail says. It is for"
                + " trying things, not for keeping tracks.",
            "At its end (Ctrl-C) it tells how many points came, and which numbers of a recording are missing.",
        ],
        options: [
            Option("port", Value("N", .integer(0...65_535), default: "8765"), "the port; 0 for any that is free"),
            Option("file", Value("FILE", .file), "store points here, after those that are there"),
            Option("json", "print one JSON object a line"),
            Option(
                "fail", Value("HOW", .checked(expected: Misbehaviour.words) { Misbehaviour($0) != nil }),
                "do it wrong: \(Misbehaviour.words)"),
            Option("every", Value("K", .integer(1...1_000_000), default: "1"), "fail at every Kth request only"),
            Option("retry-after", Value("SECONDS", .integer(0...86_400)), "ask for this pause with a status of --fail"),
            Option(
                "reject",
                Value(
                    "ID",
                    .checked(expected: "a number of 1 or more, or RECORDING/NUMBER") {
                        PointID($0) != nil || (Int64($0) ?? 0) > 0
                    }), "answer 422 to whatever has this point in it", repeats: true),
            Option("delay", Value("SECONDS", .number(0...3_600)), "answer so late"),
            Option(
                "expect-token", Value("FILE", .file),
                "answer 401 to requests without the bearer token that this file holds, or its `Basic …`"),
            Option(
                "tls", Value("FILE", .file), "speak TLS by the certificate and the key that this file holds, in PEM"),
            Option("standard-input", "listen on the socket that standard input is, whatever its address"),
        ],
        examples: [
            Command.Example("waymark upload-test-server --file points.jsonl", "Store and show what comes."),
            Command.Example(
                "waymark upload-test-server --fail 503 --every 3 --retry-after 5", "Have every third request fail."),
            Command.Example("waymark upload-test-server --fail drop-stored --every 2", "Lose every second answer."),
        ])
}

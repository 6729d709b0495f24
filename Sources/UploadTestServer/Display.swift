import HTTPServing
import CommandLineKit
import JSONText
import Location
import Platform

/// The output of the server: for people a line for each request, with its points if they are few, and for programs one
/// object per line.
struct Display {
    private let output = Output(flushesEachLine: true)
    private let isJSON: Bool

    /// If a request has more points than this, only the first and the last are shown.
    private static let mostPoints = 4

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Prints the address of the server.
    func begin(at address: String, _ ledger: Ledger, file: String?) throws(OutputError) {
        if isJSON {
            try object { writer in
                writer.member("event", "listening")
                writer.member("address", address)
                writer.member("found", ledger.found)
            }
            return
        }
        try output.line("Listening at \(address) for \(Endpoint.places). Ctrl-C stops it.")
        if let file {
            try output.line("Storing in \(file.escapingControls), which has \(Self.count(ledger.found)) already.")
        } else {
            try output.line("Nothing is stored. To store points, use --file FILE.")
        }
    }

    /// Prints the outcome of a request.
    func show(_ outcome: Receiver.Outcome, of request: ServedRequest, at now: UTCTime) throws(OutputError) {
        if isJSON { return try showJSON(outcome, request, at: now) }
        let place = outcome.endpoint?.name ?? request.pathText.escapingControls.truncated(to: 32)
        var parts = [Self.timeOfDay(now), place]
        if let arrival = outcome.arrival {
            var text = Self.count(arrival.points.count)
            let known = arrival.points.count - outcome.stored
            if known > 0, outcome.reply.isSuccess {
                text += ", \(known) known already"
            }
            parts.append(text)
            let stretches = Self.stretches(of: arrival.points)
            if !stretches.isEmpty { parts.append(stretches) }
        }
        if let remark = outcome.remark { parts.append(remark.escapingControls) }
        try output.line(parts.joined(separator: "  "))
        guard let arrival = outcome.arrival, outcome.stored > 0 else { return }
        let points = arrival.points
        if points.count <= Self.mostPoints {
            for point in points { try output.line("    " + Self.text(point)) }
        } else if let first = points.first, let last = points.last {
            try output.line("    " + Self.text(first))
            try output.line("    … \(points.count - 2) more")
            try output.line("    " + Self.text(last))
        }
        if let current = arrival.current { try output.line("    now at " + Self.text(current)) }
    }

    /// Prints the totals.
    func end(_ ledger: Ledger) throws(OutputError) {
        if isJSON { return try endJSON(ledger) }
        let reported = ledger.received - ledger.duplicates
        try output.line(
            "\(Self.count(ledger.received)) received: \(reported) stored, \(ledger.duplicates) known already"
                + (ledger.nameless > 0 ? ", \(ledger.nameless) without an id" : "")
                + (ledger.found > 0 ? "; \(ledger.found) were stored before" : "") + ".")
        for (recording, numbers) in ledger.recordings.sorted(by: { $0.key.description < $1.key.description }) {
            let gaps = numbers.gaps
            let missing = gaps.prefix(8).map(Self.text).joined(separator: ", ") + (gaps.count > 8 ? ", …" : "")
            let last = numbers.ranges.last?.upperBound ?? 0
            try output.line(
                "\(recording): \(Self.count(numbers.count)) up to number \(last), "
                    + (gaps.isEmpty ? "none missing" : "missing: \(missing)"))
        }
    }

    private func showJSON(
        _ outcome: Receiver.Outcome, _ request: ServedRequest, at now: UTCTime
    ) throws(OutputError) {
        try object { writer in
            writer.member("event", "request")
            writer.member("time", now.secondsSinceEpoch)
            writer.member("endpoint", outcome.endpoint?.name)
            writer.member("status", outcome.reply?.status)
            writer.member("stored", outcome.stored)
            writer.member("remark", outcome.remark)
            guard let arrival = outcome.arrival, let endpoint = outcome.endpoint else { return }
            writer.array("points") { writer in
                for point in arrival.points { point.write(to: &writer, endpoint: endpoint, receivedAt: nil) }
            }
        }
    }

    private func endJSON(_ ledger: Ledger) throws(OutputError) {
        try object { writer in
            writer.member("event", "summary")
            writer.member("received", ledger.received)
            writer.member("distinct", ledger.distinct)
            writer.member("duplicates", ledger.duplicates)
            writer.member("withoutID", ledger.nameless)
            writer.member("found", ledger.found)
            writer.array("recordings") { writer in
                for (recording, numbers) in ledger.recordings {
                    writer.object { writer in
                        writer.member("id", recording.description)
                        writer.member("points", numbers.count)
                        writer.member("last", numbers.ranges.last?.upperBound)
                        writer.member("missing", numbers.gaps.reduce(0) { $0 + $1.count })
                        writer.member("gaps", numbers.gaps.prefix(1_000).map(Self.text))
                    }
                }
            }
        }
    }

    private func object(_ body: (inout JSONWriter) -> Void) throws(OutputError) {
        var writer = JSONWriter()
        writer.object(body)
        try output.line(writer.bytes)
    }

    private static func count(_ number: Int) -> String { number == 1 ? "1 point" : "\(number) points" }

    private static func text(_ range: ClosedRange<Int64>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
    }

    /// The numbers of a batch by recording, which is identified by the beginning of its UUID.
    private static func stretches(of points: [ReceivedPoint]) -> String {
        var recordings: [RecordingID: NumberRanges] = [:]
        for point in points {
            if let id = point.id { recordings[id.recording, default: NumberRanges()].insert(id.sequence) }
        }
        return recordings.map { recording, numbers in
            let shown = numbers.ranges.prefix(3).map(text).joined(separator: ", ")
            return "\(recording.description.prefix(8))…/\(shown)\(numbers.ranges.count > 3 ? ", …" : "")"
        }.sorted().joined(separator: " ")
    }

    private static func text(_ point: ReceivedPoint) -> String {
        guard let latitude = point.latitude, let longitude = point.longitude else { return "sealed" }
        var text = "\(point.time?.escapingControls.truncated(to: 40) ?? "?")  \(latitude), \(longitude)"
        if let accuracy = point.accuracy { text += "  ± \(accuracy) m" }
        return text
    }

    private static func timeOfDay(_ now: UTCTime) -> String {
        let second = Int(CivilTime(now).microsecondsOfDay / 1_000_000)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
    }
}

extension HTTPReply? {
    /// Whether the response is a success; a missing response is not.
    fileprivate var isSuccess: Bool { self.map { (200..<300).contains($0.status) } ?? false }
}

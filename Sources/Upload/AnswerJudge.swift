import JSONText
import Location
import NetworkPaths

/// What an answer means for what was sent.
enum Verdict: Equatable {
    /// The destination has it.
    case acknowledged
    /// The destination does not take it as it is.
    case rejected(DeadLetter)
    /// It is too much at once.
    case tooLarge(DeadLetter)
    /// Nothing will be taken until something changes.
    case blocked(BlockReason)
    /// Not now; `after` is how long the destination asks to wait.
    case later(UploadFailure, after: Duration?)
}

/// Which answers are acknowledgements, for each format.
///
/// | format | acknowledged by |
/// | --- | --- |
/// | owntracks | any 2xx whose body is no page for people |
/// | overland | 2xx with a JSON object whose `result` is `ok` |
/// | osmand | 200, likewise |
/// | geojson | any 2xx, likewise |
enum AnswerJudge {
    /// What an answer means that came from, or in the place of, this destination.
    static func verdict(
        on answer: HTTPAnswer, format: UploadFormat, url: DestinationURL?, at now: UTCTime
    ) -> Verdict {
        switch answer.status {
        case 200..<300: return verdictOnSuccess(answer, format)
        case 300..<400: return verdictOnRedirection(answer, url)
        case 400 where format == .osmand, 404 where format == .osmand:
            return .blocked(.unknownDevice(status: answer.status))
        case 401, 403, 407: return .blocked(.unauthorized(status: answer.status))
        case 408, 425, 429: return .later(.status(answer.status), after: answer.retryAfter(at: now))
        case 413: return .tooLarge(letter(answer))
        case 400..<500: return .rejected(letter(answer))
        // Network Authentication Required, RFC 6585: the portal's own status.
        case 511: return .later(.captive, after: nil)
        default: return .later(.status(answer.status), after: answer.retryAfter(at: now))
        }
    }

    private static func letter(_ answer: HTTPAnswer) -> DeadLetter {
        DeadLetter(status: answer.status, message: answer.excerpt)
    }

    private static func verdictOnSuccess(_ answer: HTTPAnswer, _ format: UploadFormat) -> Verdict {
        if answer.isMarkup { return .later(.captive, after: nil) }
        switch format {
        case .owntracks, .geojson: return .acknowledged
        case .osmand: return answer.status == 200 ? .acknowledged : wrong(answer)
        case .overland: return verdictOfOverland(answer)
        }
    }

    private static func verdictOfOverland(_ answer: HTTPAnswer) -> Verdict {
        do throws(JSONError) {
            let body = try JSON.parse(answer.body)
            if body["result"]?.stringValue == "ok" { return .acknowledged }
            guard let message = body["error"]?.stringValue else { return wrong(answer) }
            return .later(.refused(printable(message, limit: 160)), after: nil)
        } catch {
            return wrong(answer)
        }
    }

    /// A redirection is never followed: it would carry positions and credentials to where nobody meant them to go. One to
    /// another host is what portals answer.
    private static func verdictOnRedirection(_ answer: HTTPAnswer, _ url: DestinationURL?) -> Verdict {
        guard let location = answer.header("Location"), location.contains("//"), host(of: location) != url?.host else {
            return .blocked(.moved(status: answer.status))
        }
        return .later(.captive, after: nil)
    }

    /// The host of an address that may lack its scheme; nil where it names none.
    private static func host(of location: String) -> TargetHost? {
        do throws(DestinationURL.Fault) {
            return try DestinationURL(parsing: location.hasPrefix("//") ? "https:" + location : location).host
        } catch {
            return nil
        }
    }

    private static func wrong(_ answer: HTTPAnswer) -> Verdict {
        .later(.wrongAnswer(status: answer.status), after: nil)
    }
}

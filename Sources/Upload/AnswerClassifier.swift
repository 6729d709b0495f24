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

extension Verdict {
    /// Success in words that acknowledge nothing.
    static func wrong(_ answer: HTTPAnswer) -> Verdict { .later(.wrongAnswer(status: answer.status), after: nil) }
}

/// What answers mean: a portal's page first, then what the format of the destination says of it, then what is the same in
/// every format, in which any 2xx acknowledges.
enum AnswerClassifier {
    /// What an answer means that came from, or in the place of, this destination.
    static func verdict(
        on answer: HTTPAnswer, format: UploadFormat, url: DestinationURL?, at now: UTCTime
    ) -> Verdict {
        if (200..<300).contains(answer.status), answer.isMarkup { return .later(.captive, after: nil) }
        if let verdict = format.classify(answer) { return verdict }
        switch answer.status {
        case 200..<300: return .acknowledged
        case 300..<400: return verdictOnRedirection(answer, url)
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
}

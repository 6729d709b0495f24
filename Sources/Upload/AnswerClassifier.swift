import Location
import NetworkPaths

/// What a response means for the transfer it belongs to.
enum Verdict: Equatable {
    /// The destination has stored the positions.
    case acknowledged
    /// The destination does not accept the positions as they are.
    case rejected(DestinationRefusal)
    /// The request is too large for the destination.
    case tooLarge(DestinationRefusal)
    /// The destination accepts nothing until something changes.
    case blocked(BlockReason)
    /// A temporary failure. `after` is the wait that the destination requested.
    case later(UploadFailure, after: Duration?)
}

extension Verdict {
    /// A success status whose body does not acknowledge anything.
    static func wrong(_ answer: HTTPAnswer) -> Verdict { .later(.wrongAnswer(status: answer.status), after: nil) }
}

/// Classifies responses: first the page of a captive portal, then what the destination's format defines, then the rules
/// that all formats share. By those rules any 2xx status acknowledges.
enum AnswerClassifier {
    /// Classifies a response from this destination, or from a portal in its place.
    static func verdict(
        on answer: HTTPAnswer, format: UploadFormat, url: DestinationURL?, at now: UTCTime
    ) -> Verdict {
        if (200..<300).contains(answer.status) {
            if answer.isMarkup { return .later(.captive, after: nil) }
            // Home Assistant replies 200 with nothing to a webhook that it does not have, or not yet after its start;
            // its integrations reply with a text.
            if answer.body.isEmpty, format.hasWebhook, url?.isWebhook == true { return .wrong(answer) }
        }
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

    private static func letter(_ answer: HTTPAnswer) -> DestinationRefusal {
        DestinationRefusal(status: answer.status, message: answer.excerpt)
    }

    /// A redirection is never followed, because it would carry positions and credentials to a host that nobody
    /// configured. A redirection to another host is typical of captive portals.
    private static func verdictOnRedirection(_ answer: HTTPAnswer, _ url: DestinationURL?) -> Verdict {
        guard let location = answer.header("Location"), location.contains("//"), host(of: location) != url?.host else {
            return .blocked(.moved(status: answer.status))
        }
        return .later(.captive, after: nil)
    }

    /// The host of a `Location` value, which may lack a scheme; nil if it names no host.
    private static func host(of location: String) -> TargetHost? {
        do throws(DestinationURL.Fault) {
            return try DestinationURL(parsing: location.hasPrefix("//") ? "https:" + location : location).host
        } catch {
            return nil
        }
    }
}

/// A request without its body and without credentials.
public enum UploadRequest: Equatable, Sendable {
    /// The method of an HTTP request.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// An HTTP request. The URL may contain a position or a secret and is never logged. The headers are nearly always
    /// those of the request before; the value of `Idempotency-Key` always differs and is therefore separate.
    case http(Method, url: String, headers: [HTTPAnswer.Header], key: String)
    /// A message for a broker, to be published with QoS 1.
    case publish(topic: String, isRetained: Bool)
}

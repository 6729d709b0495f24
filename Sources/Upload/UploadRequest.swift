/// What is to be sent, but for its body and for credentials.
public enum UploadRequest: Equatable, Sendable {
    /// The method of a request of HTTP.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// A request of HTTP; the address may hold a position or a secret, and stands in no log. The headers are nearly always
    /// those of the request before; the value of `Idempotency-Key`, which never is, comes apart from them.
    case http(Method, url: String, headers: [HTTPAnswer.Header], key: String)
    /// A message for a broker, to be published with QoS 1.
    case publish(topic: String, isRetained: Bool)
}

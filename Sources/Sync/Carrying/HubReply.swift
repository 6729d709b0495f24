import HTTP
import JSONText
import Records
import Upload

/// What the hub has answered, or why there is no answer.
enum HubReply: Equatable {
    /// The request was fulfilled, or each of its parts has an outcome.
    case done([UInt8])
    /// The upload of an asset has come so far.
    case uploaded(offset: Int64, isComplete: Bool)
    /// The hub has other bytes or another size of an upload, which has to begin anew.
    case uploadDiffers
    /// A rule of the hub refuses the request.
    case refused(Refusal, message: String)
    /// A rule about something else than records refuses the request, such as one about a schema or a team.
    case objected(message: String)
    /// The hub does not accept the token, or the code.
    case notAccepted(message: String)
    /// The hub requires a pause, in seconds if it says how long, and perhaps why.
    case later(seconds: Int?, message: String)
    /// There is no answer.
    case failed(UploadFailure)
    /// Something else than a hub of this version answers at the address.
    case strange(status: Int)

    init(_ outcome: HTTPOutcome) {
        switch outcome {
        case .failed(let failure): self = .failed(failure)
        case .answered(let answer):
            let pause = answer.headers.first { $0.name.lowercased() == "retry-after" }
            self.init(status: answer.status, retryAfter: pause.flatMap { Int($0.value) }, body: answer.body)
            if [201, 204, 409].contains(answer.status), let progress = Self.progress(answer.headers) {
                self = progress
            }
        }
    }

    /// Where an upload is, by the header fields of an answer; nil for an answer about something else.
    private static func progress(_ headers: [HTTPAnswer.Header]) -> HubReply? {
        func value(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
        guard let offset = value("upload-offset").flatMap(Int64.init), offset >= 0,
            let isComplete = value("upload-complete")
        else { return nil }
        return .uploaded(offset: offset, isComplete: isComplete == "?1")
    }

    /// A response of HTTP.
    init(status: Int, retryAfter: Int?, body: [UInt8]) {
        switch status {
        case 200, 201, 204: self = .done(body)
        case 401: self = .notAccepted(message: Self.message(body))
        case 429, 500...599: self = .later(seconds: retryAfter, message: Self.message(body))
        case 400...499:
            let error = Self.member("error", of: body)
            if error == "unknownCode" {
                self = .notAccepted(message: Self.message(body))
            } else if error == "digestDiffers" || error == "uploadSizeDiffers" {
                self = .uploadDiffers
            } else if let refusal = try? Refusal(json: body) {
                self = .refused(refusal, message: Self.message(body))
            } else if Self.member("error", of: body) != nil {
                self = .objected(message: Self.message(body))
            } else {
                self = .strange(status: status)
            }
        default: self = .strange(status: status)
        }
    }

    /// The sentence in an error, without characters that could control a terminal.
    private static func message(_ body: [UInt8]) -> String {
        let text = member("message", of: body) ?? ""
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(400).filter { $0.properties.generalCategory != .control }))
    }

    private static func member(_ name: String, of body: [UInt8]) -> String? {
        guard body.count <= 1 << 20 else { return nil }
        return (try? JSON.parse(body, maximumDepth: 10, maximumValues: 1 << 16))?[name]?.stringValue
    }

    /// Why the hub could not be used, a sentence for a person with the next step; nil for an answer.
    var problem: String? {
        switch self {
        case .done, .uploaded, .refused, .objected: nil
        case .uploadDiffers: "The hub has received other bytes of a file than were sent. They are sent again."
        case .notAccepted(let message): message
        case .later(_, let message): message.isEmpty ? "The hub asks for a pause." : message
        case .strange(let status):
            "Something else than a hub of this version answers at the address, with the status \(status)."
        case .failed(let failure): Self.sentence(failure)
        }
    }

    private static func sentence(_ failure: UploadFailure) -> String {
        switch failure {
        case .nameLookup: "The name of the hub cannot be resolved. Check the network and the address."
        case .connect: "The hub cannot be reached. Check that it runs, and the network between."
        case .tls(.untrusted):
            "The hub has another key than the one in the code with which this machine has joined. If the hub was set up"
                + " again, leave the account and join it again; otherwise somebody else answers in its place."
        case .tls(.expired): "The hub's certificate has expired. Its administrator has to renew it."
        case .tls(.wrongName): "The hub's certificate is for another name than the one of its address."
        case .tls(.unknownIssuer):
            "The hub's certificate is from an authority that is not trusted. A code of waymark-hub invite with a digest"
                + " needs none: copy all of it."
        case .tls: "The hub does not establish TLS with this machine."
        case .timedOut: "The hub did not answer in time."
        default: "The connection to the hub was lost."
        }
    }
}

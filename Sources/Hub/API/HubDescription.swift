import HTTPServing
import Interfaces
import JSONText
import Records

/// What the hub says about itself.
enum HubDescription {
    /// The OpenAPI document.
    static var openAPI: [UInt8] { PackageResources.openapi_json }

    /// The response to a request about the hub itself, for which no records are needed; nil for another one.
    static func reply(to resource: Resource?, _ limits: Limits) -> HTTPReply? {
        switch resource {
        case .hub: HTTPReply(200, json: summary(limits))
        case .description: HTTPReply(200, json: openAPI)
        default: nil
        }
    }

    /// The release and the limits.
    static func summary(_ limits: Limits) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", "waymark-hub")
            writer.member("version", WaymarkVersion.text)
            writer.object("limits") { writer in
                for subject in Limits.Subject.allCases { writer.member(subject.rawValue, limits.most(subject)) }
            }
        }
        return writer.bytes
    }
}

import JSONText
import Testing

@testable import Upload

/// The message by which Home Assistant discovers a device.
@Suite struct DiscoveryTests {
    private static func configuration(user: String = "jane", name: String = "boat") -> UploadConfiguration {
        var configuration = Samples.configuration(.owntracks, broker: true)
        configuration.mqtt.hasDiscovery = true
        (configuration.device.user, configuration.device.name) = (user, name)
        return configuration
    }

    @Test func `the message describes a tracker whose attributes come from the topic of positions`() throws {
        let message = try #require(Self.configuration().discovery)
        #expect(message.topic == "homeassistant/device_tracker/waymark_owntracks_jane_boat_8c66e15f/config")
        let json = try JSON.parse(message.body)
        #expect(json["unique_id"] == "waymark_owntracks_jane_boat_8c66e15f")
        #expect(json["json_attributes_topic"] == "owntracks/jane/boat" && json["source_type"] == "gps")
        #expect(json["device"]?["name"] == "boat" && json["name"]?.isNull == true)
        #expect(json["device"]?["identifiers"]?[0] == json["unique_id"])
        let template = try #require(json["json_attributes_template"]?.stringValue)
        for member in ["value_json.lat,", "value_json.lon,", "value_json.acc,", "value_json.batt "] {
            #expect(template.contains(member), "\(member)")
        }
    }

    @Test func `a message without a position leaves all attributes of the entity as they are`() throws {
        let json = try JSON.parse(try #require(Self.configuration().discovery).body)
        let template = try #require(json["json_attributes_template"]?.stringValue)
        let parts = template.split(separator: "{% else %}").map(String.init)
        #expect(parts.count == 2 && template.hasSuffix(" | tojson }}{% endif %}"), "\(template)")
        func quoted(_ text: String) -> [String] {
            text.split(separator: "'", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
                .map { String($0.element) }
        }
        let attributes = try quoted(#require(parts.first)).filter { $0 != "location" }
        let retained = try quoted(#require(parts.last)).filter { $0 != "in" }
        #expect(attributes.count == 8 && retained == attributes)
        #expect(parts.last?.contains("this.attributes") == true)
    }

    @Test func `Home Assistant's start is of interest only where it discovers the device and there are regions`() {
        var configuration = Self.configuration()
        #expect(configuration.birthTopic == nil)
        configuration.owntracks.regionsFile = "/etc/waymark/regions.geojson"
        configuration.mqtt.discoveryPrefix = "ha/discovery"
        #expect(configuration.birthTopic == "homeassistant/status")
        configuration.mqtt.hasDiscovery = false
        #expect(configuration.birthTopic == nil)
    }

    @Test func `prefix and topic of the settings are used, and different topics have different identifiers`() throws {
        var configuration = Self.configuration()
        configuration.mqtt.discoveryPrefix = "ha/discovery"
        configuration.mqtt.topic = "fleet/7"
        let message = try #require(configuration.discovery)
        #expect(message.topic.hasPrefix("ha/discovery/device_tracker/waymark_fleet_7_"))
        #expect(try JSON.parse(message.body)["json_attributes_topic"] == "fleet/7")
        let topics = [("jane", "b\u{f6}at"), ("jane", "b_at"), ("jane", "b at"), ("j", "ane_b_at")].map {
            Self.configuration(user: $0, name: $1).discovery?.topic
        }
        #expect(Set(topics).count == topics.count)
        for topic in topics {
            let name = try #require(topic?.split(separator: "/")[2])
            #expect(name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") })
        }
    }

    @Test func `it needs a broker, and messages that Home Assistant can read`() {
        var configuration = Self.configuration()
        #expect(configuration.objections.isEmpty)
        configuration.mqtt.hasDiscovery = false
        #expect(configuration.discovery == nil)
        configuration.mqtt.hasDiscovery = true
        configuration.credential.encryption = "key"
        #expect(configuration.objections.map(\.key) == ["HomeAssistantDiscovery"])
        configuration.credential.encryption = ""
        configuration.mqtt.discoveryPrefix = ""
        #expect(configuration.objections.map(\.key) == ["DiscoveryPrefix"])
        configuration.mqtt.discoveryPrefix = "homeassistant"
        configuration.destination.url = Samples.url("https://tracker.example.org/in")
        #expect(configuration.objections.map(\.key) == ["HomeAssistantDiscovery"] && configuration.discovery == nil)
        var other = Samples.configuration(.osmand)
        other.owntracks.reportsLocation = true
        #expect(other.objections.map(\.key) == ["ReportLocation"] && !other.acceptsCommands && !other.reportsBattery)
    }
}

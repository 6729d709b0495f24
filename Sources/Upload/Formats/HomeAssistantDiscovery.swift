import JSONText

/// A message that a broker retains for programs that subscribe later.
public struct RetainedMessage: Equatable, Sendable {
    /// Where it is published.
    public let topic: String
    /// Its contents.
    public let body: [UInt8]
}

/// Home Assistant's discovery of a device tracker over MQTT,
/// https://www.home-assistant.io/integrations/device_tracker.mqtt/: a retained message describes the entity, whose
/// attributes come from the topic that positions are published to.
enum HomeAssistantDiscovery {
    /// The configuration message of the device, for OwnTracks' messages.
    static func message(_ configuration: UploadConfiguration) -> RetainedMessage {
        let topic = configuration.topic
        let name = configuration.device.name.isEmpty ? topic : configuration.device.name
        var writer = JSONWriter()
        writer.object { writer in
            // The entity has the name of its device.
            writer.key("name")
            writer.null()
            writer.member("unique_id", identifier(topic))
            writer.member("source_type", "gps")
            writer.member("json_attributes_topic", topic)
            writer.member("json_attributes_template", template)
            writer.object("device") { writer in
                writer.array("identifiers") { $0.string(identifier(topic)) }
                writer.member("name", name)
                writer.member("manufacturer", "Waymark")
            }
            writer.object("origin") { writer in writer.member("name", "Waymark") }
        }
        return RetainedMessage(
            topic: "\(configuration.mqtt.discoveryPrefix)/device_tracker/\(identifier(topic))/config",
            body: writer.bytes)
    }

    /// The topic where Home Assistant publishes `online` when it has started, whatever the discovery prefix:
    /// https://www.home-assistant.io/integrations/mqtt/#birth-and-last-will-messages.
    static let birthTopic = "homeassistant/status"

    /// Turns a message into the attributes that place the entity on the map. The last will and the empty message that
    /// removes a retained one have no position: the attributes then are those that the entity has, because Home Assistant
    /// logs a warning for anything but an object. `this` is the state of the entity.
    private static let template = """
        {% if value_json is defined and value_json._type == 'location' %}{{ {'latitude': value_json.lat, \
        'longitude': value_json.lon, 'gps_accuracy': value_json.acc, 'altitude': value_json.alt | default(none), \
        'speed': value_json.vel | default(none), 'course': value_json.cog | default(none), \
        'battery_level': value_json.batt | default(none), 'timestamp': value_json.tst} | tojson }}{% else %}\
        {{ dict(this.attributes.items() | selectattr(0, 'in', ['latitude', 'longitude', 'gps_accuracy', 'altitude', \
        'speed', 'course', 'battery_level', 'timestamp'])) | tojson }}{% endif %}
        """

    /// The identifier of the device, of the letters that a topic of discovery may have. Topics that differ only in other
    /// characters have different ones.
    private static func identifier(_ topic: String) -> String {
        let plain = topic.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-": Character(scalar)
            default: "_"
            }
        }
        return "waymark_\(String(plain))_\(String(checksum(topic), radix: 16))"
    }

    /// FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/.
    private static func checksum(_ text: String) -> UInt32 {
        text.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}

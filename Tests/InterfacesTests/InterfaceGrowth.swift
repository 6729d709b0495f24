import Varlink

/// Compares an earlier and the present text of an interface, and finds changes that break a client or a daemon of the
/// earlier one.
struct InterfaceGrowth {
    private typealias Field = InterfaceDescription.Field
    private typealias TypeExpression = InterfaceDescription.TypeExpression

    private let earlier: InterfaceDescription
    private let later: InterfaceDescription
    /// Types that a client sends: new members in them must be optional.
    private let given: Set<String>

    init(from earlier: String, to later: String) throws {
        self.earlier = try InterfaceDescription(parsing: earlier)
        self.later = try InterfaceDescription(parsing: later)
        var given: Set<String> = []
        for method in self.later.methods.values {
            for field in method.input { Self.collect(field.type, self.later, &given) }
        }
        self.given = given
    }

    /// The members removed, changed or newly required, in order.
    var breaches: [String] {
        var all: [String] = []
        for (name, type) in earlier.types {
            guard let now = later.types[name] else {
                all.append("type \(name) was removed")
                continue
            }
            all += changes(type, now, "type \(name)", isGiven: given.contains(name))
        }
        for (name, method) in earlier.methods {
            guard let now = later.methods[name] else {
                all.append("method \(name) was removed")
                continue
            }
            all += changes(method.input, now.input, "\(name) accepts", isGiven: true)
            all += changes(method.output, now.output, "\(name) returns", isGiven: false)
        }
        for (name, fields) in earlier.errors {
            guard let now = later.errors[name] else {
                all.append("error \(name) was removed")
                continue
            }
            all += changes(fields, now, "error \(name)", isGiven: false)
        }
        return all.sorted()
    }

    private func changes(_ was: [Field], _ now: [Field], _ place: String, isGiven: Bool) -> [String] {
        let lost = was.flatMap { field in
            now.first { $0.name == field.name }.map {
                changes(field.type, $0.type, "\(place) \(field.name)", isGiven: isGiven)
            } ?? ["\(place) \(field.name): removed"]
        }
        guard isGiven else { return lost }
        let new = now.filter { field in !was.contains { $0.name == field.name } }
        return lost
            + new.compactMap { field -> String? in
                if case .nullable = field.type { return nil }
                return "\(place) \(field.name): required, but earlier clients do not send it"
            }
    }

    private func changes(_ was: TypeExpression, _ now: TypeExpression, _ place: String, isGiven: Bool) -> [String] {
        switch (was, now) {
        case (.structure(let was), .structure(let now)): changes(was, now, place, isGiven: isGiven)
        case (.nullable(let was), .nullable(let now)), (.array(let was), .array(let now)),
            (.map(let was), .map(let now)):
            changes(was, now, place, isGiven: isGiven)
        default: was == now ? [] : ["\(place): another type"]
        }
    }

    private static func collect(_ type: TypeExpression, _ description: InterfaceDescription, _ names: inout Set<String>)
    {
        switch type {
        case .bool, .int, .float, .string, .object, .enumeration: break
        case .nullable(let type), .array(let type), .map(let type): collect(type, description, &names)
        case .structure(let fields): for field in fields { collect(field.type, description, &names) }
        case .named(let name):
            if names.insert(name).inserted, let type = description.types[name] { collect(type, description, &names) }
        }
    }
}

import Platform

/// The interfaces of a daemon and the handlers of their calls.
@DaemonActor
public final class Service {
    /// Handles a call, at once or later, by replying to it.
    public typealias Handler = @DaemonActor (Call) -> Void

    private struct Interface {
        var description: InterfaceDescription
        var requiringMore: Set<String>
        var repetitions: [String: CallRepetition]
        var handler: Handler
    }

    /// The information in the reply of `GetInfo`.
    public private(set) var info: ServiceInfo
    /// Provides the present features for `GetInfo`; without it those of `info` are used.
    public var features: (any FeatureSource)?
    private var interfaces: [String: Interface] = [:]

    /// A service with `org.varlink.service` only. The interfaces in `info` are those registered.
    public init(info: ServiceInfo) throws(InterfaceSyntaxError) {
        self.info = info
        self.info.interfaces = []
        let asking = ["GetInfo": CallRepetition.unlessSame, "GetInterfaceDescription": .unlessSame]
        try register(ServiceInfo.interfaceText, repetitions: asking) { [weak self] call in self?.answer(call) }
    }

    /// Adds an interface by its text. Its calls are validated against the text and passed to the handler. An interface
    /// with the same name is replaced.
    ///
    /// A client that calls one of the methods `requiringMore` without `more` receives `ExpectedMore`.
    /// - Throws: If the text has a syntax error.
    public func register(
        _ text: String, requiringMore: Set<String> = [], repetitions: [String: CallRepetition] = [:],
        handler: @escaping Handler
    ) throws(InterfaceSyntaxError) {
        let description = try InterfaceDescription(parsing: text)
        if let unknown = requiringMore.first(where: { description.methods[$0] == nil }) {
            throw InterfaceSyntaxError(message: "\(unknown) is not a method of \(description.name)", line: 1, column: 1)
        }
        let interface = Interface(
            description: description, requiringMore: requiringMore, repetitions: repetitions, handler: handler)
        if interfaces.updateValue(interface, forKey: description.name) == nil {
            info.interfaces.append(description.name)
        }
    }

    /// The interface with this name.
    public func description(of name: String) -> InterfaceDescription? { interfaces[name]?.description }

    /// A parameter of a call that the interface does not have, so that it is ignored; nil if it has all of them.
    public func unknownParameter(of request: CallRequest) -> String? {
        let description = interfaces[request.interfaceName]?.description
        return description?.unknownParameter(request.parameters, of: request.methodName)
    }

    /// A request without the parameters that are ignored, as the interface does not have them; nil if it has none of these.
    func knownRequest(_ request: CallRequest) -> CallRequest? {
        let description = interfaces[request.interfaceName]?.description
        return description?.knownParameters(request.parameters, of: request.methodName).map { known in
            CallRequest(
                method: request.method, parameters: known, more: request.more, oneway: request.oneway,
                upgrade: request.upgrade)
        }
    }

    /// How a call is continued that was in progress when the service was restarted. A newer release may have left a
    /// call with a parameter that this one does not know; without the parameter it would be a different call, so it is
    /// not repeated.
    public func repetition(of request: CallRequest) -> CallRepetition {
        unknownParameter(of: request) == nil ? declaredRepetition(of: request) : .never
    }

    /// How calls of a method are continued, by its interface alone, whatever their parameters are. A call of an unknown
    /// method is repeated, because it only causes an error reply.
    func declaredRepetition(of request: CallRequest) -> CallRepetition {
        guard let interface = interfaces[request.interfaceName],
            interface.description.methods[request.methodName] != nil
        else { return .unlessSame }
        return interface.repetitions[request.methodName] ?? .never
    }

    /// Passes a call to its handler, or answers it if it is invalid. Returns whether a handler was called.
    func dispatch(_ call: Call) -> Bool {
        do throws(ServiceError) {
            let handler = try handler(for: call.request)
            handler(call)
            return true
        } catch {
            call.fail(error)
            return false
        }
    }

    private func handler(for request: CallRequest) throws(ServiceError) -> Handler {
        guard let interface = interfaces[request.interfaceName] else {
            throw .interfaceNotFound(request.interfaceName)
        }
        guard let method = interface.description.methods[request.methodName] else {
            throw .methodNotFound(request.method)
        }
        if request.upgrade { throw .methodNotImplemented(request.method) }
        do throws(InvalidParameter) {
            try interface.description.validate(request.parameters, against: method.input)
        } catch {
            throw .invalidParameter(error.path)
        }
        if interface.requiringMore.contains(method.name), !request.more { throw .expectedMore }
        return interface.handler
    }

    private func answer(_ call: Call) {
        switch call.methodName {
        case "GetInfo":
            call.reply { writer in
                writer.member("vendor", info.vendor)
                writer.member("product", info.product)
                writer.member("version", info.version)
                writer.member("url", info.url)
                writer.member("interfaces", info.interfaces)
                guard let number = info.protocolNumber else { return }
                writer.member("protocol", number)
                writer.member("features", features?.offered ?? info.features)
            }
        case "GetInterfaceDescription":
            let name = call.parameters["interface"]?.stringValue ?? ""
            guard let interface = interfaces[name] else { return call.fail(ServiceError.interfaceNotFound(name)) }
            call.reply { $0.member("description", interface.description.text) }
        default:
            call.fail(ServiceError.methodNotImplemented(call.request.method))
        }
    }
}

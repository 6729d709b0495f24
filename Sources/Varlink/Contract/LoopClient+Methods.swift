import Platform

extension EncodedCall {
    /// The call of a method with these parameters.
    public init(_ method: some VarlinkMethod, more: Bool = false) {
        self.init(type(of: method).name, more: more) { method.write(to: &$0) }
    }
}

extension LoopClient {
    /// Calls a method. If there is no reply within the timeout, the connection ends with `timedOut`. A reply that does
    /// not match the interface is a `protocolViolation`.
    public func call<Method: VarlinkMethod>(
        _ method: Method, timeout: Duration? = nil, _ handler: @escaping Handler<Method.Reply>
    ) {
        call(EncodedCall(method), timeout: timeout) { handler($0.flatMap(Self.read(Method.self))) }
    }

    /// Calls a method with `more`. The handler receives each reply, and whether more follow. The timeout applies to the
    /// first one.
    public func stream<Method: VarlinkMethod>(
        _ method: Method, timeout: Duration? = nil,
        _ handler: @escaping @DaemonActor (Result<Method.Reply, VarlinkError>, _ continues: Bool) -> Void
    ) {
        call(EncodedCall(method, more: true), timeout: timeout) { result in
            let continues = if case .success(let reply) = result { reply.continues } else { false }
            handler(result.flatMap(Self.read(Method.self)), continues)
        }
    }

    private static func read<Method: VarlinkMethod>(
        _: Method.Type
    ) -> (Reply) -> Result<Method.Reply, VarlinkError> {
        { reply in Result { () throws(VarlinkError) in try Method.reply(reply.parameters) } }
    }
}

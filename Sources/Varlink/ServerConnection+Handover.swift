import Platform

// The orderly end of the process, and the continuation in the next one.

extension ServerConnection {
    /// Stops reading and starting calls. The call in progress continues.
    func prepareToLeave() {
        // Nothing can be sent over a resting connection, because its client is not identified yet.
        guard isOpen, phase == .running else { return }
        phase = .leaving
        settle()
    }

    /// The state for the next process; nil once the connection has ended. This process must not use it any more.
    public var handedOver: HandedConnection? {
        guard isOpen else { return nil }
        var handed = HandedConnection()
        handed.listenerName = listenerName
        handed.note = note
        handed.input = Array(state.rest)
        handed.hasInputEnded = state.hasInputEnded
        handed.output = output.waitingBytes
        handed.call = current.map { call in
            let isRepeated = (server?.declaredRepetition(of: call.request) ?? .never) != .never
            return HandedConnection.PendingCall(message: call.message(isRepeated), replies: call.latestReplies)
        }
        return handed
    }

    /// Its socket, and the pidfd of its client if the kernel does not bind that to the socket: the next process could
    /// not open the process by its number if it has exited.
    public var descriptors: [Int32] {
        [socket?.number, peer.isRacy ? peer.pidfdNumber : nil].compactMap(\.self)
    }

    /// Whether a call with `more` is in progress.
    public var hasStream: Bool { current?.wantsMore ?? false }

    /// Whether it comes from an earlier process and was not continued yet.
    public var isResting: Bool { phase == .resting }

    /// The call that will be repeated.
    public var restingCall: CallRequest? { isResting ? current?.request : nil }

    /// Continues the connection where the earlier process stopped.
    public func goOn() {
        guard isOpen, phase == .resting else { return }
        phase = .running
        flush()
        if let current, isOpen { makeAgain(current) }
        pump()
        settle()
    }

    private func makeAgain(_ call: Call) {
        guard let server else { return }
        guard let call = call as? RepeatedCall else { return close(.interrupted) }
        server.dispatch(call)
        call.handlerReturned()
        guard call.request.oneway, !call.isOver else { return }
        call.finishOneway()
        finished(call)
    }
}

import Platform

// An orderly end of the process, and what the next process continues.

extension ServerConnection {
    /// Reads no more and begins no call; the call in progress goes on.
    func prepareToLeave() {
        // One that rests is not known well enough to be sent anything.
        guard isOpen, phase == .running else { return }
        phase = .leaving
        settle()
    }

    /// What is going on, to be continued by the next process; nil once it has ended. From then on it is to be left alone.
    public var handedOver: HandedConnection? {
        guard isOpen else { return nil }
        var handed = HandedConnection()
        handed.listenerName = listenerName
        handed.note = note
        handed.input = Array(state.rest)
        handed.hasInputEnded = state.hasInputEnded
        handed.output = output.waitingBytes
        handed.call = current.map { HandedConnection.PendingCall(message: $0.repeated, replies: $0.latestReplies) }
        return handed
    }

    /// Its socket, and the process of its client where the kernel does not bind that to the socket: there it can be asked for
    /// only while the process lives.
    public var descriptors: [Int32] {
        [socket?.number, peer.isRacy ? peer.pidfdNumber : nil].compactMap(\.self)
    }

    /// Whether a call that replies more than once is in progress.
    public var hasStream: Bool { current?.wantsMore ?? false }

    /// Whether an earlier process left it, and it was not continued yet.
    public var isResting: Bool { phase == .resting }

    /// The call with which it is to be continued.
    public var restingCall: CallRequest? { isResting ? current?.request : nil }

    /// Continues where the earlier process stopped.
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
        call.wasDispatched()
        guard call.request.oneway, !call.isOver else { return }
        call.finishOneway()
        finished(call)
    }
}

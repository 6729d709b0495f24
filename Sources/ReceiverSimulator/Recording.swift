import Location

/// A generated recording: a sequence of epochs, determined by the scenario and the seed.
public struct Recording: Sequence, IteratorProtocol, Sendable {
    /// The output of a receiver for one epoch, with the true state at that epoch.
    public struct Epoch: Sendable {
        /// The sentences with their line ends; empty while the receiver is silent.
        public var bytes: [UInt8]
        /// The position that a reader should derive from the sentences; nil if there is none. Its `receivedAt` counts
        /// from the start of the recording.
        public var fix: Fix?
        /// The true time.
        public var time: UTCTime
        /// The true position and movement.
        public var truth: TrueState
    }

    /// The first line: what the recording is and how to generate it again. gpsd and gpsfake skip lines that begin with
    /// `#`.
    public let header: String
    private let scenario: Scenario
    private let dialect: Dialect
    private var receiver: ReceiverModel
    private var line: DamagedLine
    private var index = 0

    /// The recording of a scenario with a seed.
    public init(_ scenario: Scenario, seed: UInt64) {
        self.scenario = scenario
        dialect = Dialect(constellations: scenario.constellations)
        receiver = ReceiverModel(
            sky: Sky(constellations: scenario.constellations), plane: scenario.route.plane,
            geoidSeparation: scenario.route.geoidSeparation, seed: seed)
        line = DamagedLine(scenario.damage, seed: seed)
        header =
            "# waymark-simulator: scenario \(scenario.name), seed \(seed), "
            + "start \(scenario.start.iso8601(fraction: 3)); simulated, nobody was there\n"
    }

    /// The next epoch; nil at the end.
    public mutating func next() -> Epoch? {
        let seconds = Double(index) / scenario.rate
        guard seconds < scenario.duration else { return nil }
        defer { index += 1 }
        let elapsed = Int64((seconds * 1_000_000).rounded())
        let time = UTCTime(microseconds: scenario.start.microseconds + elapsed)
        let truth = scenario.route.state(at: seconds)
        var observation = receiver.observe(truth, at: time, seconds: seconds, in: scenario.reception(at: seconds))
        var isSilent = false
        for fault in scenario.faults { apply(fault, at: seconds, to: &observation, isSilent: &isSilent) }
        let bytes = isSilent ? [] : sentences(observation, truth).flatMap { line.bytes(of: $0) }
        let fix = isSilent ? nil : observation.fix(receivedAt: UInt64(elapsed) * 1000)
        return Epoch(bytes: bytes, fix: fix, time: time, truth: truth)
    }

    private func sentences(_ observation: Observation, _ truth: TrueState) -> [Sentence] {
        let choice = scenario.sentences
        let isDetailed = index % scenario.epochsPerGSV == 0
        var sentences = [Sentence.rmc(observation, dialect)]
        if choice.hasVTG { sentences.append(.vtg(observation, dialect)) }
        sentences.append(.gga(observation, dialect))
        sentences += Sentence.gsa(observation, dialect)
        if isDetailed { sentences += Sentence.gsv(observation, dialect) }
        if isDetailed, choice.hasZDA { sentences.append(.zda(observation, dialect)) }
        if choice.isProprietary { sentences += Sentence.proprietary(observation, epoch: index) }
        if let drift = choice.drift { sentences.append(.hdt(Angle.normalized(truth.course + drift))) }
        // Every epoch ends with the same sentence, from which gpsd learns where an epoch ends.
        if choice.hasGLL { sentences.append(.gll(observation, dialect)) }
        if choice.hasGST { sentences.append(.gst(observation, dialect)) }
        return sentences
    }

    private func apply(_ fault: Fault, at seconds: Double, to observation: inout Observation, isSilent: inout Bool) {
        switch fault {
        case .clockStep(let start, let step):
            guard seconds >= start else { return }
            let offset = Int64((step * 1_000_000).rounded())
            observation.time = UTCTime(microseconds: observation.time.microseconds + offset)
        case .wrongWeek(let weeks):
            let offset = Int64(weeks) * 604_800_000_000
            observation.time = UTCTime(microseconds: observation.time.microseconds + offset)
        case .displacement(let range, let east, let north):
            guard range.contains(seconds) else { return }
            let moved = LocalPlane(latitude: observation.latitude, longitude: observation.longitude)
                .degrees(of: PlanePoint(east: east, north: north))
            observation.latitude = moved.latitude
            observation.longitude = moved.longitude
        case .zeroPosition(let range):
            guard range.contains(seconds) else { return }
            observation.latitude = 0
            observation.longitude = 0
        case .silence(let range):
            isSilent = isSilent || range.contains(seconds)
        }
    }
}

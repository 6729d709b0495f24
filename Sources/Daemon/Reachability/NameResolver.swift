import Configuration
import Glibc
import NetworkPaths
import Platform
import Resolver

/// Looks up names without blocking. Each name has a process of its own that ends with its reply or after five seconds,
/// so that the daemon, which knows all positions, does not talk to name servers. If a socket is configured in place of
/// a program, the service behind it starts the processes.
///
/// At most eight lookups run at once, four of them for one user, plus one for each user who has none, up to 32. At most
/// 256 names are queued, 128 of one user, and users are scheduled fairly. Names beyond that are not looked up. Several
/// requests of one user for the same name share one lookup.
@DaemonActor
final class NameResolver {
    /// Receives the result of a lookup; nil if no name server was queried because of a limit.
    typealias Completion = @DaemonActor (NameAnswer?) -> Void

    /// One request, by which it can be cancelled.
    struct Ticket: Hashable {
        fileprivate let query: NameQueries.ID?
        fileprivate let number: UInt64
    }

    /// Counters since the daemon's start.
    struct Figures: Equatable {
        /// Requested names.
        var queried: UInt64 = 0
        /// Requests that joined a lookup already in progress.
        var joined: UInt64 = 0
        /// Requests refused for lack of room.
        var refused: UInt64 = 0
        /// Lookups that got no process or no result in time.
        var expired: UInt64 = 0
        /// Started processes.
        var started: UInt64 = 0
        /// Processes that could not be started, or exited without a reply.
        var failures: UInt64 = 0
    }

    private var program: ResolverProgram
    private var queries: NameQueries
    private let clock: any TimeSource
    private var inquiries: [NameQueries.ID: any NameInquiry] = [:]
    private var callers: [NameQueries.ID: [UInt64: Completion]] = [:]
    /// Results that need no lookup, delivered in the next iteration of the event loop.
    private var prompt: [UInt64: (answer: NameAnswer?, completion: Completion)] = [:]
    /// Lookups that ended without an event, some before they started; also delivered in the next iteration.
    private var completed: [(id: NameQueries.ID, answer: NameAnswer?)] = []
    private var timer: TimerSource?
    private var lastNumber: UInt64 = 0
    private var counted = Figures()
    /// Monotonic times of the first and the last connection in a row that was closed with the name unread.
    private var unread: (since: UInt64, last: UInt64)?
    /// Why no names can be looked up at present, for a person; nil if no problem is known.
    private(set) var problem: String?

    /// If names stay unread for longer than this, a mere peak of requests is no explanation any more. Nanoseconds.
    private static let unreadPatience: UInt64 = 20_000_000_000
    /// Longer than the delays between attempts. An older failure has a cause of its own. Nanoseconds.
    private static let unreadMemory: UInt64 = 120_000_000_000

    /// Looks names up with this program.
    init(
        _ program: ResolverProgram, limits: NameQueries.Limits = NameQueries.Limits(),
        clock: any TimeSource = SystemClock()
    ) throws(SystemError) {
        self.program = program
        self.clock = clock
        queries = NameQueries(limits)
        timer = try TimerSource(accuracy: .milliseconds(20)) { [weak self] in self?.timePassed() }
    }

    /// The counters so far.
    var figures: Figures {
        var figures = counted
        figures.joined = queries.joined
        figures.refused = queries.refused
        figures.expired = queries.expired
        return figures
    }

    /// The number of processes and of names queued for one.
    var load: (processes: Int, waiting: Int) { (queries.processCount, queries.waitingCount) }

    /// Whether lookups are enabled.
    var isWanted: Bool { program != .none }

    /// Uses this program for later lookups. Returns whether it is a different one.
    func apply(_ program: ResolverProgram) -> Bool {
        defer { self.program = program }
        noteRead()
        return program != self.program
    }

    /// Called when the network has changed: later requests do not join lookups that were started before.
    func networkChanged() { queries.networkChanged() }

    /// Looks a name up for a user. The completion is called once, later, unless the ticket is cancelled before.
    @discardableResult
    func resolve(
        _ name: HostName, for uid: UInt32, share: UInt32? = nil, completion: @escaping Completion
    ) -> Ticket {
        counted.queried += 1
        lastNumber += 1
        guard isWanted else {
            return answer(.failed("name lookups are disabled: Resolver=none"), completion)
        }
        guard let (id, effects) = queries.query(name, for: uid, share: share, at: clock.monotonicNanoseconds) else {
            return answer(nil, completion)
        }
        let ticket = Ticket(query: id, number: lastNumber)
        callers[id, default: [:]][ticket.number] = completion
        perform(effects)
        return ticket
    }

    /// Cancels a request: its completion is not called.
    func cancel(_ ticket: Ticket) {
        guard let id = ticket.query else {
            prompt[ticket.number] = nil
            return
        }
        guard callers[id]?.removeValue(forKey: ticket.number) != nil else { return }
        if callers[id]?.isEmpty == true { callers[id] = nil }
        perform(queries.withdraw(from: id, at: clock.monotonicNanoseconds))
    }

    private func answer(_ answer: NameAnswer?, _ completion: @escaping Completion) -> Ticket {
        prompt[lastNumber] = (answer, completion)
        armTimer()
        return Ticket(query: nil, number: lastNumber)
    }

    // Performing the scheduler's effects

    private func perform(_ effects: [NameQueries.Effect]) {
        for effect in effects {
            switch effect {
            case .start(let id, let name): start(id, name)
            case .stop(let id):
                guard inquiries[id]?.stop() == true else { continue }
                inquiries[id] = nil
                completed.append((id, .failed("the resolver was stopped")))
            case .notify(let id, let answer):
                for (_, completion) in (callers.removeValue(forKey: id) ?? [:]).sorted(by: { $0.key < $1.key }) {
                    completion(answer)
                }
            }
        }
        armTimer()
    }

    private func start(_ id: NameQueries.ID, _ name: HostName) {
        guard let path else {
            completed.append((id, .failed("the resolver is missing")))
            return
        }
        do throws(SystemError) {
            inquiries[id] =
                if Self.isSocket(path) {
                    try NameConnection(socket: path, name: name) { [weak self] in self?.handle($0, of: id) }
                } else {
                    try NameProcess(program: path, name: name) { [weak self] in self?.handle($0, of: id) }
                }
            counted.started += 1
        } catch {
            // Too many processes run, or the socket's queue is full, or systemd closed the connection.
            guard ![EAGAIN, EPIPE, ECONNRESET].contains(error.code) else {
                noteUnread()
                completed.append((id, nil))
                return
            }
            notify("names cannot be looked up: \(error)")
            completed.append((id, .failed("the resolver cannot be started")))
        }
    }

    private func handle(_ event: NameInquiryEvent, of id: NameQueries.ID) {
        switch event {
        case .answered(let answer):
            noteRead()
            perform(queries.answered(id, answer))
        case .ended(let how):
            noteRead()
            inquiries[id] = nil
            ended(id, .failed("the resolver \(how)"))
        case .refused:
            noteUnread()
            inquiries[id] = nil
            ended(id, nil)
        }
    }

    private func noteRead() {
        problem = nil
        unread = nil
    }

    /// Called when no name server was queried. The name is tried again later, so a problem is reported only if this
    /// continues.
    private func noteUnread() {
        let now = clock.monotonicNanoseconds
        let since = unread.flatMap { now - $0.last < Self.unreadMemory ? $0.since : nil } ?? now
        unread = (since, now)
        guard now - since >= Self.unreadPatience, let path else { return }
        notify(
            "names cannot be looked up: \(path) reads no name, or too many programs use it ([Reachability] Resolver=)")
    }

    private func ended(_ id: NameQueries.ID, _ answer: NameAnswer?) {
        perform(
            queries.ended(
                id, at: clock.monotonicNanoseconds,
                withoutAnswer: {
                    if answer != nil { counted.failures += 1 }
                    return answer
                }()))
    }

    private func timePassed() {
        let answers = prompt.sorted { $0.key < $1.key }
        prompt = [:]
        for (_, entry) in answers { entry.completion(entry.answer) }
        let ids = completed
        completed = []
        for (id, answer) in ids { ended(id, answer) }
        perform(queries.timePassed(at: clock.monotonicNanoseconds))
    }

    private func armTimer() {
        if !prompt.isEmpty || !completed.isEmpty {
            timer?.arm(after: .zero)
        } else if let deadline = queries.deadline {
            timer?.arm(at: deadline)
        } else {
            timer?.disarm()
        }
    }

    // The program

    /// The path of the program or socket; nil if none exists, which is logged once.
    private var path: String? {
        let candidates = Self.candidates(for: program)
        if let path = candidates.first(where: { ExecutableSearch.isExecutable($0) || Self.isSocket($0) }) {
            return path
        }
        let places = candidates.joined(separator: " or ")
        notify(
            "names cannot be looked up: there is neither a program nor a socket \(places) ([Reachability] Resolver=)")
        return nil
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Logs a problem, once.
    private func notify(_ problem: String) {
        guard self.problem != problem else { return }
        self.problem = problem
        Log.warning(problem)
    }

    private static func candidates(for program: ResolverProgram) -> [String] {
        let name = "waymark-resolver"
        switch program {
        case .none: return []
        case .program(let path): return [path]
        case .own: return ProgramFolder.path.map { ["\($0)\(name)", "\($0)../libexec/waymark/\(name)"] } ?? []
        }
    }
}

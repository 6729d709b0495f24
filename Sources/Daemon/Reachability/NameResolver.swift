import Configuration
import Glibc
import NetworkPaths
import Platform
import Resolver

/// Looks names up without waiting, each in a process of its own that ends with the answer or after five seconds: the
/// process that knows where everybody is talks to no name server. Where a socket is named in place of a program, whoever
/// listens there starts the processes.
///
/// At most eight look up at once, four of them for one user, and one more for each user who has none, up to 32; users have
/// their turns, and 256 names wait, 128 of one user. What is beyond that is not asked. A name that a
/// user asks for while it is looked up for the same user is looked up once.
@DaemonActor
final class NameResolver {
    /// Told what came of a question; nil where nobody was asked, as there was too much to do.
    typealias Completion = @DaemonActor (NameAnswer?) -> Void

    /// One asker's place, by which the question can be withdrawn.
    struct Ticket: Hashable {
        fileprivate let query: NameQueries.ID?
        fileprivate let number: UInt64
    }

    /// How much there was to do, since the daemon started.
    struct Figures: Equatable {
        /// Names that were asked for.
        var queried: UInt64 = 0
        /// Of them, those that were being looked up already.
        var joined: UInt64 = 0
        /// Of them, those that there was no room for.
        var refused: UInt64 = 0
        /// Of them, those that had no turn or no answer in time.
        var expired: UInt64 = 0
        /// Processes that were started.
        var started: UInt64 = 0
        /// Processes that could not be started, or ended without an answer.
        var failures: UInt64 = 0
    }

    private var program: ResolverProgram
    private var queries: NameQueries
    private let clock: any TimeSource
    private var inquiries: [NameQueries.ID: any NameInquiry] = [:]
    private var callers: [NameQueries.ID: [UInt64: Completion]] = [:]
    /// Answers that need no question, told in the next turn of the loop.
    private var prompt: [UInt64: (answer: NameAnswer?, completion: Completion)] = [:]
    /// Inquiries that are over, some before they began: also for the next turn.
    private var gone: [(id: NameQueries.ID, answer: NameAnswer?)] = []
    private var timer: TimerSource?
    private var lastNumber: UInt64 = 0
    private var counted = Figures()
    /// Between which moments of the monotonic clock every connection was hung up on with the name unread.
    private var unread: (since: UInt64, last: UInt64)?
    /// Why names cannot be looked up at all, for a person; nil where they can, as far as is known.
    private(set) var problem: String?

    /// After so long it is no crowd any more that keeps names from being read; nanoseconds.
    private static let unreadPatience: UInt64 = 20_000_000_000
    /// Longer than the pauses between attempts: what lies further back has nothing to do with it.
    private static let unreadMemory: UInt64 = 120_000_000_000

    /// Looks up with this program.
    init(
        _ program: ResolverProgram, limits: NameQueries.Limits = NameQueries.Limits(),
        clock: any TimeSource = SystemClock()
    ) throws(SystemError) {
        self.program = program
        self.clock = clock
        queries = NameQueries(limits)
        timer = try TimerSource(accuracy: .milliseconds(20)) { [weak self] in self?.timePassed() }
    }

    /// What was done so far.
    var figures: Figures {
        var figures = counted
        figures.joined = queries.joined
        figures.refused = queries.refused
        figures.expired = queries.expired
        return figures
    }

    /// How many processes there are, and how many names wait for one.
    var load: (processes: Int, waiting: Int) { (queries.processCount, queries.waitingCount) }

    /// Whether there is a program to look up with.
    var isWanted: Bool { program != .none }

    /// Looks up with this program from now on; says whether it is another one.
    func apply(_ program: ResolverProgram) -> Bool {
        defer { self.program = program }
        noteRead()
        return program != self.program
    }

    /// What is being looked up was asked of a network that has changed: who asks from now on does not join it.
    func networkChanged() { queries.networkChanged() }

    /// Looks a name up for a user. The completion is called once, later, unless the ticket is cancelled before.
    @discardableResult
    func resolve(
        _ name: HostName, for uid: UInt32, share: UInt32? = nil, completion: @escaping Completion
    ) -> Ticket {
        counted.queried += 1
        lastNumber += 1
        guard isWanted else {
            return answer(.failed("names are not looked up here: Resolver=none"), completion)
        }
        guard let (id, effects) = queries.query(name, for: uid, share: share, at: clock.monotonicNanoseconds) else {
            return answer(nil, completion)
        }
        let ticket = Ticket(query: id, number: lastNumber)
        callers[id, default: [:]][ticket.number] = completion
        perform(effects)
        return ticket
    }

    /// The asker does not want to know any more.
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

    // What the questions say is to be done

    private func perform(_ effects: [NameQueries.Effect]) {
        for effect in effects {
            switch effect {
            case .start(let id, let name): start(id, name)
            case .stop(let id):
                guard inquiries[id]?.stop() == true else { continue }
                inquiries[id] = nil
                gone.append((id, .failed("the resolver was stopped")))
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
            gone.append((id, .failed("the resolver is missing")))
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
            // Too many processes there are, or connections at the socket: that wait, or that were hung up on.
            guard ![EAGAIN, EPIPE, ECONNRESET].contains(error.code) else {
                noteUnread()
                gone.append((id, nil))
                return
            }
            notify("names cannot be looked up: \(error)")
            gone.append((id, .failed("the resolver cannot be started")))
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

    /// Nobody was asked: that is tried again and not worth a word, unless it goes on.
    private func noteUnread() {
        let now = clock.monotonicNanoseconds
        let since = unread.flatMap { now - $0.last < Self.unreadMemory ? $0.since : nil } ?? now
        unread = (since, now)
        guard now - since >= Self.unreadPatience, let path else { return }
        notify(
            "names cannot be looked up: \(path) takes no name, or too many programs use it ([Reachability] Resolver=)")
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
        let ids = gone
        gone = []
        for (id, answer) in ids { ended(id, answer) }
        perform(queries.timePassed(at: clock.monotonicNanoseconds))
    }

    private func armTimer() {
        if !prompt.isEmpty || !gone.isEmpty {
            timer?.arm(at: 0)
        } else if let deadline = queries.deadline {
            timer?.arm(at: deadline)
        } else {
            timer?.disarm()
        }
    }

    // The program

    /// Where the program is; nil where it is nowhere, which is told once.
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

    /// Tells once what is wrong.
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

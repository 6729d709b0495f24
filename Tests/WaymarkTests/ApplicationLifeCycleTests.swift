import Location
import TestSupport
import Testing

@testable import Waymark

@Suite struct ApplicationLifeCycleTests {
    @Test func `a service that is launched is in the background, and says so to nobody`() {
        var service = ApplicationLifeCycle(activity: .active, isPresent: false)
        #expect(service.state == .background && service.begin() == [])
        #expect(service.handle(.declared(.active)) == [])
        #expect(service.handle(.terminate) == [.willTerminate, .saveState])
    }

    @Test func `a program in front is inactive until its launch is over`() {
        var program = ApplicationLifeCycle(activity: .active, isPresent: true)
        #expect(program.state == .inactive)
        #expect(program.begin() == [.didBecomeActive])
        #expect(program.state == .active)
    }

    @Test func `leaving and coming back go through inactive, and the state is saved in the background`() {
        var program = ApplicationLifeCycle(activity: .active, isPresent: true)
        _ = program.begin()
        #expect(program.handle(.declared(.inactive)) == [.willResignActive])
        #expect(program.handle(.declared(.background)) == [.didEnterBackground, .saveState])
        #expect(program.handle(.declared(.active)) == [.willEnterForeground, .didBecomeActive])
        #expect(program.handle(.present(false)) == [.willResignActive, .didEnterBackground, .saveState])
        #expect(program.handle(.declared(.inactive)) == [])
        #expect(program.handle(.present(true)) == [.willEnterForeground])
    }

    @Test func `the end of a program in front saves its state once, last`() {
        var program = ApplicationLifeCycle(activity: .active, isPresent: true)
        _ = program.begin()
        #expect(
            program.handle(.terminate) == [.willResignActive, .didEnterBackground, .willTerminate, .saveState])
        #expect(program.isOver && program.handle(.declared(.active)) == [] && program.handle(.terminate) == [])
    }

    @Test(arguments: [Activity.active, .inactive, .background, .suspended])
    func `a freeze changes no state, and its end is reported`(activity: Activity) {
        var program = ApplicationLifeCycle(activity: activity, isPresent: true)
        _ = program.begin()
        let state = program.state
        #expect(program.handle(.thawed) == [.didResume])
        #expect(program.state == state)
    }

    private static let soon = ProtectedData.becomingUnavailable(at: .now)

    @Test(
        arguments: [
            ([.available, .unavailable], [[], [.protectedDataWillBecomeUnavailable]]),
            ([.available, soon, .unavailable], [[], [.protectedDataWillBecomeUnavailable], []]),
            (
                [.available, soon, .available],
                [[], [.protectedDataWillBecomeUnavailable], [.protectedDataDidBecomeAvailable]]
            ),
            ([.unavailable, .available], [[], [.protectedDataDidBecomeAvailable]]),
            // The state between was not read in time.
            ([.unavailable, soon, .unavailable], [[], [], []]),
            ([.available, .available], [[], []]),
            // The change was announced before the launch.
            ([soon, .unavailable], [[.protectedDataWillBecomeUnavailable], []]),
        ] as [([ProtectedData], [[ApplicationLifeCycle.Callback]])])
    func `callbacks about protected data follow changes, and alternate`(
        _ states: [ProtectedData], callbacks: [[ApplicationLifeCycle.Callback]]
    ) {
        var service = ApplicationLifeCycle(activity: .background, isPresent: false)
        _ = service.begin()
        #expect(states.map { service.handle(.protectedData($0)) } == callbacks)
        #expect(service.state == .background)
    }

    @Test func `whatever happens in whatever order, each callback follows from the one before`() {
        var random = SeededGenerator()
        for _ in 0..<500 {
            var program = ApplicationLifeCycle(activity: .active, isPresent: Bool.random(using: &random))
            var state = program.state
            var lastAboutData: ApplicationLifeCycle.Callback?
            var callbacks = program.begin()
            for _ in 0..<20 {
                let input: ApplicationLifeCycle.Input =
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0, 1: .present(Bool.random(using: &random))
                    case 2: .thawed
                    case 7:
                        .protectedData([.available, Self.soon, .unavailable][Int.random(in: 0..<3, using: &random)])
                    case 3 where Bool.random(using: &random): .terminate
                    default: .declared([.active, .inactive, .background][Int.random(in: 0..<3, using: &random)])
                    }
                callbacks += program.handle(input)
            }
            for callback in callbacks {
                switch callback {
                case .willEnterForeground:
                    #expect(state == .background)
                    state = .inactive
                case .didBecomeActive:
                    #expect(state == .inactive)
                    state = .active
                case .willResignActive:
                    #expect(state == .active)
                    state = .inactive
                case .didEnterBackground:
                    #expect(state == .inactive)
                    state = .background
                case .saveState, .willTerminate: #expect(state == .background)
                case .didResume: break
                case .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable:
                    #expect(callback != lastAboutData)
                    lastAboutData = callback
                }
            }
            #expect(state == program.state)
        }
    }
}

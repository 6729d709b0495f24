import Platform

/// Where an app stores its state.
enum StateLocation {
    /// The folder of the app, by its environment: the first one of `STATE_DIRECTORY`, which systemd sets for a service
    /// with `StateDirectory=`, otherwise the app's in the XDG Base Directory for state. Nil if the environment names none.
    static func folder(of app: String, environment: (String) -> String?) -> (path: String, isMade: Bool)? {
        let ofService = environment("STATE_DIRECTORY")?.split(separator: ":").first.map(String.init)
        if let ofService, ofService.hasPrefix("/") { return (ofService, false) }
        // A relative path is invalid and is to be ignored, XDG Base Directory Specification 0.8.
        if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return ("\(state)/\(app)", true) }
        if let home = environment("HOME"), home.hasPrefix("/") { return ("\(home)/.local/state/\(app)", true) }
        return nil
    }

    /// Whether a name of an app or a store is one of a file: letters, digits, dots, hyphens and underscores, but no dot at
    /// its beginning.
    static func isName(_ name: String) -> Bool { PlainFileName.isValid(name, longest: 100) }
}

extension Language {
    static func german(_ phrase: Phrase) -> String {
        switch phrase {
        case .wantsLocation: "{app} möchte Ihren Standort verwenden"
        case .wantsAlways: "{app} möchte Ihren Standort auch dann verwenden, wenn Sie die App nicht benutzen"
        case .confirmsAlways: "{app} ist dabei, Ihren Standort im Hintergrund zu verwenden"
        case .wantsFullAccuracy: "{app} möchte dieses Mal Ihren genauen Standort verwenden"
        case .appSays: "Die App sagt dazu: {text}"
        case .provedBySocket: "Das ist sicher {id}: Es hat eine Verbindung, die kein anderes Programm benutzen kann."
        case .provedByUnit: "Das ist sicher {id}: Das System führt es als Dienst aus."
        case .provedByUser:
            "Das ist {id}, soweit erkennbar: Ein anderes Ihrer Programme könnte sich dafür ausgeben."
        case .provedByProgram: "Das ist {id}, allein nach seiner Programmdatei: der schwächste Nachweis."
        case .notProved:
            "Das ist {id}. Es hat vor einem Neustart gefragt: Wer es ist, lässt sich jetzt nicht prüfen."
        case .allowOnce: "Einmal erlauben"
        case .allowWhileUsing: "Beim Verwenden der App erlauben"
        case .deny: "Nicht erlauben"
        case .keepWhileUsing: "Nur beim Verwenden beibehalten"
        case .changeToAlways: "In „Immer“ ändern"
        case .allow: "Erlauben"
        case .preciseOn: "Genauer Standort: ein"
        case .preciseOff: "Genauer Standort: aus"
        case .allowPrecise: "Genau erlauben …"
        case .allowApproximate: "Ungefähr erlauben …"
        case .yourAnswer: "Ihre Antwort, 1 bis {count}:"
        case .switchHint: "p ändert das"
        case .later: "Später entscheiden"
        case .notAnAnswer: "Das ist keine der Antworten."
        case .answered: "Ihre Antwort: {choice}."
        case .dismissed: "Nichts wurde entschieden. Die App darf wieder fragen."
        case .withdrawn: "Diese Frage wurde anderswo beantwortet oder wird nicht mehr gestellt."
        case .waitingBehind: "Weitere Fragen nach dieser: {count}"
        case .listening: "Warte auf Fragen. Strg-C beendet dies."
        case .leftOpen: "Offen gebliebene Fragen: {count}. `waymark requests` zeigt sie."
        case .notStored:
            "Die Antwort konnte nicht gespeichert werden, es ist also nichts erlaubt. Bitte antworten Sie noch einmal."
        case .holding: "{app} verwendet Ihren Standort im Hintergrund"
        case .holdingEnded: "Keine App verwendet mehr Ihren Standort im Hintergrund"
        }
    }
}

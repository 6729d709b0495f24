extension Language {
    static func french(_ phrase: Phrase) -> String {
        switch phrase {
        case .wantsLocation: "{app} souhaite utiliser votre position"
        case .wantsAlways: "{app} souhaite utiliser votre position même quand vous ne vous en servez pas"
        case .confirmsAlways: "{app} s’apprête à utiliser votre position en arrière-plan"
        case .wantsFullAccuracy: "{app} souhaite utiliser cette fois votre position exacte"
        case .wantsTracking:
            "{app} souhaite suivre vos activités dans les applications et sur les sites web d’autres entreprises"
        case .shortTitle: "{app} : position ?"
        case .shortTrackingTitle: "{app} : suivi ?"
        case .scopeInUse: "Votre position, pendant que vous utilisez l’application."
        case .scopeAlways: "Même quand vous n’utilisez pas l’application : votre position."
        case .scopeBackground: "En arrière-plan : l’application s’apprête à utiliser votre position."
        case .scopeFullAccuracy: "Position exacte, cette fois seulement."
        case .scopeTracking: "Suivi de vos activités dans les applications et sur les sites web d’autres entreprises."
        case .answerElsewhere: "Pour répondre, exécutez `{command}` dans un terminal."
        case .appSays: "L’application explique : {text}"
        case .provedBySocket:
            "C’est bien {id} : l’application a une connexion qu’aucun autre programme ne peut utiliser."
        case .provedByUnit: "C’est bien {id} : le système l’exécute comme service."
        case .provedByUser:
            "C’est {id}, autant qu’on puisse le savoir : un autre de vos programmes pourrait se faire passer pour elle."
        case .provedByProgram: "C’est {id} d’après son seul fichier de programme, la preuve la plus faible."
        case .notProved:
            "C’est {id}, qui a demandé avant un redémarrage : son identité ne peut pas être vérifiée maintenant."
        case .allowOnce: "Autoriser une fois"
        case .allowWhileUsing: "Autoriser lorsque l’app est active"
        case .deny: "Ne pas autoriser"
        case .keepWhileUsing: "Garder seulement lorsque l’app est active"
        case .changeToAlways: "Passer à « Toujours »"
        case .allow: "Autoriser"
        case .preciseOn: "Position exacte : oui"
        case .preciseOff: "Position exacte : non"
        case .allowPrecise: "Position exacte…"
        case .allowApproximate: "Position approximative…"
        case .yourAnswer: "Votre réponse, de 1 à {count} :"
        case .switchHint: "p pour changer"
        case .later: "Décider plus tard"
        case .notAnAnswer: "Ce n’est aucune des réponses."
        case .answered: "Votre réponse : {choice}."
        case .dismissed: "Rien n’a été décidé. L’application peut demander à nouveau."
        case .withdrawn: "Cette question a reçu une réponse ailleurs ou n’est plus posée."
        case .waitingBehind: "Questions en attente après celle-ci : {count}"
        case .listening: "En attente de questions. Ctrl-C pour terminer."
        case .leftOpen: "Questions restées ouvertes : {count}. `waymark requests` les affiche."
        case .answerInterrupted:
            "On ne sait pas si votre réponse a été enregistrée. `waymark apps` affiche ce qui est autorisé."
        case .notStored:
            "La réponse n’a pas pu être enregistrée : rien n’est donc autorisé. Veuillez répondre à nouveau."
        case .holding: "{app} utilise votre position en arrière-plan"
        case .holdingTitle: "Position utilisée"
        case .holdingLine: "En arrière-plan : {app}"
        case .holdingEnded: "Plus aucune application n’utilise votre position en arrière-plan"
        case .alertChanged: "Il y a du nouveau."
        case .alertMore: "et {count} de plus"
        }
    }
}

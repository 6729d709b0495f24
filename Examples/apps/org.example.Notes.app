# /usr/share/waymark/apps/org.example.Notes.app
[App]
Name=Notes
UserUnit=org.example.notes.service
Containers=org.example.notes

[Alerts]
NewNote=New note: %@
NewNote[de]=Neue Notiz: %@
Shared=%2$@ was changed by %1$@

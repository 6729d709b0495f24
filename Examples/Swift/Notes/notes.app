# ~/.config/waymark/apps/notes.app
[App]
Name=Notes
Exec=/usr/local/bin/notes
Containers=org.example.notes

# /etc/waymark/apps/notes.app
[App]
Name=Notes
Unit=notes.service
Containers=org.example.notes

[Wake]
Unit=notes.service
For=push

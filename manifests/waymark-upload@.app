# Every instance of waymark-upload@.service is an app of its own: waymark-upload@home is authorized with
# `waymark authorize waymark-upload@home always`, even before the service has ever run.
[App]
Name=Waymark Upload
Name[de]=Waymark-Upload
Name[es]=Envío de Waymark
Name[fr]=Envoi Waymark
Name[ja]=Waymark アップロード
Name[ko]=Waymark 업로드
Unit=waymark-upload@.service
# No AlwaysInUse=: it sends positions unattended, so it needs the authorization "always".
Record=yes
WhenInUseUsageDescription=Records the route of this machine and sends it to the server that its administrator has set up.
WhenInUseUsageDescription[de]=Zeichnet den Weg dieses Rechners auf und schickt ihn an den Server, den die Verwaltung eingerichtet hat.
WhenInUseUsageDescription[es]=Registra el recorrido de este equipo y lo envía al servidor que ha configurado quien lo administra.
WhenInUseUsageDescription[fr]=Enregistre le trajet de cette machine et l’envoie au serveur choisi par la personne qui l’administre.
WhenInUseUsageDescription[ja]=このコンピュータの移動の記録を残し、管理者が設定したサーバーに送信します。
WhenInUseUsageDescription[ko]=이 컴퓨터의 이동 경로를 기록하여 관리자가 설정한 서버로 보냅니다.
AlwaysAndWhenInUseUsageDescription=Records the route of this machine at all times, also while it cannot reach the server, and sends it there as soon as it can.
AlwaysAndWhenInUseUsageDescription[de]=Zeichnet den Weg dieses Rechners jederzeit auf, auch wenn der Server nicht erreichbar ist, und schickt ihn dorthin, sobald es geht.
AlwaysAndWhenInUseUsageDescription[es]=Registra en todo momento el recorrido de este equipo, también cuando no puede conectar con el servidor, y lo envía en cuanto es posible.
AlwaysAndWhenInUseUsageDescription[fr]=Enregistre en permanence le trajet de cette machine, même lorsque le serveur est injoignable, et l’envoie dès que possible.
AlwaysAndWhenInUseUsageDescription[ja]=サーバーに接続できないときも含めて、このコンピュータの移動を常に記録し、接続でき次第送信します。
AlwaysAndWhenInUseUsageDescription[ko]=서버에 연결할 수 없을 때에도 이 컴퓨터의 이동 경로를 항상 기록하고, 연결되는 대로 보냅니다.

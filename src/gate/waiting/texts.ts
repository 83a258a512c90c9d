/** What the waiting page says, in the visitor's language. */
export interface WaitingTexts {
  readonly title: string
  readonly text: string
  readonly place: string
  readonly wait: string
  readonly updated: string
  /** Before the first refresh the place is not known. */
  readonly soon: string
  /** Before an event opens. */
  readonly opens: string
  /** A form was sent. */
  readonly form: string
  /** Above the challenge. */
  readonly challenge: string
}

export const WAITING_TEXTS = {
  en: {
    title: 'You are in the queue',
    text: 'Many people are here at the moment. This page lets you in by itself when it is your turn. You keep your place if you close it for a short time.',
    place: 'Your place in the queue',
    wait: 'Estimated wait',
    updated: 'Last update',
    soon: 'Your place is being assigned',
    opens: 'Opens at',
    form: 'What you sent was not processed. Please send it again when it is your turn.',
    challenge: 'To get a place, please show that you are not a robot. This needs JavaScript.',
  },
  de: {
    title: 'Sie sind in der Warteschlange',
    text: 'Im Moment sind sehr viele Menschen hier. Diese Seite lässt Sie von selbst ein, sobald Sie an der Reihe sind. Ihr Platz bleibt erhalten, wenn Sie sie kurz schließen.',
    place: 'Ihr Platz in der Warteschlange',
    wait: 'Voraussichtliche Wartezeit',
    updated: 'Zuletzt aktualisiert',
    soon: 'Ihr Platz wird gerade vergeben',
    opens: 'Beginn',
    form: 'Ihre Eingabe wurde nicht verarbeitet. Bitte senden Sie sie noch einmal, wenn Sie an der Reihe sind.',
    challenge:
      'Bitte zeigen Sie, dass Sie kein Roboter sind, um einen Platz zu bekommen. Dafür wird JavaScript benötigt.',
  },
  fr: {
    title: 'Vous êtes dans la file d’attente',
    text: 'Il y a beaucoup de monde en ce moment. Cette page vous laissera entrer automatiquement quand ce sera votre tour. Vous gardez votre place si vous la fermez un court instant.',
    place: 'Votre place dans la file',
    wait: 'Attente estimée',
    updated: 'Dernière mise à jour',
    soon: 'Votre place est en cours d’attribution',
    opens: 'Ouverture',
    form: 'Votre envoi n’a pas été traité. Veuillez le renvoyer quand ce sera votre tour.',
    challenge:
      'Pour obtenir une place, montrez que vous n’êtes pas un robot. JavaScript est nécessaire.',
  },
  es: {
    title: 'Está en la cola',
    text: 'Hay mucha gente en este momento. Esta página le dejará entrar automáticamente cuando sea su turno. Conserva su puesto si la cierra un momento.',
    place: 'Su puesto en la cola',
    wait: 'Espera estimada',
    updated: 'Última actualización',
    soon: 'Se está asignando su puesto',
    opens: 'Apertura',
    form: 'Lo que envió no se ha procesado. Vuelva a enviarlo cuando sea su turno.',
    challenge: 'Para obtener un lugar, demuestre que no es un robot. Se necesita JavaScript.',
  },
  pt: {
    title: 'Você está na fila',
    text: 'Há muitas pessoas aqui neste momento. Esta página deixa você entrar automaticamente quando chegar a sua vez. Você mantém o lugar se a fechar por pouco tempo.',
    place: 'Seu lugar na fila',
    wait: 'Espera estimada',
    updated: 'Última atualização',
    soon: 'Seu lugar está sendo atribuído',
    opens: 'Abertura',
    form: 'O que você enviou não foi processado. Envie novamente quando chegar a sua vez.',
    challenge: 'Para obter um lugar, mostre que você não é um robô. É necessário JavaScript.',
  },
  it: {
    title: 'Sei in coda',
    text: 'In questo momento ci sono molte persone. Questa pagina ti farà entrare da sola quando sarà il tuo turno. Mantieni il posto se la chiudi per poco tempo.',
    place: 'Il tuo posto in coda',
    wait: 'Attesa stimata',
    updated: 'Ultimo aggiornamento',
    soon: 'Il tuo posto viene assegnato',
    opens: 'Apertura',
    form: 'I dati inviati non sono stati elaborati. Inviali di nuovo quando sarà il tuo turno.',
    challenge: 'Per ottenere un posto, dimostra di non essere un robot. È necessario JavaScript.',
  },
  nl: {
    title: 'U staat in de wachtrij',
    text: 'Er zijn op dit moment veel mensen. Deze pagina laat u vanzelf binnen als u aan de beurt bent. U houdt uw plaats als u haar even sluit.',
    place: 'Uw plaats in de wachtrij',
    wait: 'Geschatte wachttijd',
    updated: 'Laatst bijgewerkt',
    soon: 'Uw plaats wordt toegewezen',
    opens: 'Opening',
    form: 'Wat u verstuurde is niet verwerkt. Verstuur het opnieuw als u aan de beurt bent.',
    challenge:
      'Toon aan dat u geen robot bent om een plaats te krijgen. Hiervoor is JavaScript nodig.',
  },
  pl: {
    title: 'Jesteś w kolejce',
    text: 'W tej chwili jest tu bardzo dużo osób. Ta strona wpuści Cię sama, gdy nadejdzie Twoja kolej. Zachowasz miejsce, jeśli zamkniesz ją na krótko.',
    place: 'Twoje miejsce w kolejce',
    wait: 'Szacowany czas oczekiwania',
    updated: 'Ostatnia aktualizacja',
    soon: 'Trwa przydzielanie miejsca',
    opens: 'Otwarcie',
    form: 'Wysłane dane nie zostały przetworzone. Wyślij je ponownie, gdy nadejdzie Twoja kolej.',
    challenge: 'Aby otrzymać miejsce, potwierdź, że nie jesteś robotem. Wymagany jest JavaScript.',
  },
  tr: {
    title: 'Sıradasınız',
    text: 'Şu anda burada çok fazla kişi var. Sıranız geldiğinde bu sayfa sizi kendiliğinden içeri alır. Sayfayı kısa süre kapatırsanız yeriniz korunur.',
    place: 'Sıradaki yeriniz',
    wait: 'Tahmini bekleme süresi',
    updated: 'Son güncelleme',
    soon: 'Yeriniz belirleniyor',
    opens: 'Açılış',
    form: 'Gönderdiğiniz bilgiler işlenmedi. Sıranız geldiğinde lütfen yeniden gönderin.',
    challenge: 'Sıra almak için robot olmadığınızı gösterin. Bunun için JavaScript gereklidir.',
  },
  ja: {
    title: '順番をお待ちください',
    text: '現在、大変混み合っています。順番が来ると、このページは自動的に切り替わります。短い時間ページを閉じても、順番は保たれます。',
    place: '現在の順番',
    wait: '待ち時間の目安',
    updated: '最終更新',
    soon: '順番を確認しています',
    opens: '開始時刻',
    form: '送信された内容は処理されていません。順番が来たら、もう一度送信してください。',
    challenge:
      '順番を取得するには、ロボットではないことを確認してください。JavaScript が必要です。',
  },
  ko: {
    title: '대기열에 있습니다',
    text: '현재 접속자가 많습니다. 순서가 되면 이 페이지가 자동으로 열립니다. 잠시 닫아도 순서는 유지됩니다.',
    place: '대기 순서',
    wait: '예상 대기 시간',
    updated: '마지막 업데이트',
    soon: '대기 순서를 확인하고 있습니다',
    opens: '시작 시각',
    form: '보내신 내용은 처리되지 않았습니다. 순서가 되면 다시 보내 주세요.',
    challenge: '순서를 받으려면 로봇이 아님을 확인해 주세요. JavaScript가 필요합니다.',
  },
  zh: {
    title: '您正在排队',
    text: '目前访问人数较多。轮到您时,本页面会自动进入。短时间关闭页面,您的位置会保留。',
    place: '您在队列中的位置',
    wait: '预计等待时间',
    updated: '最后更新',
    soon: '正在分配您的位置',
    opens: '开始时间',
    form: '您提交的内容尚未处理。轮到您时请重新提交。',
    challenge: '要获得排队位置，请证明您不是机器人。这需要 JavaScript。',
  },
  ar: {
    title: 'أنت في قائمة الانتظار',
    text: 'يوجد عدد كبير من الزوار الآن. ستدخلك هذه الصفحة تلقائيًا عندما يحين دورك. ستحتفظ بمكانك إذا أغلقتها لفترة قصيرة.',
    place: 'مكانك في القائمة',
    wait: 'وقت الانتظار المتوقع',
    updated: 'آخر تحديث',
    soon: 'يجري تحديد مكانك',
    opens: 'موعد الافتتاح',
    form: 'لم تتم معالجة ما أرسلته. يرجى إرساله مرة أخرى عندما يحين دورك.',
    challenge: 'للحصول على مكان، يرجى إثبات أنك لست روبوتًا. يتطلب ذلك تشغيل JavaScript.',
  },
} as const satisfies Readonly<Record<string, WaitingTexts>>

export type WaitingLanguage = keyof typeof WAITING_TEXTS

export const WAITING_LANGUAGES: ReadonlySet<string> = new Set(Object.keys(WAITING_TEXTS))

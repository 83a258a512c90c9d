import type { WaitRange } from '../../admission/queue/wait-range.ts'
import type { Waiting } from '../../admission/queue/waiting.ts'
import type { TurnstileRules } from '../../config/config.ts'
import { escaped } from './page.ts'
import { WAITING_TEXTS, type WaitingLanguage, type WaitingTexts } from './texts.ts'

/** Numbers and durations in the languages of the waiting page. Making a formatter costs far more than using one. */
const formatters = new Map<string, Intl.NumberFormat>()

function formatter(language: string, unit: 'second' | 'minute' | null): Intl.NumberFormat {
  const key = `${language} ${unit}`
  let known = formatters.get(key)
  if (known === undefined) {
    const options = unit === null ? {} : ({ style: 'unit', unit, unitDisplay: 'long' } as const)
    known = new Intl.NumberFormat(language, { ...options, maximumFractionDigits: 0 })
    formatters.set(key, known)
  }
  return known
}

/** `2–3 minutes`, in the language. */
export function rangeText({ fromS, toS }: WaitRange, language: string): string {
  const unit = toS <= 120 ? 'second' : 'minute'
  const step = unit === 'second' ? 1 : 60
  const [from, to] = [Math.floor(fromS / step), Math.ceil(toS / step)]
  const format = formatter(language, unit)
  return from === to ? format.format(to) : format.formatRange(from, to)
}

export interface PageContext {
  readonly language: WaitingLanguage
  /** The route's own texts. */
  readonly texts: Partial<WaitingTexts>
  readonly isForm: boolean
  /** May the page ask whether its turn has come, without going to the origin? */
  readonly canPoll: boolean
  /** An event opens at this time; null: none. */
  readonly opensMs: number | null
  readonly nowMs: number
  /** The challenge of the route; null: none. */
  readonly turnstile: TurnstileRules | null
}

/** The values of the placeholders. */
export function pageValues(
  { place, range, refreshMs, ticket }: Waiting,
  { language, texts: own, isForm, canPoll, opensMs, nowMs, turnstile }: PageContext,
): Readonly<Record<string, string>> {
  const texts: WaitingTexts = { ...WAITING_TEXTS[language], ...own }
  const refreshS = Math.max(1, Math.ceil(refreshMs / 1000))
  const waitedS = ticket.placedMs === 0 ? 0 : (nowMs - ticket.placedMs) / 1000
  const leftS = (range.fromS + range.toS) / 2
  const now = new Date(nowMs).toISOString()
  const opens =
    opensMs === null || opensMs <= nowMs
      ? ''
      : `<p>${escaped(texts.opens)}: <time datetime="${new Date(opensMs).toISOString()}">${timeText(opensMs, language)}</time></p>`
  return {
    language,
    direction: language === 'ar' ? 'rtl' : 'ltr',
    title: escaped(texts.title),
    text: escaped(texts.text),
    notice: isForm ? `<p><strong>${escaped(texts.form)}</strong></p>` : opens,
    challenge:
      turnstile === null || ticket.placedMs > 0 || isForm
        ? ''
        : challengeHtml(turnstile, texts.challenge, language),
    placeLabel: escaped(texts.place),
    place: place === null ? escaped(texts.soon) : formatter(language, null).format(place),
    waitLabel: escaped(texts.wait),
    wait: escaped(rangeText(range, language)),
    progress: String(Math.round((100 * waitedS) / Math.max(1, waitedS + leftS))),
    updatedLabel: escaped(texts.updated),
    updated: `${now.slice(11, 19)} UTC`,
    updatedIso: now,
    refresh: String(refreshS),
    refreshMs: isForm ? '' : String(refreshMs),
    poll: canPoll ? '1' : '0',
    noscript: isForm
      ? ''
      : `<noscript><meta http-equiv="refresh" content="${refreshS}"></noscript>`,
  }
}

const timeText = (ms: number, language: string): string =>
  escaped(
    `${new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(ms)} UTC`,
  )

/** Only this part of the page loads a file of another site, and only until the visitor has a place. */
function challengeHtml({ siteKey, url }: TurnstileRules, text: string, language: string): string {
  return `<div id="challenge"><p>${escaped(text)}</p>
<div class="cf-turnstile" data-sitekey="${escaped(siteKey)}" data-callback="tidegateChallenge" data-language="${language}"></div>
<script src="${escaped(url)}/api.js" async defer></script></div>`
}

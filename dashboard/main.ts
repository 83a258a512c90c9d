import { ApiError, api, type Me, type ShownStatus } from './api.ts'
import { el, fill, renew, setText } from './dom.ts'
import { RouteView } from './route-view.ts'
import { signInForm, signInFromLink } from './sign-in.ts'

const LIST_MS = 5000
const ORDER = { trouble: 0, surge: 1, calm: 2, idle: 3, off: 4 } as const
const MARKS = { trouble: '!', surge: '▲', calm: '✓', idle: '○', off: '–' } as const

const app = document.querySelector('#app')!

/** The list of routes on the left, and the view of one of them. */
class Dashboard {
  readonly #me: Me
  readonly #place = el('div', { class: 'place' })
  readonly #list = el('ul', { class: 'routes' })
  readonly #filter = el('input', {
    type: 'search',
    placeholder: 'Find a route',
    'aria-label': 'Find a route',
  })
  #routes: readonly ShownStatus[] = []
  #view: RouteView | null = null
  #shown: string | null = null
  readonly #timer: number

  constructor(me: Me) {
    this.#me = me
    this.#filter.addEventListener('input', () => this.#showList())
    fill(
      app,
      this.#header(),
      el(
        'div',
        { class: 'columns' },
        el('nav', { 'aria-label': 'Routes' }, this.#filter, this.#list),
        this.#place,
      ),
    )
    this.#timer = window.setInterval(() => void this.#readList(), LIST_MS)
    window.addEventListener('hashchange', () => this.#choose())
    void this.#readList()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#view?.close()
  }

  #header(): HTMLElement {
    const theme = el(
      'button',
      { type: 'button', onclick: () => this.#toggleTheme() },
      'Light or dark',
    )
    const out = el(
      'button',
      { type: 'button', onclick: () => void api.signOut().then(start) },
      'Sign out',
    )
    return el(
      'header',
      {},
      el('h1', {}, 'Tidegate'),
      el('span', { class: 'connection', role: 'status' }),
      el('span', { class: 'muted who' }, whoIs(this.#me)),
      theme,
      this.#me.via === 'cookie' && out,
    )
  }

  #toggleTheme(): void {
    const root = document.documentElement
    const isDark = getComputedStyle(root).getPropertyValue('--theme').trim() === 'dark'
    root.dataset.theme = isDark ? 'light' : 'dark'
    this.#view?.redraw()
  }

  async #readList(): Promise<void> {
    try {
      this.#routes = await api.routes()
      this.#showList()
      this.#choose()
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) start()
    }
  }

  #showList(): void {
    const wanted = this.#filter.value.trim().toLowerCase()
    const shown = this.#routes
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .toSorted((a, b) => ORDER[a.summary.level] - ORDER[b.summary.level])
    this.#filter.hidden = this.#routes.length < 8
    renew(
      this.#list,
      ...(shown.length === 0 ? [el('li', { class: 'muted' }, 'No route has this name.')] : []),
      ...shown.map(({ name, summary }) =>
        el(
          'li',
          {},
          el(
            'a',
            {
              href: `#route=${encodeURIComponent(name)}`,
              'aria-current': name === this.#shown ? 'page' : null,
            },
            el(
              'span',
              { class: `level ${summary.level}`, title: summary.level },
              MARKS[summary.level],
            ),
            ` ${name}`,
          ),
        ),
      ),
    )
  }

  /** The route in the address, or the one that needs the most attention. */
  #choose(): void {
    const asked = new URLSearchParams(location.hash.slice(1)).get('route')
    const status =
      this.#routes.find(({ name }) => name === asked) ??
      this.#routes.find(({ name }) => name === this.#shown) ??
      this.#routes.toSorted((a, b) => ORDER[a.summary.level] - ORDER[b.summary.level])[0]
    if (status === undefined) {
      setText(this.#place, 'The configuration has no routes.')
      return
    }
    if (status.name === this.#shown) return
    this.#shown = status.name
    this.#view?.close()
    this.#view = new RouteView(status, this.#me, start)
    fill(this.#place, this.#view.element)
    this.#showList()
  }
}

/** Who signs in by a link gives no name: their actions are in the audit log as done on the page. */
function whoIs({ by, role }: Me): string {
  const name = by === 'page' ? 'Signed in' : `Signed in as ${by}`
  return role === 'read' ? `${name}, read only` : name
}

let dashboard: Dashboard | null = null

async function start(): Promise<void> {
  dashboard?.close()
  dashboard = null
  try {
    dashboard = new Dashboard(await api.me())
  } catch {
    fill(
      app,
      signInForm(() => void start()),
    )
  }
}

await signInFromLink()
await start()

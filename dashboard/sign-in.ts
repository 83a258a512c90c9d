import { ApiError, api } from './api.ts'
import { el, fill } from './dom.ts'

/** The form that asks for the token. It says nothing about what is behind it. */
export function signInForm(done: () => void): HTMLElement {
  const token = el('input', {
    type: 'password',
    name: 'token',
    autocomplete: 'current-password',
    required: true,
  })
  const name = el('input', { name: 'name', maxlength: 60, autocomplete: 'name' })
  const failure = el('p', { class: 'failure', role: 'alert' })
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    try {
      await api.signIn(token.value, name.value.trim())
      done()
    } catch (error) {
      const isWrong = error instanceof ApiError && error.status === 401
      fill(failure, isWrong ? 'This token is not valid.' : `Signing in failed: ${String(error)}`)
    }
  }
  return el(
    'main',
    { id: 'main', class: 'sign-in' },
    el(
      'form',
      { class: 'card', onsubmit: (event) => void submit(event) },
      el('h1', {}, 'Sign in'),
      el('label', {}, 'Token', token),
      el('label', {}, 'Your name, for the audit log (optional)', name),
      failure,
      el(
        'div',
        { class: 'buttons' },
        el('button', { type: 'submit', class: 'primary' }, 'Sign in'),
      ),
    ),
  )
}

/** A link may bring the token in its fragment, which is never sent to a server. It is removed from the address at once. */
export async function signInFromLink(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  history.replaceState(null, '', location.pathname)
  await api.signIn(token, '').catch(() => {})
}

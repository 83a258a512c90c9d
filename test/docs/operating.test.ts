import { readFileSync } from 'node:fs'
import { is } from 'valibot'
import { describe, it } from 'vitest'
import { API_PATH, OPERATIONS } from '../../src/admin/api/operations.ts'
import { ACTION_BODY } from '../../src/admin/api/requests.ts'

const PAGE = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')

describe('docs/operating.md', () => {
  it('has every operation of the API, and no other', ({ expect }) => {
    const listed = [...PAGE.matchAll(/^\| `((?:GET|POST|PUT|DELETE) \/[^`]*)`/gm)].map(
      ([, one]) => one,
    )
    const known = Object.values(OPERATIONS).map(
      ({ method, path }) => `${method} ${path.slice(API_PATH.length)}`,
    )
    expect(listed.toSorted()).toEqual(known.toSorted())
  })

  it('shows a body for every action, each of which the API takes', ({ expect }) => {
    const bodies = [...PAGE.matchAll(/^\| `(\{"action".*?\})`/gm)].map(([, json]) =>
      JSON.parse(json!),
    )
    for (const body of bodies) expect(is(ACTION_BODY, body), JSON.stringify(body)).toBe(true)
    const actions = ACTION_BODY.options.map((option) => option.entries.action.literal)
    expect(bodies.map(({ action }) => action).toSorted()).toEqual(actions.toSorted())
  })
})

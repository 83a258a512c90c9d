import fc from 'fast-check'
import { describe, it } from 'vitest'
import { ADMIT, REFUSE } from '../../src/protocol/verdict.ts'
import { classHash, isVerdictId, readVerdictId, verdictId } from '../../src/protocol/verdict-id.ts'

const ROUTES = [
  { name: 'shop', classes: [{ name: 'members' }, { name: 'default' }] },
  { name: 'api', classes: [{ name: 'default' }] },
]
const VERDICTS = [...Object.values(ADMIT), ...Object.values(REFUSE)]

describe('the id of a verdict', () => {
  it('holds the verdict: nothing has to be stored to find it again', ({ expect }) => {
    fc.assert(
      fc.property(
        fc.nat({ max: 4e12 }),
        fc.nat({ max: 1e9 }),
        fc.nat({ max: 1000 }),
        fc.constantFrom(...VERDICTS),
        (atMs, planSeq, permille, verdict) => {
          const hash = classHash('shop', 'default')
          const id = verdictId(atMs, hash, planSeq, permille / 1000, verdict)
          expect(isVerdictId(id)).toBe(true)
          expect(readVerdictId(id, ROUTES)).toEqual({
            ...{ atMs, route: 'shop', class: 'default', planSeq, permille },
            ...{ kind: verdict.kind, reason: verdict.reason },
          })
        },
      ),
    )
  })

  it('is refused if it has another form, or its class is unknown', ({ expect }) => {
    const unknown = verdictId(1, classHash('shop', 'gone'), 1, 1, ADMIT.share)
    for (const id of ['', 'x', 'a-b-c-d-e', '<script>', unknown])
      expect(readVerdictId(id, ROUTES)).toBeNull()
  })
})

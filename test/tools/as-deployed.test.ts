import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { COMPATIBILITY, OBJECTS } from '../../tools/as-deployed.ts'

const toml = readFileSync(new URL('../../wrangler.toml', import.meta.url), 'utf8')

describe('the Worker on this machine equals the deployed one', () => {
  it('in the compatibility date and flags of wrangler.toml', ({ expect }) => {
    const flags = COMPATIBILITY.compatibilityFlags.map((flag) => `"${flag}"`).join(', ')
    expect(toml).toContain(`compatibility_date = "${COMPATIBILITY.compatibilityDate}"\n`)
    expect(toml).toContain(`compatibility_flags = [${flags}]\n`)
  })

  it('in its Durable Objects', ({ expect }) => {
    const bindings = toml.matchAll(/name = "(\w+)"\nclass_name = "(\w+)"/g)
    expect(Object.fromEntries([...bindings].map(([, name, of]) => [name, of]))).toEqual(OBJECTS)
  })
})

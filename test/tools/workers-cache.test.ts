import { describe, it } from 'vitest'
import { cacheKeyIn, jsonFlags, tomlFlags } from '../../tools/workers-cache.ts'

const toml = (text: string): string | null => cacheKeyIn(tomlFlags(text))
const json = (text: string): string | null => cacheKeyIn(jsonFlags(text))

describe('Workers Cache before the gate', () => {
  it('is found in every way to write it', ({ expect }) => {
    for (const text of [
      'name = "a"\n[cache]\nenabled = true',
      '[ cache ] # before the Worker\nenabled=true # on',
      'cache = { enabled = true, cross_version_cache = false }',
      'cache.enabled = true',
      '"cache"."enabled" = true',
      '[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["A", "B"]\n\n[cache]\nenabled = true',
      'rules = [{ type = "Text", fallthrough = true },\n { type = "Data" }]\ncache = { enabled = true }',
      '[vars]\nTEXT = """\n[cache]\nenabled = false\n"""\n[cache]\nenabled = true',
    ])
      expect(toml(text), text).toBe('cache.enabled')
    expect(toml('[env.production.cache]\nenabled = true')).toBe('env.production.cache.enabled')
    expect(toml('[env.production]\ncache = { enabled = true }')).toBe(
      'env.production.cache.enabled',
    )
    expect(toml('exports = { default = { type = "worker", cache = { enabled = true } } }')).toBe(
      'exports.default.cache.enabled',
    )
    expect(json('{ "cache": { "enabled": true } }')).toBe('cache.enabled')
    expect(json('// a\n{ /* b */ "cache": { "enabled": true, }, }')).toBe('cache.enabled')
  })

  it('is not there where it is off, in a comment or a text, or for another entrypoint', ({
    expect,
  }) => {
    for (const text of [
      '',
      '[cache]\nenabled = false',
      '# [cache]\n# enabled = true',
      '[vars]\nCACHE = "cache.enabled = true"',
      '[vars]\nTEXT = """\n[cache]\nenabled = true\n"""',
      '[vars.cache]\nenabled = true',
      '[exports.Origin.cache]\nenabled = true',
      '[cache]\nenabled = true\n[exports.default.cache]\nenabled = false',
    ])
      expect(toml(text), text).toBeNull()
    expect(json('{ "vars": { "a": "// \\"cache\\": true" }, "cache": { "enabled": false } }')).toBe(
      null,
    )
  })
})

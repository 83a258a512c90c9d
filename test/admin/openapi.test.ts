import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, it } from 'vitest'
import { OPERATIONS } from '../../src/admin/api/operations.ts'
import { openApiDocument, openApiText } from '../../tools/openapi-document.ts'

const FILE = new URL('../../src/admin/api/openapi.json', import.meta.url)

describe('the document of the admin API', () => {
  it('is valid OpenAPI 3.1', async ({ expect }) => {
    const { valid, errors } = await new Validator().validate(openApiDocument())
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('is up to date: npm run openapi', ({ expect }) => {
    expect(readFileSync(FILE, 'utf8') === openApiText()).toBe(true)
  })

  it('has every operation, and errors as problem documents', ({ expect }) => {
    const { paths, components } = openApiDocument()
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((one) => (one as { operationId: string }).operationId),
    )
    expect(ids.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted())
    for (const { content } of Object.values(components.responses))
      expect(Object.keys(content)).toEqual(['application/problem+json'])
  })

  it('lets nothing change by GET', ({ expect }) => {
    for (const { method, role } of Object.values(OPERATIONS))
      if (method === 'GET') expect(role).toBe('read')
  })
})

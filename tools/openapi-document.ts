import { type JsonSchema, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import { ANSWERS, NAMED_SCHEMAS, PROBLEM } from '../src/admin/api/answers.ts'
import { OPERATIONS, type OperationId } from '../src/admin/api/operations.ts'

/** The document of the admin API: OpenAPI 3.1. */

const DEFINITIONS = { ...NAMED_SCHEMAS, Problem: PROBLEM }

/** A schema refers to the named ones where it uses them. */
const OPTIONS = {
  target: 'draft-2020-12',
  definitions: DEFINITIONS,
  overrideRef: ({ referenceId }: { referenceId: string }) => `#/components/schemas/${referenceId}`,
  // What `v.check` checks is in the description.
  ignoreActions: ['check', 'trim', 'finite', 'transform'] as string[],
} as const

const ERRORS = {
  400: 'The request has another form: `detail` names the key, what is allowed and what was found.',
  401: 'No valid token, or a wrong one. Every path answers so, whether it exists or not.',
  403: 'The token is read-only, or the request does not come from the page of Tidegate.',
  404: 'There is no such route.',
  409: 'Not now: `detail` says why, for example that the route has had no traffic yet.',
  413: 'The body is too long.',
  426: 'Expected a WebSocket.',
  501: 'Not where the coordinator runs in process: no WebSocket, capacity, servers or stock.',
} as const

export function openApiDocument() {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const id of Object.keys(OPERATIONS) as OperationId[]) {
    const { method, path } = OPERATIONS[id]
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: operationObject(id) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidegate admin API',
      version: '1.0.0',
      description:
        'See and steer the gate. Times are milliseconds since 1970, rates are per second. GET changes nothing.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A read-only or a read-write token.',
        },
        cookie: {
          ...{ type: 'apiKey', in: 'cookie', name: '__Secure-tidegate-admin' },
          description: 'From sign-in. Changes need the header Tidegate-Csrf.',
        },
      },
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([code, description]) => [
          code,
          {
            description,
            content: {
              'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
            },
          },
        ]),
      ),
      schemas: toJsonSchemaDefs(DEFINITIONS, OPTIONS),
    },
  }
}

/** On one line: the Worker contains it. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument())}\n`

function operationObject(id: OperationId) {
  const operation = OPERATIONS[id]
  const { path, summary, role, query } = operation
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  }))
  const body = 'body' in operation ? (operation.body as GenericSchema) : null
  return {
    operationId: id,
    summary,
    ...(role === null ? { security: [] } : { description: `Needs a token that may ${role}.` }),
    parameters: [...inPath, ...queryParameters(query), ...(role === null ? [CSRF] : [])],
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: json(schemaOf(body, 'input')) } }),
    responses: responses(id, body !== null, inPath.length > 0),
  }
}

const CSRF = {
  ...{ name: 'Tidegate-Csrf', in: 'header', required: true, schema: { type: 'string' } },
  description: 'Any value. Another site cannot send this header.',
}

function queryParameters(query: GenericSchema) {
  const { properties = {} } = schemaOf(query, 'input')
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }))
}

const CONFLICTS: readonly OperationId[] = [
  ...(['undo', 'act', 'setServers', 'setStock', 'drain'] as const),
  ...(['setRoomEvent', 'deleteRoomEvent'] as const),
]
/** A coordinator in process does not have these. */
const OF_OBJECTS: readonly OperationId[] = [
  ...(['capacity', 'setTier', 'importHistory', 'servers', 'setServers', 'drain'] as const),
  'setStock',
]

function responses(id: OperationId, hasBody: boolean, hasPath: boolean) {
  const { status, body } = ANSWERS[id]
  const answer: Record<string, unknown> = {
    [status]: {
      description: status === 101 ? 'The WebSocket is open.' : 'Done.',
      ...(body === null ? {} : { content: json(schemaOf(body, 'output')) }),
    },
  }
  const codes: (keyof typeof ERRORS)[] = [400, 401]
  if (OPERATIONS[id].method !== 'GET') codes.push(403)
  if (hasPath) codes.push(404)
  if (CONFLICTS.includes(id)) codes.push(409)
  if (hasBody) codes.push(413)
  if (id === 'live') codes.push(426)
  if (id === 'live' || OF_OBJECTS.includes(id)) codes.push(501)
  for (const code of codes) answer[code] = { $ref: `#/components/responses/${code}` }
  return answer
}

const json = (schema: JsonSchema) => ({ 'application/json': { schema } })

function schemaOf(schema: GenericSchema, typeMode: 'input' | 'output'): JsonSchema {
  const { $schema: _, $defs: __, ...rest } = toJsonSchema(schema, { ...OPTIONS, typeMode })
  return rest
}

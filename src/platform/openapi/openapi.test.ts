import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { reads, writes, anyone, project } from '#platform/access/route-access.ts'
import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import { entity, file, hash, integer, list, nullable, rules, text } from '#platform/http/schema.ts'
import { Type } from 'typebox'
import { w } from '#test/world.ts'
import { describeApi, type OpenApi } from './document.ts'
import { documentText, readDocument } from './served.ts'
import { withoutReferences } from './repeated.ts'

const routes = () =>
  w.running.app.declaredRoutes.filter(({ access, url }) => !access.outside && url.startsWith('/api/v4/'))

const operationsOf = ({ paths }: OpenApi) => Object.values(paths).flatMap((item) => Object.values(item))

const found = (part: unknown, [key, ...rest]: readonly string[]): boolean =>
  key === undefined ||
  (typeof part === 'object' && part !== null && key in part && found(Reflect.get(part, key), rest))

describe('GET /openapi.json', () => {
  test('serves the description of its routes to everybody, and 304 to whoever has it', async () => {
    const answer = await w.anonymous.get('/openapi.json')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.text === documentText(w.running.app)).toBe(true)
    const etag = answer.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"/)
    const again = await w.anonymous.get('/openapi.json', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect((await w.anonymous.head('/openapi.json')).status).toBe(200)
  })

  test('refuses a wrong token, as everything does', async () => {
    const answer = await w.anonymous.with({ 'private-token': 'wrong' }).get('/openapi.json')
    expect(answer.status).toBe(401)
  })
})

describe('the document', () => {
  test('is checked in: otherwise run `npm run openapi`', () => {
    const checkedIn = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
    expect(documentText(w.running.app) === checkedIn).toBe(true)
  })

  test('has a line for each operation, so that a difference names it', () => {
    const text = documentText(w.running.app)
    for (const [path, item] of Object.entries(readDocument(w.running.app).paths)) {
      const lines = Object.entries(item).map(([method, one]) => `   "${method}": ${JSON.stringify(one)}`)
      expect(text).toContain(`\n  "${path}": {\n${lines.join(',\n')}\n  }`)
    }
  })

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const result = await validator.validate(JSON.parse(documentText(w.running.app)))
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('has every route of the API, and nothing else', () => {
    const described = Object.entries(readDocument(w.running.app).paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const declared = routes().map(
      ({ method, url }) => `${method} ${url.slice('/api/v4'.length).replace(/:(\w+)/g, '{$1}')}`,
    )
    expect(described.toSorted()).toEqual(declared.toSorted())
  })

  test('says of each endpoint what it is, where it belongs and what it answers', () => {
    const document = readDocument(w.running.app)
    const tags = document.tags.map(({ name }) => name)
    for (const operation of operationsOf(document)) {
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
      expect(tags).toEqual(expect.arrayContaining([...operation.tags]))
      const statuses = Object.keys(operation.responses)
      // What was retired succeeds nowhere. Some answers are elsewhere alone.
      const succeeds = statuses.some((status) => status.startsWith('2') || status === '302')
      expect(succeeds).toBe(!operation.tags.includes('Retired'))
      expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429', '503']))
    }
    const ids = operationsOf(document).map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('refers to nothing that is not there', () => {
    const document: object = readDocument(w.running.app)
    const references = [...documentText(w.running.app).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    const missing = references.filter((path) => !found(document, path.split('/')))
    expect(missing).toEqual([])
  })

  test('names every placeholder of a path', () => {
    const { paths, components } = readDocument(w.running.app)
    for (const [path, item] of Object.entries(paths)) {
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      for (const operation of Object.values(item)) {
        const { parameters = [] } = withoutReferences(operation, components)
        expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(placeholders)
      }
    }
  })
})

describe('describing routes', () => {
  const route = (declared: Partial<DeclaredRoute> & Pick<DeclaredRoute, 'schema'>): DeclaredRoute => ({
    method: 'GET',
    url: '/api/v4/topics',
    access: reads(anyone).access,
    ...declared,
  })
  const one = (declared: Parameters<typeof route>[0]) => {
    const document = describeApi([route(declared)], '1.2.3')
    const [operation] = operationsOf(document)
    if (operation === undefined) throw new Error('nothing described')
    return { document, operation: withoutReferences(operation, document.components) }
  }
  const response = { 200: Type.Object({}) }

  test('lists are name[], hashes deep objects, lists of hashes JSON', () => {
    const querystring = Type.Object({
      ids: list(integer(), { comma: true, description: 'Some ids.' }),
      with: Type.Optional(hash(text())),
      levels: Type.Optional(list(Type.Object({ access_level: integer() }))),
      page: Type.Integer({ default: 1 }),
    })
    const { parameters } = one({ schema: { summary: 'List', querystring, response } }).operation
    expect(parameters).toMatchObject([
      {
        name: 'ids[]',
        required: true,
        style: 'form',
        explode: true,
        description: 'Some ids. Also taken as one text with commas between.',
      },
      { name: 'with', style: 'deepObject', schema: { additionalProperties: { type: 'string' } } },
      { name: 'levels', content: { 'application/json': { schema: { type: 'array' } } } },
      { name: 'page', schema: { default: 1 } },
    ])
    expect(parameters?.[3]).not.toHaveProperty('required')
  })

  test('a body is JSON and a form; with a file also multipart', () => {
    const body = Type.Object(
      { name: text(), tags: Type.Optional(list(text())), avatar: Type.Optional(file({ max: 1024 })) },
      rules({ allOrNoneOf: ['name', 'tags'] }),
    )
    const { requestBody } = one({ method: 'POST', schema: { summary: 'Create', body, response } }).operation
    expect(requestBody).toMatchObject({
      required: true,
      description: 'Either all of `name`, `tags` or none.',
    })
    const keys = (type: string) => Object.keys(requestBody?.content[type]?.schema.properties ?? {})
    expect(keys('multipart/form-data')).toEqual(['name', 'tags[]', 'avatar'])
    expect(keys('application/json')).toEqual(['name', 'tags'])
    expect(keys('application/x-www-form-urlencoded')).toEqual(['name', 'tags[]'])
  })

  test('entities are components, also where they may be null', () => {
    const Thing = entity('Thing', { id: integer(), name: nullable(text()) })
    const { document, operation } = one({
      schema: {
        summary: 'Get',
        response: { 200: Type.Object({ thing: nullable(Thing), things: Type.Array(Thing) }) },
      },
    })
    const reference = { $ref: '#/components/schemas/Thing' }
    expect(operation.responses[200]).toMatchObject({
      content: {
        'application/json': {
          schema: {
            properties: {
              thing: { anyOf: [reference, { type: 'null' }] },
              things: { type: 'array', items: reference },
            },
          },
        },
      },
    })
    expect(document.components.schemas['Thing']).toMatchObject({
      type: 'object',
      properties: { name: { type: ['string', 'null'] } },
    })
  })

  test('two entities of one name are refused', () => {
    const twice = Type.Object({ a: entity('Thing', { id: integer() }), b: entity('Thing', { name: text() }) })
    expect(() => one({ schema: { summary: 'Get', response: { 200: twice } } })).toThrow(
      'Two different schemas have the title Thing',
    )
  })

  test('says scopes, ability, tier, beta and deprecation', () => {
    const tier = { licensedArea: 'Topics', plan: 'premium' } as const
    const { operation } = one({
      method: 'PUT',
      url: '/api/v4/projects/:id/topics',
      access: writes(project('admin_label'), { tier }).access,
      schema: {
        summary: 'Change',
        deprecated: { since: '2024-05-16', successor: 'tags' },
        params: Type.Object({ id: integer() }),
        response,
      },
    })
    expect(operation).toMatchObject({
      tags: ['Topics'],
      deprecated: true,
      'x-scopes': ['api'],
      'x-subject': 'project',
      'x-ability': 'admin_label',
      'x-tier': tier,
      'x-beta': true,
      description:
        'Deprecated since 2024-05-16 in favor of tags. For members of the project with the role Planner or above. Tokens need the scope `api`. Needs premium.',
    })
    expect(Object.keys(operation.responses).join(' ')).toBe(
      '200 400 401 403 404 405 408 413 414 415 429 431 503',
    )
  })

  test('has the refusals that a route declares, and 304 for what has an entity tag', () => {
    const statuses = (declared: Parameters<typeof one>[0]) =>
      Object.keys(one(declared).operation.responses).join(' ')
    const common = '400 401 403 404 408 413 414 415'
    expect(statuses({ schema: { summary: 'Get', response } })).toBe(`200 304 ${common} 429 431 503`)
    const csv = Type.Unsafe<string>({ type: 'string', contentMediaType: 'text/csv' })
    expect(statuses({ schema: { summary: 'Export', response: { 200: csv } } })).toBe(
      `200 ${common} 429 431 503`,
    )
    const schema = { summary: 'Change', refuses: [405, 409, 412, 422] as const, response }
    expect(statuses({ method: 'PUT', schema })).toBe(
      '200 400 401 403 404 405 408 409 412 413 414 415 422 429 431 503',
    )
  })

  test('a path of no area is refused', () => {
    expect(() => one({ url: '/api/v4/nonsense', schema: { summary: 'Get', response } })).toThrow('no area')
  })
})

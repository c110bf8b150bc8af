import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, w, type World } from '#test/world.ts'
import { MeasuredServer } from '#test/measured-server.ts'

// One beyond the maximum of everything that any route takes, and far beyond it, read out of the routes' schemas.

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
}

/** A request with one parameter that is too much, and how it is told; the names lead to it. */
interface Attack {
  readonly method: string
  readonly path: string
  readonly names: readonly string[]
  readonly value: unknown
  /** Only some more than allowed, or as much as fits into a body. */
  readonly size: 'one beyond' | 'far beyond'
}

const is = (schema: Schema, type: string) => [schema.type].flat().includes(type)
const isText = (schema: Schema) =>
  is(schema, 'string') && schema.maxLength !== undefined && schema.format !== 'binary'
const many = (count: number, value: unknown) => Array.from({ length: count }, () => value)

/** What is one beyond the maximum, of what the schema takes and of what is within it. */
function* beyond(schema: Schema): Generator<{ names: string[]; value: unknown }> {
  if (isText(schema)) yield { names: [], value: 'x'.repeat((schema.maxLength ?? 0) + 1) }
  if (is(schema, 'array')) {
    const { maxItems = 0, items = {} } = schema
    yield { names: [], value: many(maxItems + 1, items.enum?.[0] ?? 1) }
    for (const { names, value } of beyond(items)) {
      if (names.length === 0) yield { names: [], value: [value] }
    }
  }
  if (schema.maxProperties !== undefined) {
    const keys = many(schema.maxProperties + 1, 'x').map((_, n) => [`key${n}`, 'x'] as const)
    yield { names: [], value: Object.fromEntries(keys) }
    yield { names: [], value: { ['k'.repeat(256)]: 'x' } }
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    for (const { names, value } of beyond(property)) yield { names: [name, ...names], value }
  }
}

/** Those of the API, and those that OAuth clients call; what browsers call answers with pages. */
const routes = w.running.app.declaredRoutes.filter(
  ({ url, access }) =>
    url.startsWith('/api/v4') || (url.startsWith('/oauth/') && access.outside && access.page === undefined),
)

const oneBeyond = routes.flatMap(({ method, url, schema, access }): Attack[] => {
  const path = url.replace(/:\w+/g, '1')
  // What is called without our tokens reads its query alone.
  if (access.outside && method === 'GET') {
    return [...beyond(schema.querystring ?? {})].map(({ names, value }) => ({
      method,
      path: `${path}?${new URLSearchParams({ [names.join('.')]: String(value) }).toString()}`,
      names,
      value: undefined,
      size: 'one beyond',
    }))
  }
  const inBody = [...beyond(schema.querystring ?? {}), ...beyond(schema.body ?? {})]
  const inPath = [...beyond(schema.params ?? {})].map(({ names: [name = ''], value }) => ({
    method,
    path: url.replace(`:${name}`, String(value)).replace(/:\w+/g, '1'),
    names: [name],
    value: undefined,
    size: 'one beyond' as const,
  }))
  return [...inBody.map((one) => ({ method, path, ...one, size: 'one beyond' as const })), ...inPath]
})

const MEGABYTE = 'x'.repeat(1_000_000)

/**
 * Of every route one parameter that is no long text: a megabyte of letters. What many routes take alike, such as the number
 * of a page, is tried on one of them.
 */
const tried = new Set<string>()
/** Routes whose body is a file, whatever is in it. */
const takesFile = (url: string): boolean => url.includes('/packages/generic/')
const megabytes = routes.flatMap(({ method, url, schema }): Attack[] => {
  const properties = Object.entries({
    ...(schema.querystring as Schema | undefined)?.properties,
    ...(schema.body as Schema | undefined)?.properties,
  })
  const short = properties.find(([, one]) => (one.maxLength ?? 0) < MEGABYTE.length && !is(one, 'object'))
  if (short === undefined || takesFile(url)) return []
  const known = JSON.stringify([method === 'GET', ...short])
  if (tried.has(known)) return []
  tried.add(known)
  const path = url.replace(/:\w+/g, '1')
  return [{ method, path, names: [short[0]], value: MEGABYTE, size: 'far beyond' }]
})

/** Lists of numbers, words, names and with commas: two million elements each. */
const millions = (
  [
    ['POST', '/projects/1/issues', 'assignee_ids'],
    ['POST', '/projects/1/issues', 'labels'],
    ['GET', '/projects', 'topic'],
    ['GET', '/issues', 'iids'],
    ['POST', '/projects/1/members', 'user_id'],
    ['POST', '/users/1/personal_access_tokens', 'scopes'],
  ] as const
).flatMap(([method, path, name]) =>
  [many(2_000_000, 1), many(2_000_000, ''), '1,'.repeat(2_000_000)].map((value): Attack => ({
    method,
    path: `/api/v4${path}`,
    names: [name],
    value,
    size: 'far beyond',
  })),
)

let own: World
let server: MeasuredServer
beforeAll(async () => {
  own = await openWorld(undefined, 'ultimate')
  const { id, owner } = await own.project()
  await owner.post(`/projects/${id}/issues`, { title: 'x' })
  await own.license({ plan: 'ultimate' })
  // Routes that a feature flag hides read no parameters.
  await own.root.post('/features/container_virtual_registries', { value: true })
  server = await MeasuredServer.start(own)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await own.running.stop()
})

interface Answer {
  readonly status: number
  readonly text: string
  readonly ms: number
}

function bodyOf({ names, value }: Attack): string {
  if (value === undefined) return ''
  return JSON.stringify(names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value))
}

async function send(attack: Attack): Promise<Answer> {
  const body = bodyOf(attack)
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const headers = {
      'private-token': own.root.token,
      ...(body === ''
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    // A connection of its own: one that is kept may be closed in the moment in which it is used again.
    const options = { method: attack.method, headers, agent: false }
    const req = request(`${server.url}${attack.path}`, options, (answer) => {
      const parts: Buffer[] = []
      answer
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          const ms = performance.now() - start
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString(), ms })
        })
    })
    req.on('error', reject).end(body)
  })
}

/** The answer to an attack, the quickest of a few when the machine was busy. */
async function answerTo(attack: Attack): Promise<Answer> {
  let best = await send(attack)
  for (let tries = 0; best.ms > 1_000 && tries < 3; tries += 1) {
    const again = await send(attack)
    if (again.ms < best.ms) best = again
  }
  return best
}

const told = ({ method, path, names, size }: Attack) =>
  `${method} ${path.slice(0, 80)} ${names.join('.')} ${size}`

/** What is wrong with the answers, in words that name the requests. */
async function faultsOf(attacks: readonly Attack[]): Promise<string[]> {
  const faults: string[] = []
  for (const attack of attacks) {
    const { status, text, ms } = await answerTo(attack)
    const about = told(attack)
    if (status < 400 || status >= 500) faults.push(`${about}: ${status}`)
    if (attack.size === 'one beyond' && attack.value !== undefined) {
      if (status !== 400) faults.push(`${about}: ${status} ${text.slice(0, 200)}`)
      else if (!/(too (long|many elements|many keys)|key that is too long)/.test(text)) {
        faults.push(`${about}: ${text.slice(0, 200)}`)
      }
    }
    if (text.length > 10_000) faults.push(`${about}: an answer of ${text.length} characters`)
    if (ms > 1_000) faults.push(`${about}: ${Math.round(ms)} ms`)
  }
  return faults
}

describe('what is beyond the maximum is refused, at once and in few words', () => {
  test('one character, one element, one key beyond it, on every route', async () => {
    expect(oneBeyond.length).toBeGreaterThan(500)
    expect(await faultsOf(oneBeyond)).toEqual([])
  }, 60_000)

  test('a megabyte where a word belongs, and two million elements: and the memory comes back', async () => {
    // Once before, so that what is compiled and kept for good is there.
    await faultsOf(millions.slice(0, 3))
    await faultsOf(megabytes.slice(0, 20))
    const before = await server.measure('collected')
    expect(await faultsOf(megabytes)).toEqual([])
    expect(await faultsOf(millions)).toEqual([])
    await expect
      .poll(async () => (await server.measure('collected')).rss / before.rss, {
        interval: 200,
      })
      .toBeLessThan(1.1)
  }, 60_000)
})

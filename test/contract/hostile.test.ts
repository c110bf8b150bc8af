import { request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import { isChosen } from '#test/chosen-routes.ts'
import { isLong } from '#test/long.ts'
import { BY_CHANCE } from '#test/answered.ts'
import { openWorld, w, type World } from '#test/world.ts'

/** Values that break what trusts its input. */
const hostile: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  2147483648,
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  '99999999999999999999',
  '\0',
  'a\0b',
  '\uD800',
  '💥'.repeat(300),
  'x'.repeat(70_000),
  "'; drop table users; --",
  '%',
  '%00',
  '%zz',
  '../..',
  '2024-02-30',
  '0000-00-00',
  '9999-12-31T23:59:59+14:00',
  '-infinity',
  'NaN',
  '[',
  '{',
  '[]',
  '{"a":',
  [],
  [[]],
  [null],
  [{}],
  {},
  { a: { b: { c: [] } } },
  { __proto__: { admin: true } },
  { length: 1e9 },
  ['x', 1, null, {}],
]
const value = fc.constantFrom(...hostile)

/** Requests to each route. They differ in every run of the suite. */
const RUNS = isLong ? 100 : 6

/** Server of its own: an administrator sends all this, and some of it is meant to change things. */
let own: World
/** With an id that no path guesses, so that nothing revokes it by chance. */
let token: string
const freshToken = async () => (await own.token(own.root, ['api', 'sudo', 'admin_mode'])).secret
beforeAll(async () => {
  own = await openWorld()
  // So that small ids mean something.
  for (let count = 0; count < 6; count += 1) {
    const { id, owner } = await own.project()
    await owner.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })
    const { body: issue } = await owner.post(`/projects/${id}/issues`, { title: 'x' })
    await owner.post(`/projects/${id}/issues/${issue.iid}/notes`, { body: 'x' })
  }
  token = await freshToken()
  // The sources make the description when somebody first asks for it, which may take longer than an answer should.
  await own.root.get('/openapi')
})
afterAll(() => own.running.stop())

const routes = w.running.app.declaredRoutes.filter(isChosen)

function namesOf(schema: unknown): string[] {
  const { properties } = (schema ?? {}) as { properties?: object }
  return Object.keys(properties ?? {})
}

/** Any mix of hostile values for the declared parameters and some that are not declared. */
function parametersOf({ schema }: DeclaredRoute) {
  const names = [
    ...new Set([...namesOf(schema.querystring), ...namesOf(schema.body), 'sudo', '__proto__', 'constructor']),
  ]
  return fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 })
}

const segment = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 9 }).map(String) },
  fc.constantFrom(
    '1',
    '2',
    'root',
    'x%2Fy',
    '-1',
    '0',
    '99999999999999999999',
    '%00',
    '%F0%9F%92%A5',
    '..%2F..',
    'a'.repeat(5000),
  ),
  fc.string().map(encodeURIComponent),
)

/** The status of an answer that came within five seconds. */
async function ask(method: string, path: string, body: string, contentType: string): Promise<number> {
  // A token may revoke itself.
  const secret = path.includes('/personal_access_tokens/self') ? await freshToken() : token
  return new Promise((resolve, reject) => {
    const headers = {
      ...BY_CHANCE,
      'private-token': secret,
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
    }
    const req = request(`${own.url}${path}`, { method, headers, timeout: 5_000 }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    req.on('timeout', () => req.destroy(new Error(`${method} ${path} hangs`)))
    req.on('error', reject).end(body)
  })
}

function asForm(parameters: object): string {
  return Object.entries(parameters)
    .map(
      ([name, given]) =>
        `${encodeURIComponent(name)}=${encodeURIComponent(String(typeof given === 'object' ? JSON.stringify(given) : given).toWellFormed())}`,
    )
    .join('&')
}

describe('whatever is sent, no answer is a server error', () => {
  test.each(routes.map((route) => [`${route.method} ${route.url}`, route] as const))(
    '%s',
    async (_, route) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(segment, { minLength: 3, maxLength: 3 }),
          parametersOf(route),
          fc.constantFrom('json', 'form', 'query'),
          async (segments, parameters, way) => {
            const rest = [...segments]
            const path = route.url.replace(/:\w+/g, () => rest.shift() ?? '1')
            // Deleting the administrator who asks would end the test.
            if (/users\/(1|root)$/.test(path) && route.method === 'DELETE') return
            const status =
              way === 'query'
                ? await ask(
                    route.method,
                    `${path}?${asForm(parameters).slice(0, 6_000)}`,
                    '',
                    'application/json',
                  )
                : await ask(
                    route.method,
                    path,
                    way === 'json' ? JSON.stringify(parameters) : asForm(parameters),
                    way === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
                  )
            expect(
              status,
              `${route.method} ${path} ${JSON.stringify(parameters).slice(0, 500)} ${way}`,
            ).toBeLessThan(500)
          },
        ),
        { numRuns: RUNS },
      )
    },
  )
})

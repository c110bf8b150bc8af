import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, unique, type World } from '#test/world.ts'

// What requests send often has a name, so that PostgreSQL parses it once on each connection and need not plan it each time.

/** Twenty times makes a text frequent, and a request may send some of it for the first time only at the second one. */
const TIMES = 22

/** Texts that are sent without a name however often, each with the reason. */
const unnamed: readonly (readonly [RegExp, string])[] = [
  [/^(?:start transaction|commit|rollback)/, 'the protocol has no parameters for it, and nothing is planned'],
  [/^set local/, 'a command for the transaction, which is not planned'],
]

/** A server gives so many names and no more, and other tests send much. */
let own: World
let project: Awaited<ReturnType<World['project']>>
let issue: number

beforeAll(async () => {
  own = await openWorld()
  project = await own.project()
  issue = (await project.developer.post(`/projects/${project.id}/issues`, { title: 'One' })).body.iid
})

afterAll(() => own.running.stop())

type Request = readonly [string, string, (() => Readonly<Record<string, unknown>>)?]

const at = () => `/projects/${project.id}`
const requests: readonly (readonly [string, () => Request])[] = [
  ...[
    '',
    '/issues',
    '/issues?search=word&labels=one',
    '/merge_requests',
    '/labels',
    '/milestones',
    '/members',
    '/members/all',
    '/events',
    '/snippets',
    '/hooks',
    '/protected_branches',
    '/repository/branches',
    '/environments',
    '/deploy_tokens',
  ].map((path) => [`GET project${path}`, (): Request => ['GET', `${at()}${path}`]] as const),
  ...[
    '/todos',
    '/projects',
    '/groups',
    '/namespaces',
    '/user',
    '/issues?scope=all',
    '/events',
    '/snippets',
  ].map((path) => [`GET ${path}`, (): Request => ['GET', path]] as const),
  ['GET issue', () => ['GET', `${at()}/issues/${issue}`]],
  ['GET notes', () => ['GET', `${at()}/issues/${issue}/notes`]],
  ['GET discussions', () => ['GET', `${at()}/issues/${issue}/discussions`]],
  ['POST issue', () => ['POST', `${at()}/issues`, () => ({ title: unique('title') })]],
  ['PUT issue', () => ['PUT', `${at()}/issues/${issue}`, () => ({ title: unique('title'), labels: 'one' })]],
  ['POST note', () => ['POST', `${at()}/issues/${issue}/notes`, () => ({ body: 'A plain note' })]],
  [
    'POST note that mentions',
    () => [
      'POST',
      `${at()}/issues/${issue}/notes`,
      () => ({ body: `See #${issue}, @${project.reporter.username}` }),
    ],
  ],
  ['POST label', () => ['POST', `${at()}/labels`, () => ({ name: unique('label'), color: 'red' })]],
]

describe('statements that are sent often have a name', () => {
  test.each(requests)('%s', async (_, request) => {
    const [method, path, body] = request()
    const ask = async () => {
      const { maintainer } = project
      const answer =
        method === 'GET'
          ? await maintainer.get(path)
          : method === 'PUT'
            ? await maintainer.put(path, body?.())
            : await maintainer.post(path, body?.())
      expect(answer.status).toBeLessThan(300)
    }
    for (let time = 0; time < TIMES; time += 1) await ask()
    const sent = await own.sent(ask)
    expect(sent.length).toBeGreaterThan(0)
    const without = sent
      .filter(({ name }) => name === undefined)
      .filter(({ sql }) => !unnamed.some(([text]) => text.test(sql)))
    expect(without.map(({ sql }) => sql)).toEqual([])
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import { isChosen } from '#test/chosen-routes.ts'
import type { Client } from '#test/client.ts'
import { Actor, w } from '#test/world.ts'
import { expectations } from './expected-routes.ts'
import { sendTo } from './licensed.ts'
import {
  type AnyPlace,
  type CredentialKind,
  credentialKinds,
  type Holder,
  holderOf,
} from './credential-kinds.ts'
import { changesPlace, type InPlace, kept, nameOf, representatives } from './requests.ts'
import type { Asking } from './route-expectation.ts'

// What a personal token is answered is in routes.test.ts. Here every other way to say who is asking gets the same
// answer in a project or group, unless it is told apart below. All kinds, and expired and revoked ones, meet one route of
// each resource and of each kind of declaration, and those with exceptions. Every other route meets a session, an
// OAuth token and a bot that work: an impersonation token is looked up as a personal one is, and a group's bot in a project
// as the project's.

type Answers = Partial<Record<CredentialKind, number>>

const bots = (status: number): Answers => ({ 'project token': status, 'group token': status })
const notPersonal: Answers = { session: 403, 'OAuth token': 403, ...bots(403) }

/** Where the kind of credential matters. */
const exceptions: Readonly<Record<string, Answers>> = {
  'POST /projects/:id/access_tokens': notPersonal,
  'POST /groups/:id/access_tokens': notPersonal,
  'POST /projects/:id/access_tokens/:token_id/rotate': { 'OAuth token': 403, ...bots(401) },
  'POST /groups/:id/access_tokens/:token_id/rotate': { 'OAuth token': 403, ...bots(401) },
  // Only bots may.
  'PUT /projects/:id/merge_requests/:merge_request_iid/reset_approvals': bots(202),
  // Bots have no namespace of their own to fork into.
  'POST /projects/:id/fork': bots(404),
  'POST /projects/:id/deploy_tokens': { 'OAuth token': 403 },
  'POST /groups/:id/deploy_tokens': { 'OAuth token': 403 },
  'GET /projects/:id/access_tokens/self': { 'project token': 200 },
  'GET /groups/:id/access_tokens/self': { 'group token': 200 },
  'POST /projects/:id/access_tokens/self/rotate': { 'project token': 200 },
  'POST /groups/:id/access_tokens/self/rotate': { 'group token': 200 },
  'DELETE /projects/:id/access_tokens/self': { 'project token': 204 },
  'DELETE /groups/:id/access_tokens/self': { 'group token': 204 },
}

/** What changes the place or uses up the credential: everybody gets their own for it. */
const isSpending = (route: DeclaredRoute) =>
  changesPlace(route) || /^\w+ \/(projects|groups)\/:id\/access_tokens\/self/.test(nameOf(route))

const routes = w.running.app.declaredRoutes.flatMap((route) => {
  const expectation = route.access.outside ? undefined : expectations.get(nameOf(route))
  return expectation === undefined || expectation.in === 'instance' ? [] : [{ route, expectation }]
})

const wholeRoutes = representatives(routes.map(({ route }) => route))

let cells = 0
// The stage that routes share has more schedules than a project has at most.
beforeAll(() => w.root.put('/application/settings', { ci_pipeline_schedules: 0 }))
afterAll(() => w.root.put('/application/settings', { ci_pipeline_schedules: 10 }))
afterAll(() => console.log(`kinds of credentials: ${routes.length} routes, ${cells} cells`))

interface Stage {
  readonly place: AnyPlace
  readonly holders: readonly Holder[]
}

const kindsIn = ({ in: where }: InPlace) =>
  credentialKinds.filter((kind) => where === 'project' || kind !== 'project token')

const few = (where: InPlace['in']): readonly CredentialKind[] => ['session', 'OAuth token', `${where} token`]

async function stageOf({ in: where, lowest }: InPlace, kinds: readonly CredentialKind[]): Promise<Stage> {
  const place = where === 'project' ? await w.project() : await w.group()
  const holders = await Promise.all(kinds.map((kind) => holderOf(kind, place, lowest === 'administrator')))
  return { place, holders }
}

const stages = new Map<string, Promise<Stage>>()

/** One stage for all routes that leave it as it is. */
function sharedStage(expectation: InPlace): Promise<Stage> {
  const key = `${expectation.in} ${expectation.lowest === 'administrator'}`
  return kept(stages, key, () => stageOf(expectation, kindsIn(expectation)))
}

/** A fresh request for a holder, whom what it needs belongs to. */
async function askingOf({ place }: Stage, { id, username }: Holder, expectation: InPlace) {
  const owner = new Actor(w.url, id, username, place.owner.token)
  const { namespaceId = 0, groupId = 0 } = place
  return expectation.request({ ...place, owner, namespaceId, groupId }, w)
}

/** Bots are no administrators. */
function expected(name: string, kind: CredentialKind, { lowest, status, refusal = 403 }: InPlace): number {
  const isBot = kind === 'project token' || kind === 'group token'
  return exceptions[name]?.[kind] ?? (isBot && lowest === 'administrator' ? refusal : status)
}

describe('every kind of credential is answered as a personal token is:', () => {
  for (const { route, expectation } of routes.filter(({ route }) => isChosen(route))) {
    const name = nameOf(route)
    const spends = isSpending(route)
    const whole = spends || wholeRoutes.has(route) || exceptions[name] !== undefined

    test(name, async () => {
      const found: Record<string, number> = {}
      const wanted: Record<string, number> = {}
      const send = async (who: string, by: Client, asking: Asking, status: number) => {
        cells += 1
        wanted[who] = status
        found[who] = (await sendTo(route, by, asking)).status
      }
      let read: Asking | undefined
      for (const kind of whole ? kindsIn(expectation) : few(expectation.in)) {
        const stage = await (spends ? stageOf(expectation, [kind]) : sharedStage(expectation))
        const holder = stage.holders.find((one) => one.kind === kind)
        if (holder === undefined) throw new Error(`${kind} has no holder`)
        // Reads change nothing: one request serves all holders of a stage.
        const asking = read ?? (await askingOf(stage, holder, expectation))
        if (route.method === 'GET' && !spends) read = asking
        // An ended session is none at all: its cookie came along unasked.
        const faulty = kind === 'session' && route.access.anonymous ? 404 : 401
        if (whole) {
          await send(`${kind}, expired`, holder.expired, asking, faulty)
          await send(`${kind}, revoked`, holder.revoked, asking, faulty)
        }
        if (holder.reader && route.method !== 'GET')
          await send(`${kind} without CSRF`, holder.reader, asking, 401)
        await send(kind, holder.client, asking, expected(name, kind, expectation))
      }
      expect(found).toEqual(wanted)
    })
  }
})

test('every exception is a route', () => {
  const names = new Set(routes.map(({ route }) => nameOf(route)))
  expect(Object.keys(exceptions).filter((name) => !names.has(name))).toEqual([])
})

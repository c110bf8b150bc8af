import { afterAll, describe, expect, test } from 'vitest'
import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { isChosen } from '#test/chosen-routes.ts'
import type { Client } from '#test/client.ts'
import { type Actor, w } from '#test/world.ts'
import { expectations } from './expected-routes.ts'
import { sendTo } from './licensed.ts'
import {
  changesPlace,
  type InPlace,
  kept,
  nameOf,
  representatives,
  Requests,
  type Stage,
  stageOf,
} from './requests.ts'
import type { RouteExpectation } from './route-expectation.ts'

const routes = w.running.app.declaredRoutes.filter(({ access }) => !access.outside)

/** Routes that every faulty credential meets. */
const whole = representatives(routes)

/** The roles in the order of what they may do here; the two special ones stand beside their neighbours. */
const ladder = [
  'guest',
  'planner',
  'reporter',
  'securityManager',
  'developer',
  'maintainer',
  'owner',
] as const

let cells = 0
afterAll(() => console.log(`permission matrix over HTTP: ${routes.length} routes, ${cells} cells`))

/** One cell of the matrix: who gets which status. */
type Cell = (by: Client, status: number, who: string) => Promise<void>

/** Sends requests to a route as one caller after the other. */
const cellsOf =
  (route: DeclaredRoute, requests: Requests): Cell =>
  async (by, status, who) => {
    cells += 1
    const answer = await sendTo(route, by, await requests.next())
    expect({ who, status: answer.status, text: answer.status === status ? '' : answer.text }).toEqual({
      who,
      status,
      text: '',
    })
    requests.answered(status)
  }

describe('every route has its expectation', () => {
  test('and no expectation lacks its route', () => {
    expect([...expectations.keys()].toSorted()).toEqual(routes.map(nameOf).toSorted())
  })
})

let faulty: ReturnType<typeof faultyCallers> | undefined

/** Callers whose credentials are refused before anything else is looked at. */
async function faultyCallers() {
  const [user, blocked] = [await w.user(), await w.user()]
  const [expired, narrow, revoked] = await Promise.all([
    w.token(user, ['api'], '2020-01-01'),
    w.token(user, ['read_repository']),
    w.token(user),
  ])
  await w.db
    .updateTable('access_tokens')
    .set({ revoked_at: new Date().toISOString() })
    .where('id', '=', revoked.id)
    .execute()
  await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute()
  return { expired: expired.client, narrow: narrow.client, revoked: revoked.client, blocked }
}

/**
 * Every route refuses a token that nobody has, and one without its scope. Tokens that ended and people who are blocked are
 * told by the same look-up, so that one route of each resource and of each kind is enough for them.
 */
async function refusesFaults(route: DeclaredRoute, cell: Cell): Promise<void> {
  const { expired, narrow, revoked, blocked } = await (faulty ??= faultyCallers())
  await cell(w.anonymous.with({ 'private-token': 'wrong' }), 401, 'a wrong token')
  if (route.access.scopes.length > 0) await cell(narrow, 403, 'a token without the scope')
  if (!whole.has(route)) return
  await cell(expired, 401, 'an expired token')
  await cell(revoked, 401, 'a revoked token')
  await cell(blocked, 403, 'a blocked user')
}

const hidden = ({ access }: DeclaredRoute) => (access.anonymous && !access.challenge ? 404 : 401)

let external: Promise<Actor> | undefined

type StageAt = (visibility: Visibility) => Promise<Stage>

/** Who stands between two others is left out: a reporter reads what a guest does, and an administrator everything. */
async function checkReaders(
  route: DeclaredRoute,
  { status, lowest }: InPlace,
  stageAt: StageAt,
): Promise<void> {
  external ??= w.user({ external: true })
  const closed = await stageAt('private')
  const inClosed = cellsOf(route, closed.requests)
  await inClosed(closed.place.stranger, 404, 'a stranger, private')
  await inClosed(closed.place.anonymous, hidden(route), 'nobody, private')
  if (lowest === 'code readers') {
    // In a private project, reading the code takes a Reporter.
    await inClosed(closed.place.guest, 403, 'a guest, private')
    await inClosed(closed.place.reporter, status, 'a reporter, private')
  } else {
    await inClosed(closed.place.guest, status, 'a guest, private')
  }
  await inClosed(closed.place.admin, status, 'an administrator, private')
  const inner = await stageAt('internal')
  const inInner = cellsOf(route, inner.requests)
  await inInner(await external, 404, 'an external user, internal')
  await inInner(inner.place.anonymous, hidden(route), 'nobody, internal')
  await inInner(inner.place.stranger, status, 'a stranger, internal')
  const open = await stageAt('public')
  const inOpen = cellsOf(route, open.requests)
  await inOpen(open.place.anonymous, route.access.anonymous ? status : hidden(route), 'nobody, public')
  await inOpen(await external, status, 'an external user, public')
}

async function checkRole(
  route: DeclaredRoute,
  { status, refusal = 403 }: InPlace,
  role: (typeof ladder)[number],
  stageAt: StageAt,
): Promise<void> {
  const closed = await stageAt('private')
  const inClosed = cellsOf(route, closed.requests)
  const below = ladder[ladder.indexOf(role) - 1]
  if (below !== undefined) await inClosed(closed.place[below], refusal, `a ${below}, private`)
  await inClosed(closed.place.stranger, 404, 'a stranger, private')
  await inClosed(closed.place.anonymous, hidden(route), 'nobody, private')
  await inClosed(closed.place[role], status, `a ${role}, private`)
  const open = await stageAt('public')
  const inOpen = cellsOf(route, open.requests)
  await inOpen(open.place.stranger, refusal, 'a stranger, public')
  await inOpen(open.place.anonymous, 401, 'nobody, public')
  await inOpen(open.place.admin, status, 'an administrator, public')
}

async function checkAdministrator(route: DeclaredRoute, { status }: InPlace, stageAt: StageAt) {
  const { place, requests } = await stageAt('private')
  const cell = cellsOf(route, requests)
  await cell(place.owner, 403, 'an owner')
  await cell(place.admin, status, 'an administrator')
}

function checkPermitted(route: DeclaredRoute, expectation: InPlace, stageAt: StageAt): Promise<void> {
  const { lowest } = expectation
  if (lowest === 'readers' || lowest === 'code readers' || lowest === 'signed-in readers') {
    return checkReaders(route, expectation, stageAt)
  }
  if (lowest === 'administrator') return checkAdministrator(route, expectation, stageAt)
  return checkRole(route, expectation, lowest as (typeof ladder)[number], stageAt)
}

async function checkArchived(route: DeclaredRoute, expectation: InPlace, { place, requests }: Stage) {
  await requests.next()
  const id = 'namespaceId' in place ? Number(place.namespaceId) : place.id
  const archive = (archived: boolean) =>
    w.db.updateTable('namespaces').set({ archived }).where('id', '=', id).execute()
  const status = (expectation.whileArchived ?? true) ? expectation.status : 403
  const [by, who] =
    expectation.lowest === 'administrator'
      ? ([place.admin, 'an administrator'] as const)
      : ([place.owner, 'an owner'] as const)
  await archive(true)
  try {
    await cellsOf(route, requests)(by, status, `${who}, archived`)
  } finally {
    await archive(false)
  }
}

async function checkInstance(
  route: DeclaredRoute,
  expectation: Extract<RouteExpectation, { in: 'instance' }>,
): Promise<void> {
  const { lowest, status, refusal = 403, nobody = 401, spendsToken } = expectation
  const as = async (actor: Actor) => (spendsToken ? (await w.token(actor)).client : actor)
  const cell = cellsOf(route, new Requests(route, () => expectation.request(w)))
  await refusesFaults(route, cell)
  await cell(w.anonymous, lowest === 'anonymous' ? status : nobody, 'nobody')
  signedIn ??= w.user()
  const stranger = await (spendsToken || lowest === 'signed in' ? w.user() : signedIn)
  if (lowest === 'administrator') await cell(stranger, refusal, 'a user')
  else await cell(await as(stranger), status, 'a user')
  await cell(await as(w.root), status, 'an administrator')
}

let signedIn: Promise<Actor> | undefined

async function checkPlaced(route: DeclaredRoute, expectation: InPlace): Promise<void> {
  const stages = new Map<Visibility, Promise<Stage>>()
  const stageAt: StageAt = (visibility) =>
    kept(stages, visibility, () => stageOf(route, expectation, visibility))
  await refusesFaults(route, cellsOf(route, (await stageAt('public')).requests))
  // What is refused leaves its rows to the next request.
  const refused = expectation.whileArchived === false
  if (refused && !changesPlace(route)) await checkArchived(route, expectation, await stageAt('private'))
  await checkPermitted(route, expectation, stageAt)
  if (changesPlace(route))
    await checkArchived(route, expectation, await stageOf(route, expectation, 'private'))
  else if (!refused) await checkArchived(route, expectation, await stageAt('private'))
}

describe('every route refuses faulty credentials, is for those it is for, and keeps to archiving:', () => {
  for (const route of routes.filter(isChosen)) {
    const expectation = expectations.get(nameOf(route))
    if (expectation === undefined) continue
    test(nameOf(route), () =>
      expectation.in === 'instance' ? checkInstance(route, expectation) : checkPlaced(route, expectation),
    )
  }
})

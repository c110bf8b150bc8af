import { afterAll, describe, expect, test } from 'vitest'
import type { DeclaredRoute } from '#platform/http/requests.ts'
import type { Visibility } from '#platform/db/schema.ts'
import type { Client } from '../client.ts'
import { type Actor, type Place, w } from '../world.ts'
import { expectations } from './expected-routes.ts'
import { sendTo } from './licensed.ts'
import type { Asking, RouteExpectation } from './route-expectation.ts'

const routes = w.running.app.declaredRoutes.filter(({ access }) => !access.outside)
const nameOf = ({ method, url }: DeclaredRoute) => `${method} ${url.replace('/api/v4', '')}`

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

async function cell(
  by: Client,
  route: DeclaredRoute,
  asking: Asking,
  status: number,
  who: string,
): Promise<void> {
  cells += 1
  const answer = await sendTo(route, by, asking)
  expect({ who, status: answer.status, text: answer.status === status ? '' : answer.text }).toEqual({
    who,
    status,
    text: '',
  })
}

describe('every route has its expectation', () => {
  test('and no expectation lacks its route', () => {
    expect([...expectations.keys()].toSorted()).toEqual(routes.map(nameOf).toSorted())
  })
})

/** Credentials that are refused before anything else is looked at. */
async function refusesFaults(route: DeclaredRoute, asking: Asking): Promise<void> {
  const user = await w.user()
  const { anonymous } = w
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
  await cell(anonymous.with({ 'private-token': 'wrong' }), route, asking, 401, 'a wrong token')
  await cell(expired.client, route, asking, 401, 'an expired token')
  await cell(revoked.client, route, asking, 401, 'a revoked token')
  if (route.access.scopes.length > 0)
    await cell(narrow.client, route, asking, 403, 'a token without the scope')
  await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute()
  await cell(user, route, asking, 403, 'a blocked user')
}

type In<Kind> = Extract<RouteExpectation, { in: Kind }>

/** A fresh place and a request in it, which nobody has sent yet. */
async function prepare(
  expectation: In<'project'> | In<'group'>,
  visibility: Visibility,
): Promise<{ place: Place; fresh: () => Promise<Asking> }> {
  if (expectation.in === 'project') {
    const place = await w.project({ visibility })
    return { place, fresh: async () => expectation.request(place, w) }
  }
  const place = await w.group({ visibility })
  return { place, fresh: async () => expectation.request(place, w) }
}

const hidden = ({ access }: DeclaredRoute) => (access.anonymous ? 404 : 401)

async function checkReaders(route: DeclaredRoute, expectation: In<'project'> | In<'group'>): Promise<void> {
  const { status } = expectation
  const external = await w.user({ external: true })
  for (const visibility of ['private', 'internal', 'public'] as const) {
    const { place, fresh } = await prepare(expectation, visibility)
    const outsiders = visibility === 'private' ? 404 : status
    const externals = visibility === 'public' ? status : 404
    const nobody = visibility === 'public' && route.access.anonymous ? status : hidden(route)
    await cell(place.guest, route, await fresh(), status, `a guest, ${visibility}`)
    await cell(place.stranger, route, await fresh(), outsiders, `a stranger, ${visibility}`)
    await cell(external, route, await fresh(), externals, `an external user, ${visibility}`)
    await cell(place.anonymous, route, await fresh(), nobody, `nobody, ${visibility}`)
    await cell(place.admin, route, await fresh(), status, `an administrator, ${visibility}`)
  }
}

async function checkRole(
  route: DeclaredRoute,
  expectation: In<'project'> | In<'group'>,
  role: (typeof ladder)[number],
): Promise<void> {
  const { status, refusal = 403 } = expectation
  const closed = await prepare(expectation, 'private')
  const below = ladder[ladder.indexOf(role) - 1]
  const lowest: Actor = closed.place[role]
  const asking = await closed.fresh()
  if (below !== undefined) await cell(closed.place[below], route, asking, refusal, `a ${below}, private`)
  await cell(closed.place.stranger, route, asking, 404, 'a stranger, private')
  await cell(closed.place.anonymous, route, asking, hidden(route), 'nobody, private')
  await cell(lowest, route, asking, status, `a ${role}, private`)
  const open = await prepare(expectation, 'public')
  const there = await open.fresh()
  await cell(open.place.stranger, route, there, refusal, 'a stranger, public')
  await cell(open.place.anonymous, route, there, 401, 'nobody, public')
  await cell(open.place.admin, route, there, status, 'an administrator, public')
}

async function checkArchived(route: DeclaredRoute, expectation: In<'project'> | In<'group'>): Promise<void> {
  const { place, fresh } = await prepare(expectation, 'private')
  const asking = await fresh()
  const namespaceId =
    expectation.in === 'project' && 'namespaceId' in place ? Number(place.namespaceId) : place.id
  await w.db.updateTable('namespaces').set({ archived: true }).where('id', '=', namespaceId).execute()
  const allowed = expectation.whileArchived ?? true
  const [actor, who] =
    expectation.lowest === 'administrator'
      ? ([place.admin, 'an administrator'] as const)
      : ([place.owner, 'an owner'] as const)
  await cell(actor, route, asking, allowed ? expectation.status : 403, `${who}, archived`)
}

for (const route of routes) {
  const expectation = expectations.get(nameOf(route))
  if (expectation === undefined) continue
  describe(nameOf(route), () => {
    if (expectation.in === 'instance') {
      const { lowest, status, refusal = 403, nobody = 401, spendsToken } = expectation
      const as = async (actor: Actor) => (spendsToken ? (await w.token(actor)).client : actor)
      test('is for those it is for', async () => {
        const asking = await expectation.request(w)
        const stranger = await w.user()
        await cell(w.anonymous, route, asking, lowest === 'anonymous' ? status : nobody, 'nobody')
        if (lowest === 'administrator') await cell(stranger, route, asking, refusal, 'a user')
        else
          await cell(
            await as(stranger),
            route,
            lowest === 'anonymous' ? await expectation.request(w) : asking,
            status,
            'a user',
          )
        await cell(await as(w.root), route, await expectation.request(w), status, 'an administrator')
      })
      test('refuses faulty credentials', async () => refusesFaults(route, await expectation.request(w)))
      return
    }
    test('is for those it is for', async () => {
      const { lowest } = expectation
      if (lowest === 'readers' || lowest === 'signed-in readers') return checkReaders(route, expectation)
      if (lowest === 'administrator') {
        const { place, fresh } = await prepare(expectation, 'private')
        await cell(place.owner, route, await fresh(), 403, 'an owner')
        return cell(place.admin, route, await fresh(), expectation.status, 'an administrator')
      }
      return checkRole(route, expectation, lowest as (typeof ladder)[number])
    })
    test('keeps to archiving', () => checkArchived(route, expectation))
    test('refuses faulty credentials', async () => {
      const { fresh } = await prepare(expectation, 'public')
      await refusesFaults(route, await fresh())
    })
  })
}

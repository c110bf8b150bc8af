import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Offering, Plan } from '#platform/access/route-access.ts'
import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import type { RunningServer } from '#server-options.ts'
import { Client } from '#test/client.ts'
import { w } from '#test/world.ts'

// Which routes are restricted to plans and offerings, written down a second time, on purpose: what the routes declare
// must agree in every plan of every offering.

interface Restriction {
  readonly routes: RegExp
  /** What the refusal says; undefined where it goes on. */
  refusal(plan: Plan, offering: Offering): string | undefined
}

const premium =
  (feature: string): Restriction['refusal'] =>
  (plan) =>
    plan === 'free' ? `${feature} needs premium` : undefined

const premiumOnHosted =
  (feature: string): Restriction['refusal'] =>
  (plan, offering) =>
    offering === 'hosted' && plan === 'free' ? `${feature} needs premium` : undefined

const restrictions: readonly Restriction[] = [
  {
    routes: /^\w+ \/licenses?\b/,
    refusal: (_, offering) =>
      offering === 'hosted' ? 'Licenses needs the offering self-managed or dedicated' : undefined,
  },
  {
    routes:
      /\/approval_(rules|state)\b|\/reset_approvals$|^\w+ \/projects\/:id\/approvals$|^POST .*\/approvals$/,
    refusal: premium('Approval rules'),
  },
  { routes: /\/audit_events\b/, refusal: premium('Audit events') },
  { routes: /\/groups\/:id\/(?:wikis|wiki_pages)\b/, refusal: premium('Group wikis') },
  {
    routes: /\/protected_environments\b|\/deployments\/:deployment_id\/approval$/,
    refusal: premium('Protected environments'),
  },
  {
    routes: /\/groups\/:id\/repository_storage_moves|\/group_repository_storage_moves/,
    refusal: (plan, offering) =>
      offering === 'hosted'
        ? 'Group repository storage moves needs the offering self-managed or dedicated'
        : plan === 'free'
          ? 'Group repository storage moves needs premium'
          : undefined,
  },
  { routes: /\/virtual_registries\//, refusal: premium('Container virtual registries') },
  { routes: /\/groups\/:id\/epics\b/, refusal: premium('Epics') },
  { routes: /\/groups\/:id\/hooks\b/, refusal: premium('Group webhooks') },
  // Whoever lost the plan can still list and revoke.
  {
    routes: /^POST \/projects\/:id\/access_tokens\b/,
    refusal: premiumOnHosted('Project access tokens'),
  },
  {
    routes: /^POST \/groups\/:id\/access_tokens\b/,
    refusal: premiumOnHosted('Group access tokens'),
  },
]

const nameOf = ({ method, url }: DeclaredRoute) => `${method} ${url.replace('/api/v4', '')}`
const routes = w.running.app.declaredRoutes.filter(({ access }) => !access.outside && access.tier)
const restrictionOf = (route: DeclaredRoute) => restrictions.find(({ routes: of }) => of.test(nameOf(route)))

test('every restriction is declared by its routes, and by no others', () => {
  const all = w.running.app.declaredRoutes.filter(({ access }) => !access.outside)
  const expected = all.filter((route) => restrictionOf(route) !== undefined).map(nameOf)
  expect(routes.map(nameOf).toSorted()).toEqual(expected.toSorted())
  for (const { routes: of } of restrictions) expect(routes.some((route) => of.test(nameOf(route)))).toBe(true)
})

let cells = 0
afterAll(() => console.log(`plans and offerings: ${routes.length} routes, ${cells} cells`))

describe.each<Offering>(['self-managed', 'hosted', 'dedicated'])('on the offering %s', (offering) => {
  describe.each<Plan>(['free', 'premium', 'ultimate'])('with the plan %s', (plan) => {
    let server: RunningServer
    beforeAll(async () => {
      server = await w.another(undefined, { FORGELET_OFFERING: offering }, plan)
    })
    afterAll(() => server.stop())

    test('each route answers as it should, before it looks at anything else', async () => {
      const user = new Client(server.url, (await w.user()).headers)
      const found: Record<string, string | undefined> = {}
      const wanted: Record<string, string | undefined> = {}
      for (const route of routes) {
        cells += 1
        const name = nameOf(route)
        // Nothing of it exists: the restriction answers before parameters and places are looked at.
        const path = route.url.replace('/api/v4', '').replaceAll(/:\w+/g, '999999999')
        const { status, body } = await user.send(route.method, path)
        const message: unknown = body?.message
        const said =
          typeof message === 'string' ? /^403 Forbidden - (.+ needs .+)$/.exec(message)?.[1] : undefined
        found[name] = said
        wanted[name] = restrictionOf(route)?.refusal(plan, offering)
        if (said !== undefined) expect(status).toBe(403)
        const nobody = await new Client(server.url).send(route.method, path)
        const refused = wanted[name] === undefined ? 404 : 403
        expect([name, nobody.status]).toEqual([name, route.access.anonymous ? refused : 401])
      }
      expect(found).toEqual(wanted)
    })
  })
})

import { expect, test } from 'vitest'
import { allowReceivers, receiver, settled } from '#activity/hooks/test-support.ts'
import { changesPlace, nameOf, stageOf } from '#test/access/requests.ts'
import { expectations } from '#test/access/expected-routes.ts'
import { sendTo } from '#test/access/licensed.ts'
import { Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

// Every address that an answer of the API gives out is a page for those who may see it, and for others the page of what is not there.

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const licensed = await w.licensed()

/** One address of each kind, by its form without names and numbers. */
const addresses = new Map<string, { readonly path: string; readonly route: string }>()

/** What differs between two addresses of the same kind. */
const formOf = (path: string): string =>
  path
    .replace(/[?#].*$/, '')
    .replace(/^\/(groups\/)?[^-][^]*?(?=\/-\/|$)/, (_, group: string | undefined) => `/${group ?? ''}:place`)
    .replaceAll(/\/(?:\d+|[0-9a-f]{7,64})(?=\/|$|\.)/g, '/:id')

function gather(value: unknown, route: string): void {
  if (typeof value === 'string') {
    if (!value.startsWith(`${w.url}/`)) return
    const path = value.slice(w.url.length)
    if (path.startsWith('/api/') || path.endsWith('.git')) return
    // What has no such part is a project, a group or a person, which routes tell apart.
    const form = path.includes('/-/') ? formOf(path) : `${route} ${path.split('/').length}`
    if (!addresses.has(form)) addresses.set(form, { path, route })
  } else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) gather(one, route)
}

const visitorOf = async (user: { id: number }): Promise<Visitor> => {
  const visitor = new Visitor(licensed.url, { headers: BROWSER })
  const { cookie } = await w.session(user)
  const [name = '', value = ''] = cookie.split('=')
  visitor.cookies.set(name, value)
  return visitor
}

/** The kinds of events that a hook of a project is told. */
const told = [
  'push_events',
  'tag_push_events',
  'issues_events',
  'confidential_issues_events',
  'note_events',
  'confidential_note_events',
  'merge_requests_events',
  'pipeline_events',
  'job_events',
  'wiki_page_events',
  'deployment_events',
  'releases_events',
  'milestone_events',
  'emoji_events',
  'resource_access_token_events',
]

allowReceivers()

/** Sends a request that succeeds to every route of a project or group, and reads what is answered and what a hook is told. */
async function gatherAll(): Promise<void> {
  const hooked = await receiver()
  const known = new Set<number>()
  for (const route of w.running.app.declaredRoutes) {
    const expectation = expectations.get(nameOf(route))
    if (expectation === undefined || route.method === 'DELETE' || changesPlace(route)) continue
    if (expectation.in === 'instance') continue
    const { place, requests } = await stageOf(route, expectation, 'private')
    if (expectation.in === 'project' && !known.has(place.id)) {
      known.add(place.id)
      const hook = { url: hooked.url, ...Object.fromEntries(told.map((name) => [name, true])) }
      expect((await place.owner.post(`/projects/${place.id}/hooks`, hook)).status).toBe(201)
    }
    const by = expectation.lowest === 'administrator' ? w.root : place.owner
    const answer = await sendTo(route, by, await requests.next())
    if (answer.status < 300) gather(answer.body, nameOf(route))
  }
  await settled()
  expect(hooked.received.length).toBeGreaterThan(20)
  expect(hooked.received.map(({ body }) => body.object_kind)).toContain('wiki_page')
  for (const { body } of hooked.received) gather(body, `a hook told of ${String(body.object_kind)}`)
}

test('every address that the API and hooks give out is a page', { timeout: 600_000 }, async () => {
  await gatherAll()
  const admin = await visitorOf(w.root)
  const missing: string[] = []
  for (const [form, { path, route }] of addresses) {
    const { status } = await admin.get(path, BROWSER)
    // Programs post to some.
    if (status >= 400 && status !== 405) missing.push(`${status} ${form} (${path}, from ${route})`)
  }
  expect(missing).toEqual([])
  expect(addresses.size).toBeGreaterThan(30)
})

test('for those who may not see what is there, it is the page of what is not there', async () => {
  const stranger = await visitorOf(await w.user())
  const withoutAddress = (text: string) => text.replace(/name="authenticity_token" value="[^"]*"/, '')
  const missing = withoutAddress((await stranger.get('/nobody/-/nothing', BROWSER)).text)
  const shown: string[] = []
  for (const { path } of addresses.values()) {
    if (!path.includes('/-/') || path.startsWith('/-/')) continue
    const { status, text, headers } = await stranger.get(path, BROWSER)
    // Files as they are come from the API, which refuses them; others are refused where they are.
    const isOfApi = status === 302 && headers.location?.startsWith('/api/v4/') === true
    const isPage = headers['content-type']?.startsWith('text/html') === true
    const isMissing = status === 404 && (!isPage || withoutAddress(text) === missing)
    if (!isOfApi && status !== 405 && !isMissing) shown.push(`${status} ${path}`)
  }
  expect(shown).toEqual([])
})

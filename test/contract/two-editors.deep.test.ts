import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { signedIn, type Visitor } from '#test/visitor.ts'
import { openWorld, type World } from '#test/world.ts'
import { type Form, formsIn, formsOn, send } from './forms-test-support.ts'

// Two people have the same form of settings open: who changes something else than the other keeps both; who changes the same is told,
// with what they typed, and may replace it then.

/** A form that changes what is there: a field that both change, and one that only one of them does. */
interface Case {
  readonly page: string
  readonly does: string
  readonly both: readonly [field: string, first: string, second: string]
  readonly other?: readonly [field: string, value: string]
}

const ofProject: readonly Case[] = [
  {
    page: 'settings/general',
    does: 'save-general',
    both: ['description', 'Ours', 'Theirs'],
    other: ['topics', 'one, two'],
  },
  {
    page: 'settings/general',
    does: 'save-features',
    both: ['wiki_access_level', 'disabled', 'private'],
    other: ['emails_enabled', 'false'],
  },
  {
    page: 'settings/general',
    does: 'save-merging',
    both: ['merge_commit_template', 'a\r\nb', 'c\r\nd'],
    other: ['only_allow_merge_if_pipeline_succeeds', 'true'],
  },
  {
    page: 'settings/packages_and_registries',
    does: 'save-cleanup',
    both: ['name_regex', 'a.*', 'b.*'],
    other: ['cadence', '14d'],
  },
  {
    page: 'settings/packages_and_registries',
    does: 'change-package/*',
    both: ['minimum_access_level_for_push', 'owner', 'admin'],
    other: ['minimum_access_level_for_delete', 'admin'],
  },
  {
    page: 'settings/operations',
    does: 'save-alerts',
    both: ['incident_template', 'first', 'second'],
    other: ['create_incident', 'true'],
  },
  {
    page: 'settings/operations',
    does: 'save-tracking',
    both: ['active', 'true', 'false'],
    other: ['scrub_personal_data', 'true'],
  },
  {
    page: 'settings/merge_requests',
    does: 'save-demands',
    both: ['reset_approvals_on_push', 'false', 'true'],
    other: ['merge_requests_author_approval', 'true'],
  },
  {
    page: 'settings/merge_requests',
    does: 'change-rule/*',
    both: ['name', 'Ours', 'Theirs'],
    other: ['approvals_required', '3'],
  },
  {
    page: 'settings/ci_cd',
    does: 'change-variable/KEY/*',
    both: ['value', 'ours', 'theirs'],
    other: ['description', 'For both'],
  },
  {
    page: 'settings/ci_cd',
    does: 'change-freeze/*',
    both: ['freeze_start', '0 1 * * *', '0 2 * * *'],
    other: ['cron_timezone', 'Europe/Berlin'],
  },
  {
    page: 'settings/badges',
    does: 'save/*',
    both: ['name', 'Ours', 'Theirs'],
    other: ['link_url', 'https://example.com/both'],
  },
  {
    page: 'environments/*',
    does: 'save',
    both: ['description', 'Ours', 'Theirs'],
    other: ['external_url', 'https://example.com/both'],
  },
  {
    page: 'hooks/*/edit',
    does: 'save',
    both: ['name', 'Ours', 'Theirs'],
    other: ['issues_events', 'true'],
  },
  {
    page: 'milestones/*',
    does: 'save',
    both: ['description', 'Ours', 'Theirs'],
    other: ['due_date', '2031-01-02'],
  },
  {
    page: 'labels/*/edit',
    does: 'save',
    both: ['description', 'Ours', 'Theirs'],
    other: ['color', '#123456'],
  },
  {
    page: 'boards/*/edit',
    does: 'save',
    both: ['name', 'Ours', 'Theirs'],
    other: ['hide_closed_list', 'true'],
  },
  { page: 'issues/*/edit', does: 'save', both: ['description', 'Ours', 'Theirs'], other: ['weight', '3'] },
]

const ofGroup: readonly Case[] = [
  {
    page: 'epics/*/edit',
    does: 'save',
    both: ['description', 'Ours', 'Theirs'],
    other: ['due_date_fixed', '2031-01-02'],
  },
  { page: 'edit', does: 'save-general', both: ['description', 'Ours', 'Theirs'], other: ['name', 'Both'] },
  { page: 'edit', does: 'visibility', both: ['visibility', 'internal', 'private'] },
  {
    page: 'edit',
    does: 'save-rules',
    both: ['project_creation_level', 'owner', 'noone'],
    other: ['request_access_enabled', 'false'],
  },
  {
    page: 'settings/packages_and_registries',
    does: 'save-duplicates/maven',
    both: ['maven_duplicate_exception_regex', 'a.*', 'b.*'],
    other: ['maven_duplicates_allowed', 'false'],
  },
]

const ofInstance: readonly Case[] = [
  {
    page: 'application_settings/network',
    does: 'save',
    both: ['rate_limiting_response_text', 'Ours', 'Theirs'],
    other: ['max_group_webhooks', '7'],
  },
  {
    page: 'application_settings/repository',
    does: 'save',
    both: ['default_branch_name', 'ours', 'theirs'],
    other: ['repository_storages_weighted[default]', '50'],
  },
  {
    page: 'users/grace',
    does: 'save',
    both: ['note', 'Ours', 'Theirs'],
    other: ['projects_limit', '7'],
  },
  {
    page: 'broadcast_messages',
    does: 'save/*',
    both: ['message', 'Ours', 'Theirs'],
    other: ['theme', 'red'],
  },
]

let w: World
/** Two people who may change everything, and where. */
let both: readonly [Visitor, Visitor]
const at: Record<'project' | 'group' | 'admin', string> = { project: '', group: '', admin: '/admin' }

async function make(path: string, body: object): Promise<void> {
  const { status } = await w.root.post(path, body)
  expect([path, status]).toEqual([path, 201])
}

beforeAll(async () => {
  w = await openWorld(undefined, 'ultimate')
  const group = await w.group()
  const project = await w.project({ parent: group.id })
  const people = [await signedIn(w, { admin: true }), await signedIn(w, { admin: true })] as const
  for (const one of people) await w.member(group.id, one, levels.owner)
  both = [people[0].visitor, people[1].visitor]
  at.project = `/${project.fullPath}/-`
  at.group = `/groups/${group.fullPath}/-`
  const api = `/projects/${project.id}`
  for (const [path, body] of [
    [`${api}/variables`, { key: 'KEY', value: 'value' }],
    [`${api}/hooks`, { url: 'https://example.com/hook' }],
    [`${api}/badges`, { link_url: 'https://example.com', image_url: 'https://example.com/a.png' }],
    [`${api}/freeze_periods`, { freeze_start: '0 0 * * *', freeze_end: '0 3 * * *' }],
    [`${api}/environments`, { name: 'production' }],
    [`${api}/milestones`, { title: 'First' }],
    [`${api}/labels`, { name: 'bug', color: '#ff0000' }],
    [`${api}/boards`, { name: 'Board' }],
    [`${api}/issues`, { title: 'Issue' }],
    [`/groups/${group.id}/epics`, { title: 'Epic' }],
    [`${api}/approval_rules`, { name: 'Rule', approvals_required: 1 }],
    [
      `${api}/packages/protection/rules`,
      { package_name_pattern: 'a*', package_type: 'npm', minimum_access_level_for_push: 'maintainer' },
    ],
    ['/broadcast_messages', { message: 'First' }],
  ] as const)
    await make(path, body)
  await w.user({ username: 'grace' })
}, 180_000)
afterAll(() => w.running.stop())

/** The form of a page as somebody sees it; `*` is any number. */
async function open(visitor: Visitor, place: string, { page, does }: Case): Promise<Form> {
  const [before = '', after] = page.split('*')
  // Things of a fresh instance have low numbers.
  const candidates = after === undefined ? [page] : [1, 2, 3].map((id) => `${before}${id}${after}`)
  const name = new RegExp(`^${does.replaceAll('*', String.raw`(?:\d+|\*)`)}$`)
  for (const candidate of candidates) {
    const found = (await formsOn(visitor, `${place}/${candidate}`)).find((form) => name.test(form.does))
    if (found !== undefined) return found
  }
  throw new Error(`${does} is not on ${place}/${page}`)
}

/** The form with other values in some of its fields; a box that is not checked sends `false` alone. */
function filled(form: Form, changes: readonly (readonly [string, string])[]): Form {
  const names = new Set(changes.map(([name]) => name))
  return { ...form, fields: [...form.fields.filter(([name]) => !names.has(name)), ...changes] }
}

const valueOf = ({ fields }: Form, name: string) => fields.findLast(([field]) => field === name)?.[1]
const lines = (text: string | undefined) => text?.replaceAll('\r\n', '\n')

describe.each([
  ['project', ofProject],
  ['group', ofGroup],
  ['admin', ofInstance],
] as const)('of a page of the %s', (place, cases) => {
  test.each(cases.map((one) => [`${one.page} ${one.does}`, one] as const))('%s', async (_, one) => {
    const [field, ours, theirs] = one.both
    const [first, second] = [await open(both[0], at[place], one), await open(both[1], at[place], one)]
    const saved = await send(w, both[0], filled(first, [[field, ours]]))
    expect(saved.status).toBe(303)
    if (one.other !== undefined) {
      const third = await send(w, both[1], filled(second, [one.other]))
      expect(third.status).toBe(303)
      const now = await open(both[1], at[place], one)
      expect(lines(valueOf(now, field))).toBe(lines(ours))
      expect(valueOf(now, one.other[0])).toBe(one.other[1])
    }
    if (valueOf(second, field) === theirs) return
    const refused = await send(w, both[1], filled(second, [[field, theirs]]))
    expect(refused.status).toBe(409)
    expect(refused.text.includes('Somebody else changed this meanwhile')).toBe(true)
    const again = formsIn(refused.text, second.page).find(({ does }) => does === second.does)
    expect(again && lines(valueOf(again, field))).toBe(lines(theirs))
    if (one.other !== undefined) expect(again && valueOf(again, one.other[0])).toBe(one.other[1])
    expect(again && (await send(w, both[1], again)).status).toBe(303)
    expect(lines(valueOf(await open(both[0], at[place], one), field))).toBe(lines(theirs))
  })
})

test('who changes nothing asks for nothing', async () => {
  const one = ofGroup.find(({ page }) => page === 'edit')
  const form = one && (await open(both[0], at.group, one))
  const { status } = (form && (await send(w, both[0], form))) ?? {}
  expect(status).toBe(303)
  expect((await both[0].get(`${at.group}/edit`, { accept: 'text/html' })).text).toContain(
    'Nothing was changed.',
  )
})

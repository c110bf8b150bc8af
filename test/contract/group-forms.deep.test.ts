import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { csrfTokenIn, signedIn, type Visitor } from '#test/visitor.ts'
import { openWorld, unique, type World } from '#test/world.ts'
import { type Form, formsBelow, send } from './forms-test-support.ts'

// What is offered is what works, outside of projects: somebody of each role walks over the pages of a group, people over those of
// their account, and an administrator over those of the instance; they send every form as it stands there.

/** A group with something of each kind that has forms. */
async function filledGroup() {
  const group = await w.group({ visibility: 'public' })
  const { owner } = group
  const at = `/groups/${group.id}`
  const make = async (path: string, body: object) => {
    const answer = await owner.post(path.startsWith('/') ? path : `${at}/${path}`, body)
    expect([path, answer.status, answer.body]).toEqual([path, 201, answer.body])
    return answer.body
  }
  const project = await w.project({ visibility: 'public', parent: group.id })
  await make(`/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions: [{ action: 'create', file_path: 'README.md', content: 'Hello' }],
  })
  await w.group({ visibility: 'public', parent: group.id })
  await make('labels', { name: 'bug', color: '#b00' })
  await make('milestones', { title: 'First' })
  const epic = await make('epics', { title: 'Epic' })
  await make(`epics/${epic.id}/notes`, { body: 'Said' })
  await make('boards', { name: 'Board' })
  await make('variables', { key: 'KEY', value: 'value of it' })
  await make('hooks', { url: 'https://example.com/hook' })
  await make('badges', { link_url: 'https://example.com', image_url: 'https://example.com/a.png' })
  await make('wikis', { title: 'home', content: 'Hello' })
  await make('deploy_tokens', { name: 'Deploy', scopes: ['read_repository'] })
  await make('access_tokens', { name: 'Bot', scopes: ['api'], access_level: 30, expires_at: tomorrow() })
  await make('protected_environments', {
    name: 'production',
    deploy_access_levels: [{ access_level: 40 }],
  })
  await make('/user/runners', { runner_type: 'group_type', group_id: group.id, tag_list: 'one' })
  const registry = await make('-/virtual_registries/container/registries', { name: 'Registry' })
  await make(`/virtual_registries/container/registries/${registry.id}/upstreams`, {
    name: 'Upstream',
    url: 'https://9.9.9.9/hub',
  })
  await make(`/projects/${project.id}/issues`, { title: 'One' })
  await w.member(group.id, await w.user(), levels.reporter)
  return group
}

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

/** What ends something comes last, so that the other forms still have what they are about. */
function order({ page, does }: Form): number {
  if (/^(?:delete|remove|erase|revoke|purge)/.test(does)) return 3
  if (does.startsWith('unprotect')) return 4
  if (/\/-\/(?:edit$|settings|group_members)/.test(page)) return 2
  return /^(?:close|cancel|block)/.test(does) ? 1 : 0
}

/** After these, nobody may do much in the group: they are tried in src/console/settings. */
const endsAll = ({ page, does }: Form): boolean =>
  /\/-\/(?:edit|group_members)$/.test(page) && /^(?:archive|transfer|rename|delete|leave)/.test(does)

/** What depends on another machine, which is not there. */
const asksElsewhere = ({ page, does }: Form): boolean => /\/hooks\//.test(page) && does === 'test'

/** @returns the forms that were refused or failed, with why */
async function tried(visitor: Visitor, forms: readonly Form[]): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const form of forms.filter((one) => !endsAll(one)).toSorted((a, b) => order(a) - order(b))) {
    const { status, text } = await send(w, visitor, form)
    const isGone = status === 404 && order(form) > 0
    const mayBeRefused = form.isUnfilled || asksElsewhere(form)
    const isExplained = mayBeRefused && [400, 409, 422].includes(status) && problems(text) !== ''
    if (![200, 303].includes(status) && !isGone && !isExplained)
      wrong.push(
        `${status} ${form.does} ${form.to ?? form.page} ${JSON.stringify(form.fields.slice(1))} ${problems(text)}`,
      )
  }
  return wrong
}

const problems = (text: string) =>
  [...text.matchAll(/class="problem"[^>]*>([^<]*)/g)].map(([, sentence = '']) => sentence.trim()).join(' ')

/** An instance of its own, whose settings change and which has everything. */
let w: World
beforeAll(async () => {
  w = await openWorld(undefined, 'ultimate')
  await w.root.post('/features/container_virtual_registries', { value: true })
})
afterAll(() => w.running.stop())

/** Forms that each role is offered at least, most of them of an epic and a note. */
const fewest = { guest: 25, planner: 35, reporter: 35, developer: 38, maintainer: 45, owner: 90 } as const
const people = Object.keys(fewest).filter((role): role is keyof typeof fewest => role in fewest)

describe.each(people)('in a group as %s', (role) => {
  test('every form that is offered is heard', { timeout: 240_000 }, async () => {
    const group = await filledGroup()
    const { visitor, ...somebody } = await signedIn(w)
    await w.member(group.id, somebody, levels[role])
    const at = `/groups/${group.fullPath}/`
    const forms = await formsBelow(visitor, `/${group.fullPath}`, (address) => address.startsWith(at))
    expect(forms.length).toBeGreaterThan(fewest[role])
    expect(await tried(visitor, forms)).toEqual([])
  })
})

test('strangers are offered nothing in a group', async () => {
  const group = await filledGroup()
  const { visitor } = await signedIn(w)
  visitor.cookies.clear()
  const at = `/groups/${group.fullPath}/`
  expect(await formsBelow(visitor, `/${group.fullPath}`, (address) => address.startsWith(at))).toEqual([])
})

test('every form of an account is heard', { timeout: 240_000 }, async () => {
  const { visitor } = await signedIn(w)
  const forms = await formsBelow(visitor, '/-/user_settings', (address) =>
    /^\/-\/(?:user_settings|profile)/.test(address),
  )
  expect(forms.length).toBeGreaterThan(10)
  expect(await tried(visitor, forms)).toEqual([])
})

describe('in the administration', () => {
  /** Of many accounts, one. */
  const isBelow = (address: string): boolean =>
    address.startsWith('/admin') && !/^\/admin\/users\/(?!new$|root$)/.test(address)

  test('every form is heard', { timeout: 240_000 }, async () => {
    const { visitor } = await signedIn(w, { username: unique('ada'), admin: true })
    const forms = await formsBelow(visitor, '/admin', isBelow)
    expect(forms.length).toBeGreaterThan(30)
    expect(await tried(visitor, forms)).toEqual([])
  })

  test('somebody else is offered nothing, and sends nothing either', { timeout: 180_000 }, async () => {
    const { visitor: ada } = await signedIn(w, { username: unique('ada'), admin: true })
    const forms = await formsBelow(ada, '/admin', isBelow)
    const { visitor } = await signedIn(w)
    expect(await formsBelow(visitor, '/admin', isBelow)).toEqual([])
    const { text } = await visitor.get('/-/user_settings/profile', { accept: 'text/html' })
    const token = ['authenticity_token', csrfTokenIn(text)] as const
    const statuses = new Set<number>()
    for (const form of forms) {
      const fields = form.fields.filter(([name]) => name !== 'authenticity_token')
      statuses.add((await send(w, visitor, { ...form, fields: [token, ...fields] })).status)
    }
    expect([...statuses]).toEqual([404])
  })
})

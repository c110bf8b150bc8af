import { beforeAll, describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { signedIn, type Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { type Form, formsBelow, send } from './forms-test-support.ts'

// What is offered is what works: somebody of each role walks over the pages of a project, and sends every form as it stands there.

/** A project with something of each kind that has forms. */
async function filledProject() {
  const group = await w.group({ visibility: 'public' })
  const project = await w.project({ visibility: 'public', parent: group.id })
  const { owner } = project
  const at = `/projects/${project.id}`
  const file = (file_path: string, content: string) => ({ action: 'create', file_path, content })
  const commit = async (branch: string, start_branch: string | undefined, actions: object[]) => {
    const { status } = await owner.post(`${at}/repository/commits`, {
      branch,
      start_branch,
      commit_message: 'Change',
      actions,
    })
    expect(status).toBe(201)
  }
  await commit('main', undefined, [
    file('README.md', '# Hello\n'),
    file('.gitlab-ci.yml', 'build:\n  script: make\nby-hand:\n  script: make it\n  when: manual\n'),
  ])
  await commit('topic', 'main', [file('topic.txt', 'x\n')])
  await owner.post(`${at}/labels`, { name: 'bug', color: '#b00' })
  await owner.post(`${at}/milestones`, { title: 'First' })
  for (const title of ['One', 'Two']) await owner.post(`${at}/issues`, { title })
  await owner.post(`${at}/issues/1/notes`, { body: 'Said' })
  await owner.post(`${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Topic' })
  await owner.post(`${at}/snippets`, {
    title: 'Snippet',
    visibility: 'public',
    files: [{ file_path: 'a.txt', content: 'x' }],
  })
  await owner.post(`${at}/wikis`, { title: 'home', content: 'Hello' })
  await owner.post(`${at}/releases`, { tag_name: 'v1', ref: 'main', name: 'First' })
  await owner.post(`${at}/boards`, { name: 'Board' })
  await owner.post(`${at}/environments`, { name: 'production' })
  return project
}

/** What ends something comes last, so that the other forms still have what they are about; before it what changes settings. */
function order({ page, does }: Pick<Form, 'page' | 'does'>): number {
  if (/^(?:delete|remove|erase|revoke)/.test(does)) return 3
  if (/\/-\/(?:settings|project_members)/.test(page)) return 2
  return /^(?:close|merge|cancel)/.test(does) ? 1 : 0
}

/** After these, nobody may do much in the project: they are tried in src/console/settings. */
const endsAll = ({ page, does }: Pick<Form, 'page' | 'does'>): boolean =>
  /\/-\/(?:settings\/general|project_members)/.test(page) &&
  /^(?:archive|transfer|path|rename|delete|remove|leave|visibility|features)/.test(does)

const people = ['guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'] as const

describe.each(people)('as %s', (role) => {
  let project: Awaited<ReturnType<typeof filledProject>>
  let visitor: Visitor
  beforeAll(async () => {
    project = await filledProject()
    const somebody = await signedIn(w)
    visitor = somebody.visitor
    await w.member(project.namespaceId, somebody, levels[role])
  }, 180_000)

  test('every form that is offered is heard', { timeout: 240_000 }, async () => {
    const forms = (
      await formsBelow(visitor, `/${project.fullPath}`, (address) =>
        address.startsWith(`/${project.fullPath}`),
      )
    )
      .filter((form) => !endsAll(form))
      .toSorted((a, b) => order(a) - order(b))
    expect(forms.length).toBeGreaterThan(3)
    const wrong: unknown[] = []
    for (const { page, does, fields } of forms) {
      const { status, text } = await send(w, visitor, { page, does, fields })
      // A secret is shown once, with 200. A word that fits nowhere may be refused, and so may be what an earlier form has made impossible; nobody is told that they may not.
      const isHeard = [200, 303, 400, 405, 409, 422].includes(status)
      const isGone = status === 404 && order({ page, does }) > 0
      if (!isHeard && !isGone)
        wrong.push(`${status} ${does} ${page}: ${/class="problem"[^<]*/.exec(text)?.[0]}`)
    }
    expect(wrong).toEqual([])
  })
})

test('strangers are offered nothing that must be sent', async () => {
  const project = await filledProject()
  const { visitor } = await signedIn(w)
  visitor.cookies.clear()
  expect(
    await formsBelow(visitor, `/${project.fullPath}`, (address) =>
      address.startsWith(`/${project.fullPath}`),
    ),
  ).toEqual([])
})

/** What nobody types, in the place of each value of a form. */
const hostile: Readonly<
  Record<string, (name: string, value: string) => readonly (readonly [string, string])[]>
> = {
  'a hash': (name, value) => [[`${name}[x][y]`, value]],
  'a list': (name, value) => [
    [`${name}[]`, value],
    [`${name}[]`, '<script>'],
  ],
  'a null byte': (name) => [[name, 'a\0b']],
  'text without end': (name) => [[name, '𝒳"><img src=x>'.repeat(5_000)]],
  'a number out of range': (name) => [[name, '99999999999999999999']],
}

test('hostile values are refused or taken, and never a failure', { timeout: 240_000 }, async () => {
  const project = await filledProject()
  const { visitor, ...owner } = await signedIn(w)
  await w.member(project.namespaceId, owner, levels.owner)
  const forms = (
    await formsBelow(visitor, `/${project.fullPath}`, (address) => address.startsWith(`/${project.fullPath}`))
  ).filter((form) => !endsAll(form) && order(form) < 3)
  expect(forms.length).toBeGreaterThan(40)
  const failed: string[] = []
  for (const { page, does, fields } of forms)
    for (const [kind, change] of Object.entries(hostile)) {
      const pairs = fields.flatMap(([name, value]) =>
        name === 'authenticity_token' ? [[name, value] as const] : change(name, value),
      )
      const { status, text } = await send(w, visitor, { page, does, fields: pairs })
      if (status >= 500 || text.includes('<script>') || text.includes('<img src=x>'))
        failed.push(`${status} ${kind}: ${does} ${page}`)
    }
  expect(failed).toEqual([])
})

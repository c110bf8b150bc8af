import { expect, test } from 'vitest'
import type { Answer, Client } from '#test/client.ts'
import { branchedProject } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'

// Clients match these sentences, to go on where something is there already, or to say what to do.

const NOT_ALLOWED = 'You are not allowed to push into this branch'
const NOT_ON_BRANCH = 'You can only create or edit files when you are on a branch'
const CHANGED = 'You are attempting to update a file that has changed since you started editing it.'
const sorry = (verb: string, done: string) =>
  `Sorry, we cannot ${verb} this commit automatically. This commit may already have been ${done}, or a more recent commit ` +
  'may have updated some of its content.'

type Project = Awaited<ReturnType<typeof branchedProject>>

const file = { branch: 'main', commit_message: 'x', content: 'x' }
const files = ({ id }: Project, name: string) => `/projects/${id}/repository/files/${name}`
const commits = ({ id }: Project) => `/projects/${id}/repository/commits`
const commit = (by: Client, p: Project, more: object = {}) =>
  by.post(commits(p), {
    branch: 'main',
    commit_message: 'x',
    actions: [{ action: 'create', file_path: 'new', content: '' }],
    ...more,
  })

const protectedProject = async () => {
  const p = await branchedProject()
  await p.owner.post(`/projects/${p.id}/protected_branches`, { name: 'main' })
  return p
}

test.each<[string, number, unknown, (p: Project) => Promise<Answer>]>([
  ['a new file', 400, NOT_ALLOWED, (p) => p.developer.post(files(p, 'new'), file)],
  ['a changed file', 400, NOT_ALLOWED, (p) => p.developer.put(files(p, 'a.txt'), file)],
  [
    'a deleted file',
    400,
    NOT_ALLOWED,
    (p) => p.developer.delete(`${files(p, 'a.txt')}?branch=main&commit_message=x`),
  ],
  ['a commit', 403, `403 Forbidden - ${NOT_ALLOWED}`, (p) => commit(p.developer, p)],
  [
    'a cherry-pick',
    403,
    `403 Forbidden - ${NOT_ALLOWED}`,
    (p) => p.developer.post(`${commits(p)}/feature/cherry_pick`, { branch: 'main' }),
  ],
  [
    'a revert',
    403,
    `403 Forbidden - ${NOT_ALLOWED}`,
    (p) => p.developer.post(`${commits(p)}/main/revert`, { branch: 'main' }),
  ],
])('%s on a protected branch', async (_, status, message, ask) => {
  const answer = await ask(await protectedProject())
  expect([answer.status, answer.body.message]).toEqual([status, message])
})

test.each<[string, number, unknown, (p: Project) => Promise<Answer>]>([
  [
    'a file on a missing branch',
    400,
    NOT_ON_BRANCH,
    (p) => p.developer.post(files(p, 'new'), { ...file, branch: 'none' }),
  ],
  ['a commit to a missing branch', 400, NOT_ON_BRANCH, (p) => commit(p.developer, p, { branch: 'none' })],
  [
    'a commit from a missing branch',
    400,
    NOT_ON_BRANCH,
    (p) => commit(p.developer, p, { branch: 'x', start_branch: 'none' }),
  ],
  [
    'a stale file',
    400,
    CHANGED,
    (p) => p.developer.put(files(p, 'a.txt'), { ...file, branch: 'feature', last_commit_id: 'main' }),
  ],
  [
    'a stale file to delete',
    400,
    CHANGED,
    (p) => p.developer.delete(`${files(p, 'a.txt')}?branch=feature&commit_message=x&last_commit_id=main`),
  ],
  [
    'a stale file in a commit',
    400,
    CHANGED,
    (p) =>
      commit(p.developer, p, {
        branch: 'feature',
        actions: [{ action: 'update', file_path: 'a.txt', content: 'x', last_commit_id: 'main' }],
      }),
  ],
  [
    'the tree of a missing path',
    404,
    '404 invalid revision or path Not Found',
    (p) => p.developer.get(`/projects/${p.id}/repository/tree?path=none`),
  ],
  [
    'a cherry-pick that conflicts',
    400,
    sorry('cherry-pick', 'cherry-picked'),
    (p) => p.developer.post(`${commits(p)}/clash/cherry_pick`, { branch: 'feature' }),
  ],
  [
    'a revert that conflicts',
    400,
    sorry('revert', 'reverted'),
    (p) => p.developer.post(`${commits(p)}/clash/revert`, { branch: 'feature' }),
  ],
  [
    'the default branch deleted',
    405,
    'Cannot remove HEAD branch',
    (p) => p.owner.delete(`/projects/${p.id}/repository/branches/main`),
  ],
  [
    'a bad branch',
    400,
    'Branch name is invalid',
    (p) => p.developer.post(`/projects/${p.id}/repository/branches`, { branch: 'a..b', ref: 'main' }),
  ],
  [
    'a commit to a bad branch',
    400,
    "Something went wrong when we tried to create 'a..b' for you: Branch name is invalid",
    (p) => commit(p.developer, p, { branch: 'a..b', start_branch: 'main' }),
  ],
  [
    'a bad tag',
    400,
    'Tag name invalid',
    (p) => p.developer.post(`/projects/${p.id}/repository/tags`, { tag_name: 'a..b', ref: 'main' }),
  ],
  [
    'a commit without a signature',
    404,
    '404 Signature Not Found',
    (p) => p.developer.get(`${commits(p)}/main/signature`),
  ],
  [
    'an unreadable license',
    400,
    'The license key is invalid.',
    () => w.root.post('/license', { license: 'nonsense' }),
  ],
  [
    'a merge request of a branch into itself',
    422,
    ["You can't use same project/branch for source and target"],
    (p) => p.developer.post(p.path, { title: 'x', source_branch: 'main', target_branch: 'main' }),
  ],
])('%s', async (_, status, message, ask) => {
  const answer = await ask(await branchedProject())
  expect([answer.status, answer.body.message]).toEqual([status, message])
})

test('what is shared or forked already', async () => {
  const p = await branchedProject()
  const [group, other] = [await w.group(), await w.group()]
  for (const to of [group, other]) await w.member(to.id, p.owner, 50)
  const share = { group_id: other.id, group_access: 30 }
  for (const [path, message] of [
    [`/projects/${p.id}/share`, 'Project already shared with this group'],
    [`/groups/${group.id}/share`, 'Shared group The group has already been shared with this group'],
  ] as const) {
    expect((await p.owner.post(path, share)).status).toBe(201)
    const again = await p.owner.post(path, share)
    expect([again.status, again.body]).toEqual([409, { message }])
  }
  await p.reporter.post(`/projects/${p.id}/fork`)
  const again = await p.reporter.post(`/projects/${p.id}/fork`)
  expect([again.status, again.body.message.path]).toEqual([409, ['has already been taken']])
})

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { Client } from '#test/client.ts'
import { giveSample } from '#test/repositories.ts'
import { w } from '#test/world.ts'

/** As in .ci/run, which installs it. */
const VERSION = '3.16.5'
const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
const gitlabform = join(cache, 'forgelet-tools', `gitlabform-${VERSION}`, 'bin', 'gitlabform')
const has = existsSync(gitlabform)
if (!has) console.log(`skipped: gitlabform ${VERSION} is not installed, see .ci/run`)

const DEPLOY_KEY = `ssh-ed25519 ${Buffer.concat([
  Buffer.from([0, 0, 0, 11]),
  Buffer.from('ssh-ed25519'),
  Buffer.from([0, 0, 0, 32]),
  Buffer.alloc(32, 7),
]).toString('base64')}`

const namesOf = ({ body }: { readonly body: readonly { readonly name: string }[] }) =>
  body.map(({ name }) => name).toSorted()

test.skipIf(!has)('gitlabform brings a project into a state, and finds nothing to do again', async () => {
  const group = await w.group()
  const guests = await w.group()
  const project = await w.project({ parent: group.id })
  await giveSample(project)
  const developer = await w.user()
  const { url } = await w.licensed()
  const root = new Client(url, w.root.headers)
  const wanted = {
    config_version: 3,
    gitlab: { url, token: w.root.token, max_retries: 0 },
    projects_and_groups: {
      [`${group.fullPath}/*`]: {
        group_settings: { description: 'Brought about' },
      },
      [project.fullPath]: {
        project_settings: {
          description: 'As it is written',
          only_allow_merge_if_all_discussions_are_resolved: true,
        },
        members: {
          users: { [developer.username]: { access_level: 30, expires_at: '2099-01-01' } },
          groups: { [guests.fullPath]: { group_access: 10 } },
        },
        branches: {
          main: { protected: true, push_access_level: 40, merge_access_level: 30, allow_force_push: false },
          'release/*': { protected: true, push_access_level: 0, merge_access_level: 40 },
        },
        tags: { 'v*': { protected: true, create_access_level: 40 } },
        merge_requests_approvals: { reset_approvals_on_push: true },
        merge_requests_approval_rules: {
          any: { name: 'All members', approvals_required: 1, rule_type: 'any_approver' },
          security: { name: 'Security', approvals_required: 1, users: [developer.username] },
        },
        labels: { bug: { color: '#ff0000', description: 'Something is wrong' } },
        badges: {
          build: {
            name: 'build',
            link_url: 'https://example.com/',
            image_url: 'https://example.com/build.svg',
          },
        },
        deploy_keys: { reader: { key: DEPLOY_KEY, title: 'reader', can_push: false } },
        files: {
          'made.txt': { overwrite: true, branches: ['main'], content: 'Made here\n' },
        },
      },
    },
  }
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-gitlabform-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'config.yml')
  await writeFile(file, stringify(wanted))
  const run = () =>
    promisify(execFile)(gitlabform, ['--config', file, '--terminate', 'ALL_DEFINED'], {
      cwd: folder,
      env: { HOME: folder, PATH: process.env['PATH'] },
      timeout: 120_000,
    })
  await run()
  const base = `/projects/${project.id}`
  const state = async () => ({
    project: (await root.get(base)).body.description,
    group: (await root.get(`/groups/${group.id}`)).body.description,
    members: (await root.get(`${base}/members`)).body,
    // It protects branches and tags anew each time.
    branches: namesOf(await root.get(`${base}/protected_branches`)),
    tags: namesOf(await root.get(`${base}/protected_tags`)),
    rules: (await root.get(`${base}/approval_rules`)).body,
    labels: namesOf(await root.get(`${base}/labels`)),
    badges: (await root.get(`${base}/badges`)).body,
    keys: (await root.get(`${base}/deploy_keys`)).body,
    commits: (await root.get(`${base}/repository/commits`)).body.length,
  })
  const once = await state()
  expect(once).toMatchObject({
    project: 'As it is written',
    group: 'Brought about',
    keys: [{ title: 'reader' }],
  })
  expect(once.members).toContainEqual(
    expect.objectContaining({ id: developer.id, access_level: 30, expires_at: '2099-01-01' }),
  )
  expect(once.branches).toEqual(['main', 'release/*'])
  expect(once.rules).toMatchObject([
    { rule_type: 'any_approver', approvals_required: 1 },
    { name: 'Security', users: [{ id: developer.id }] },
  ])
  expect(once.labels).toEqual(['bug'])
  expect((await root.get(`${base}/repository/files/made.txt/raw?ref=main`)).text).toBe('Made here\n')
  await run()
  expect(await state()).toEqual(once)
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Sshd, noSshd } from '#test/sshd.ts'
import { type Actor, openWorld, type World } from '#test/world.ts'
import { SshClient } from './test-support.ts'

let own: World
let folder: string
let sshd: Sshd | undefined
let sites: Readonly<Record<string, string>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forgelet-ssh-'))
  const socket = join(folder, 'socket')
  own = await openWorld(undefined, undefined, {
    FORGELET_SSH_ADDRESS: '127.0.0.1:0',
    FORGELET_SSH_SOCKET: socket,
  })
  sshd = noSshd() === undefined ? await Sshd.open(socket) : undefined
  sites = { 'the own door': own.running.services.sshSite() ?? '', ...(sshd && { OpenSSH: sshd.site }) }
})
afterAll(async () => {
  await sshd?.[Symbol.asyncDispose]()
  await own.running.stop()
  await rm(folder, { recursive: true, force: true })
})

/** What came of an attempt: whether it succeeded, or the sentence that says why not. */
type Outcome = string

const SENTENCE = /^(?:remote: )?(?:Forgelet: |fatal: |)(.+?)\s*$/m
const outcomeOf = ({ code, err }: { readonly code: number; readonly err: string }): Outcome =>
  code === 0 ? 'done' : (SENTENCE.exec(err.replace(/^Warning: .*$/gm, '').trim())?.[1] ?? err)

const kinds = ['private', 'internal', 'public', 'archived', 'moving'] as const
type Kind = (typeof kinds)[number]

/** Behind the doors is the same code, so the slower one tries one kind, and two people. */
const doors: readonly (readonly [door: string, kinds: readonly Kind[]])[] = [
  ['the own door', kinds],
  ...(noSshd() === undefined ? ([['OpenSSH', ['archived']]] as const) : []),
]

const isVisibility = (kind: Kind) => kind === 'private' || kind === 'internal' || kind === 'public'

/** A project with a file on `main`, a page in its wiki, and what makes it one of a kind. */
async function projectOf(kind: Kind) {
  const p = await own.project({ visibility: isVisibility(kind) ? kind : 'private' })
  const files = {
    branch: 'main',
    commit_message: 'Begin',
    actions: [{ action: 'create', file_path: 'a', content: 'a' }],
  }
  expect((await p.owner.post(`/projects/${p.id}/repository/commits`, files)).status).toBe(201)
  const page = { title: 'home', content: 'Home' }
  expect((await p.owner.post(`/projects/${p.id}/wikis`, page)).status).toBe(201)
  if (kind === 'archived') await p.owner.post(`/projects/${p.id}/archive`)
  if (kind === 'moving')
    await own.db
      .updateTable('repositories')
      .set({ read_only_because: 'move' })
      .where('project_id', '=', p.id)
      .execute()
  return p
}

type Project = Awaited<ReturnType<typeof projectOf>>

/** What is tried, with what git is called with; `URL` stands for the repository's. */
const attempts: Readonly<Record<string, readonly string[]>> = {
  clone: ['clone', '--quiet', 'URL', 'TARGET'],
  'push a branch': ['push', '--force', 'URL', 'HEAD:refs/heads/own'],
  'push to main': ['push', '--force', 'URL', 'HEAD:refs/heads/main'],
  'delete a branch': ['push', 'URL', ':refs/heads/own'],
  'clone the wiki': ['clone', '--quiet', 'WIKI', 'TARGET'],
  'push to the wiki': ['push', '--force', 'WIKI', 'HEAD:refs/heads/main'],
}
const archive = ['archive', '--format=tar', '--remote=URL', '--output=TARGET', 'main']

let targets = 0

/** Tries something with a repository at a base, such as `ssh://git@host/`. */
async function attempt(
  client: SshClient,
  base: string,
  { fullPath }: Project,
  command: readonly string[],
): Promise<Outcome> {
  const places: Record<string, string> = {
    URL: `${base}${fullPath}.git`,
    WIKI: `${base}${fullPath}.wiki.git`,
    TARGET: `target-${++targets}`,
  }
  const args = command.map((one) => one.replace(/URL|WIKI|TARGET/, (name) => places[name] ?? ''))
  return outcomeOf(await client.git.try(args, { cwd: join(client.git.folder, 'work') }))
}

/** What comes of everything over one door. */
async function over(client: SshClient, base: string, p: Project): Promise<Record<string, Outcome>> {
  const outcomes: Record<string, Outcome> = {}
  for (const [what, command] of Object.entries(attempts))
    outcomes[what] = await attempt(client, base, p, command)
  return outcomes
}

/** A client with a commit of its own, which it may push wherever it may. */
async function clientWithWork(): Promise<SshClient> {
  const client = await SshClient.open()
  const work = await client.git.init(own.url, 'work')
  await work.commit({ b: 'b' })
  return client
}

const withToken = ({ token }: Actor): string => `${own.url.replace('://', `://oauth2:${token}@`)}/`

/** Whether somebody gets an archive by the API, and over SSH. */
async function archives(client: SshClient, site: string, person: Actor, p: Project) {
  const { status } = await fetch(`${own.url}/api/v4/projects/${p.id}/repository/archive.tar`, {
    headers: { 'private-token': person.token },
  })
  const bySsh = await attempt(client, site, p, archive)
  return { byApi: status === 200, bySsh: bySsh === 'done' }
}

describe.each(doors)('%s', (door, kinds) => {
  test.each(kinds)('gives the rights that HTTP gives in a project that is %s', async (kind) => {
    const p = await projectOf(kind)
    await using client = await clientWithWork()
    const site = sites[door] ?? ''
    const external = await own.user({ external: true })
    const within = await own.user({ external: true })
    await own.member(p.namespaceId, within, 30)
    const everybody: [string, Actor][] = [
      ['guest', p.guest],
      ['planner', p.planner],
      ['reporter', p.reporter],
      ['developer', p.developer],
      ['maintainer', p.maintainer],
      ['owner', p.owner],
      ['administrator', own.root],
      ['external user', external],
      ['external developer', within],
      ['stranger', p.stranger],
    ]
    const people =
      door === 'the own door'
        ? everybody
        : everybody.filter(([name]) => name === 'guest' || name === 'maintainer')
    const key = { of: p.guest, id: await client.addTo(p.guest) }
    for (const [name, person] of people) {
      // One key goes from hand to hand.
      await key.of.delete(`/user/keys/${key.id}`)
      key.of = person
      key.id = await client.addTo(person)
      const byHttp = await over(client, withToken(person), p)
      const bySsh = await over(client, site, p)
      expect({ name, ...bySsh }).toEqual({ name, ...byHttp })
      const { byApi, bySsh: archived } = await archives(client, site, person, p)
      expect({ name, archived }).toEqual({ name, archived: byApi })
    }
    await key.of.delete(`/user/keys/${key.id}`)
  })

  test('refuses who is blocked, as HTTP does', async () => {
    // Over HTTP anybody reads what is public, without a token.
    const p = await projectOf('private')
    await using client = await clientWithWork()
    await client.addTo(p.maintainer)
    await own.root.post(`/users/${p.maintainer.id}/block`)
    for (const base of [withToken(p.maintainer), sites[door] ?? '']) {
      const outcomes = Object.values(await over(client, base, p))
      expect(outcomes).not.toContain('done')
    }
  })
})

describe('a key', () => {
  const NOBODY = /Permission denied \(publickey\)/
  // Nobody may push to a protected branch by force.
  const LET_IN = /^(?:done$|The branch main is protected)/
  test.each([
    ['for signing in', { usage_type: 'auth' }, LET_IN],
    ['for both', { usage_type: 'auth_and_signing' }, LET_IN],
    ['for signing alone', { usage_type: 'signing' }, NOBODY],
  ])('%s', async (_, usage, expected) => {
    const p = await projectOf('private')
    for (const site of Object.values(sites)) {
      await using client = await clientWithWork()
      await client.addTo(p.maintainer, usage)
      for (const command of [...Object.values(attempts), archive])
        expect(await attempt(client, site, p, command)).toMatch(expected)
    }
  })

  test('that has expired opens nothing', async () => {
    const p = await projectOf('public')
    for (const site of Object.values(sites)) {
      await using client = await clientWithWork()
      const id = await client.addTo(p.maintainer)
      await own.db.updateTable('ssh_keys').set({ expires_at: '2020-01-01' }).where('id', '=', id).execute()
      for (const command of [...Object.values(attempts), archive])
        expect(await attempt(client, site, p, command)).toBe('This SSH key has expired.')
    }
  })
})

describe('a deploy key', () => {
  const ONLY_READS = 'This deploy key may only read this project.'
  const HIDDEN = 'Project Not Found'
  const PROTECTED = /^You may not push to the protected branch main/

  test.each([
    ['that only reads', false],
    ['that can push', true],
  ])('%s', async (_, can_push) => {
    for (const site of Object.values(sites)) {
      await using client = await clientWithWork()
      const p = await projectOf('private')
      const key = { title: 'Machine', key: client.publicKey, can_push }
      expect((await p.maintainer.post(`/projects/${p.id}/deploy_keys`, key)).status).toBe(201)
      expect({
        ...(await over(client, site, p)),
        archive: await attempt(client, site, p, archive),
      }).toEqual({
        clone: 'done',
        'push a branch': can_push ? 'done' : ONLY_READS,
        'push to main': can_push ? expect.stringMatching(PROTECTED) : ONLY_READS,
        'delete a branch': can_push ? 'done' : ONLY_READS,
        'clone the wiki': HIDDEN,
        'push to the wiki': HIDDEN,
        archive: 'done',
      })
      // In other projects it may what strangers may.
      const other = await projectOf('public')
      expect(await over(client, site, other)).toEqual({
        clone: 'done',
        'push a branch': HIDDEN,
        'push to main': HIDDEN,
        'delete a branch': HIDDEN,
        'clone the wiki': 'done',
        'push to the wiki': HIDDEN,
      })
    }
  })

  test('that expires opens nothing any more', async () => {
    const p = await projectOf('public')
    const key = { title: 'Machine', can_push: true }
    for (const site of Object.values(sites)) {
      await using client = await clientWithWork()
      const { body } = await p.maintainer.post(`/projects/${p.id}/deploy_keys`, {
        ...key,
        key: client.publicKey,
      })
      await own.db
        .updateTable('ssh_keys')
        .set({ expires_at: '2020-01-01' })
        .where('id', '=', Number(body.id))
        .execute()
      expect(await attempt(client, site, p, attempts['clone'] ?? [])).toBe('This SSH key has expired.')
    }
  })

  test.each([
    ['archived', 'This project is archived, so nobody can push to it.'],
    ['moving', 'The repository is temporarily read-only. Please try again later.'],
  ] as const)('in a project that is %s reads alone', async (kind, sentence) => {
    const p = await projectOf(kind)
    if (kind === 'archived') await p.owner.post(`/projects/${p.id}/unarchive`)
    for (const site of Object.values(sites)) {
      await using client = await clientWithWork()
      const key = { title: 'Machine', key: client.publicKey, can_push: true }
      expect((await p.maintainer.post(`/projects/${p.id}/deploy_keys`, key)).status).toBe(201)
      if (kind === 'archived') await p.owner.post(`/projects/${p.id}/archive`)
      expect(await attempt(client, site, p, attempts['clone'] ?? [])).toBe('done')
      expect(await attempt(client, site, p, attempts['push a branch'] ?? [])).toBe(sentence)
      if (kind === 'archived') await p.owner.post(`/projects/${p.id}/unarchive`)
    }
  })
})

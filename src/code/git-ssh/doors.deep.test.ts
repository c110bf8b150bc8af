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

type Kind = 'private' | 'internal' | 'public' | 'private archived'

/** Behind the doors is the same code, so the slower one tries two kinds. */
const doors: readonly (readonly [door: string, kinds: readonly Kind[]])[] = [
  ['the own door', ['private', 'internal', 'public', 'private archived']],
  ...(noSshd() === undefined ? ([['OpenSSH', ['public', 'private archived']]] as const) : []),
]

describe.each(doors)('%s', (door, kinds) => {
  test.each(kinds)('gives the rights that HTTP gives in a %s project', async (kind) => {
    const visibility = kind === 'private archived' ? 'private' : kind
    const p = await own.project({ visibility })
    const files = {
      branch: 'main',
      commit_message: 'Begin',
      actions: [{ action: 'create', file_path: 'a', content: 'a' }],
    }
    await p.owner.post(`/projects/${p.id}/repository/commits`, files)
    if (kind === 'private archived') await p.owner.post(`/projects/${p.id}/archive`)
    await using client = await SshClient.open()
    const site = sites[door] ?? ''
    const key = { of: p.guest, id: await client.addTo(p.guest) }
    const people: [string, Actor][] = [
      ['guest', p.guest],
      ['reporter', p.reporter],
      ['developer', p.developer],
      ['maintainer', p.maintainer],
      ['stranger', p.stranger],
    ]
    const work = await client.git.init(`${own.url}/${p.fullPath}.git`, 'work')
    await work.commit({ b: 'b' })
    for (const [name, person] of people) {
      // One key goes from hand to hand.
      await key.of.delete(`/user/keys/${key.id}`)
      key.of = person
      key.id = await client.addTo(person)
      const http = `${own.url.replace('://', `://oauth2:${person.token}@`)}/${p.fullPath}.git`
      const ssh = `${site}${p.fullPath}.git`
      const attempts = {
        read: ['ls-remote', '--heads'],
        'push a branch': ['push', '--force', 'HEAD:refs/heads/own'],
        'push to main': ['push', '--force', 'HEAD:refs/heads/main'],
        'delete a branch': ['push', ':refs/heads/own'],
      }
      const over = async (url: string) => {
        const outcomes: Record<string, string> = {}
        for (const [what, [command = '', ...args]] of Object.entries(attempts)) {
          const flags = args.filter((one) => one.startsWith('--'))
          const rest = args.filter((one) => !one.startsWith('--'))
          const ran = await client.git.try([command, ...flags, url, ...rest], { cwd: work.folder })
          outcomes[what] = ran.code === 0 ? 'done' : outcomeOf(ran)
        }
        return outcomes
      }
      const [byHttp, bySsh] = [await over(http), await over(ssh)]
      expect({ name, ...bySsh }).toEqual({ name, ...byHttp })
    }
  })
})

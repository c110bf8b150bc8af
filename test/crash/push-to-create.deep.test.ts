import { afterEach, expect, test } from 'vitest'
import { SshClient } from '#code/git-ssh/test-support.ts'
import { Client } from '#test/client.ts'
import { type Clone, GitClient } from '#test/git-client.ts'
import { expectAgreement } from './agreement.ts'
import { dataFolder, killEverything, onDatabase, start, TOKEN } from './killing.ts'

/** Each takes two seconds. More find more: `CRASHES=20`. */
const crashes = Number(process.env['CRASHES'] ?? 5)
const SSH = { FORGELET_SSH_ADDRESS: '127.0.0.1:0' }

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** Somebody who pushes to paths where nothing is. */
interface Lane {
  readonly name: string
  readonly work: Clone
  readonly head: string
  /** The remote at a path. */
  readonly urlOf: (path: string) => Promise<string>
}

/** What the database has of a project's path. */
async function traces(data: string, path: string) {
  return onDatabase(data, async (pool) => {
    const { rows } = await pool.query(
      `select n.id::int, p.id::int as project, n.visibility, n.deleted_at,
          (select count(*)::int from facts f where f.namespace_id = n.id and f.name = 'project created') as told,
          (select count(*)::int from repositories r where r.project_id = p.id) as repositories
        from namespaces n left join projects p on p.project_namespace_id = n.id where n.full_path = $1`,
      [path],
    )
    return rows
  })
}

test(
  `${crashes} kills during pushes that make projects: one is there, and the push can be repeated, or nothing is`,
  { timeout: 60_000 + crashes * 20_000 },
  async () => {
    const data = await dataFolder()
    const client = await GitClient.open()
    cleanups.push(() => client[Symbol.asyncDispose]())
    const overSsh = await SshClient.open()
    cleanups.push(() => overSsh[Symbol.asyncDispose]())
    let server = await start(data, SSH)
    cleanups.push(() => killEverything(server.child, data))
    const api = () => new Client(server.url, { 'private-token': TOKEN })
    await api().post('/user/keys', { title: 'Crash', key: overSsh.publicKey })
    const { body: known } = await api().post('/projects', { name: 'known' })

    const lane = async (name: string, git: GitClient, urlOf: Lane['urlOf']): Promise<Lane> => {
      const work = await git.init('nowhere', name)
      return { name, work, head: await work.commit({ 'a.txt': name }), urlOf }
    }
    const lanes = await Promise.all([
      lane('plain', client, async (path) => `${server.url.replace('://', `://x:${TOKEN}@`)}/${path}.git`),
      lane('secure', overSsh.git, async (path) => {
        const { body } = await api().get(`/projects/${known.id}`)
        return String(body.ssh_url_to_repo).replace('root/known', path)
      }),
    ])
    const pathOf = ({ name }: Lane, crash: string | number) => `root/made-${name}-${crash}`
    const push = (one: Lane, url: string) => one.work.try('push', '--quiet', url, 'HEAD:refs/heads/main')

    const took = await Promise.all(
      lanes.map(async (one) => {
        const url = await one.urlOf(pathOf(one, 'whole'))
        const began = performance.now()
        expect(await push(one, url)).toMatchObject({ code: 0 })
        return performance.now() - began
      }),
    )
    for (let crash = 0; crash < crashes; crash += 1) {
      const urls = await Promise.all(lanes.map((one) => one.urlOf(pathOf(one, crash))))
      const pushing = lanes.map((one, index) => push(one, urls[index] ?? ''))
      // The blows are spread over the time that a whole push takes, and fall at any moment of their part of it.
      const moment = ((crash + Math.random()) / crashes) * Math.max(...took)
      await new Promise((resolve) => setTimeout(resolve, moment))
      await killEverything(server.child, data)
      const pushed = await Promise.all(pushing)
      server = await start(data, SSH)
      for (const [index, one] of lanes.entries()) {
        const path = pathOf(one, crash)
        const isAcknowledged = pushed[index]?.code === 0
        const { status } = await api().get(`/projects/${encodeURIComponent(path)}`)
        const left = await traces(data, path)
        if (status === 404) expect([path, isAcknowledged, left]).toEqual([path, false, []])
        // Whoever had no answer pushes again, and whoever had one finds that everything is there.
        const again = await push(one, await one.urlOf(path))
        expect([path, again]).toEqual([path, expect.objectContaining({ code: 0 })])
        const [made, ...others] = await traces(data, path)
        expect(others).toEqual([])
        expect(made).toMatchObject({ visibility: 'private', deleted_at: null, told: 1, repositories: 1 })
        await expectAgreement(data, made.project, new Map([['main', one.head]]))
        const { body: branch } = await api().get(
          `/projects/${encodeURIComponent(path)}/repository/branches/main`,
        )
        expect(branch).toMatchObject({ default: true, commit: { id: one.head } })
      }
    }
  },
)

import { afterEach, describe, expect, test } from 'vitest'
import { SshClient } from '#code/git-ssh/test-support.ts'
import { Client } from '#test/client.ts'
import { type Clone, GitClient } from '#test/git-client.ts'
import { expectAgreement } from './agreement.ts'
import { dataFolder, killEverything, start, TOKEN } from './killing.ts'

/** Each takes two seconds. More find more: `CRASHES=20`. */
const crashes = Number(process.env['CRASHES'] ?? 2)
/** The last one pushes over SSH. */
const LANES = 3
const SSH = { FORGELET_SSH_ADDRESS: '127.0.0.1:0' }

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** Commits and pushes one after the other on a branch of its own; knows what was acknowledged. */
async function pushUntil(
  work: Clone,
  branch: string,
  stopped: () => boolean,
  acknowledged: Map<string, string>,
) {
  for (let count = 0; !stopped(); count += 1) {
    const id = await work.commit({ [`${branch}.txt`]: `${count} ${Math.random()}` }, `${branch} ${count}`)
    const { code } = await work.try('push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`)
    if (code === 0) acknowledged.set(branch, id)
    else await work.try('fetch', '--quiet', 'origin')
  }
}

describe('when everything is killed during pushes', () => {
  test(
    `${crashes} times: nothing acknowledged is lost, references and database agree, each push is recorded once`,
    { timeout: 60_000 + crashes * 60_000 },
    async () => {
      const data = await dataFolder()
      const client = await GitClient.open()
      cleanups.push(() => client[Symbol.asyncDispose]())
      const overSsh = await SshClient.open()
      cleanups.push(() => overSsh[Symbol.asyncDispose]())
      let server = await start(data, SSH)
      cleanups.push(() => killEverything(server.child, data))
      const api = () => new Client(server.url, { 'private-token': TOKEN })
      const { body } = await api().post('/projects', { name: 'crash' })
      await api().post('/user/keys', { title: 'Crash', key: overSsh.publicKey })
      const url = () => `${server.url.replace('://', `://x:${TOKEN}@`)}/root/crash.git`
      const sshUrl = async (): Promise<string> =>
        (await api().get(`/projects/${body.id}`)).body.ssh_url_to_repo
      const lanes = await Promise.all(
        Array.from({ length: LANES }, (_, lane) =>
          (lane === LANES - 1 ? overSsh.git : client).init(url(), `lane-${lane}`),
        ),
      )
      const acknowledged = new Map<string, string>()
      for (let crash = 0; crash < crashes; crash += 1) {
        const urls = [...Array.from({ length: LANES - 1 }, url), await sshUrl()]
        for (const [index, lane] of lanes.entries())
          await lane.run('remote', 'set-url', 'origin', urls[index] ?? '')
        let stopped = false
        const pushing = lanes.map((lane, index) =>
          pushUntil(lane, `branch-${index}`, () => stopped, acknowledged),
        )
        // However busy the machine is, each lane has pushed; then the blow falls at any moment of the next push.
        await expect.poll(() => acknowledged.size).toBe(LANES)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 700))
        await killEverything(server.child, data)
        stopped = true
        await Promise.all(pushing)
        server = await start(data, SSH)
        await expectAgreement(data, body.id, acknowledged)
      }
      expect(acknowledged.size).toBe(LANES)
    },
  )
})

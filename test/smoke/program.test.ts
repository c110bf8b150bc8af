import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { killEverything } from '#test/crash/killing.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { folder, forgelet, READY } from '#test/program/forgelet.ts'

// The program as people run it, with a database of its own. test/program, test/embedded and test/crash try all of it.

/** A page of a list. */
const MOST = 100

const rootOf = (url: string) => new Client(url, { 'private-token': ROOT_TOKEN })

/** Writes labels until the server is gone, or a page is full. @returns those that it acknowledged, which grow */
function writeLabels(root: Client, project: number) {
  const acknowledged: string[] = []
  const write = async () => {
    for (let count = 0; count < MOST; count += 1) {
      const name = `label-${count}`
      const { status } = await root.post(`/projects/${project}/labels`, { name, color: 'red' })
      if (status === 201) acknowledged.push(name)
    }
  }
  return { acknowledged, over: write().catch(() => {}) }
}

test('starts, keeps all it acknowledged when it is killed, starts again and stops', async () => {
  const data = join(folder(), 'data')
  const environment = { FORGELET_DATA: data, FORGELET_ROOT_TOKEN: ROOT_TOKEN }
  const killed = forgelet([], environment)
  const root = rootOf(await killed.saying(READY))
  const { body: project } = await root.post('/projects', { name: 'kept', initialize_with_readme: true })
  const { acknowledged, over } = writeLabels(root, project.id)
  await expect.poll(() => acknowledged.length).toBeGreaterThan(20)
  await killEverything(killed.process, data)
  await over

  const program = forgelet([], environment)
  const again = rootOf(await program.saying(READY))
  const { body: labels } = await again.get(`/projects/${project.id}/labels?per_page=${MOST}`)
  const kept = labels.map(({ name }: { name: string }) => name)
  expect(kept).toEqual(expect.arrayContaining(acknowledged))
  expect((await again.get(`/projects/${project.id}/repository/commits`)).body).toHaveLength(1)
  program.process.kill('SIGTERM')
  expect([await program.ended, program.err()]).toEqual([0, ''])
})

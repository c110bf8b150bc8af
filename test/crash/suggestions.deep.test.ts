import { afterEach, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { dataFolder, killEverything, start, TOKEN } from './killing.ts'

/** Each takes some seconds. More find more: `CRASHES=20`. */
const crashes = Number(process.env['CRASHES'] ?? 2)
/** Suggestions for each crash. */
const EACH = 8

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

interface Suggested {
  readonly id: number
  readonly branch: string
  readonly discussion: string
}

test(
  `killed ${crashes} times while it applies suggestions, a server calls those applied that git has`,
  { timeout: 60_000 + crashes * 60_000 },
  async () => {
    const data = await dataFolder()
    let server = await start(data)
    cleanups.push(() => killEverything(server.child, data))
    let api = new Client(server.url, { 'private-token': TOKEN })
    const { body: project } = await api.post('/projects', { name: 'crash', initialize_with_readme: true })
    const at = `/projects/${project.id}`
    for (let crash = 0; crash < crashes; crash += 1) {
      const all: Suggested[] = []
      for (let index = 0; index < EACH; index += 1) all.push(await suggested(api, at, `c${crash}-${index}`))
      const acknowledged = new Set<number>()
      const applying = all.map(async ({ id }) => {
        const applied = await api.put(`/suggestions/${id}/apply`).catch(() => undefined)
        if (applied?.status === 200) acknowledged.add(id)
      })
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 500))
      await killEverything(server.child, data)
      await Promise.all(applying)
      server = await start(data)
      api = new Client(server.url, { 'private-token': TOKEN })
      for (const { id, branch, discussion } of all) {
        const read = async () => {
          const file = await api.get(`${at}/repository/files/${branch}.txt/raw?ref=${branch}`)
          const { body } = await api.get(discussion)
          return [file.text === 'better\n', body.notes[0].suggestions[0].applied]
        }
        // What git has is recorded when somebody writes next, at the latest.
        await expect.poll(async () => new Set(await read()).size).toBe(1)
        const [isThere] = await read()
        if (acknowledged.has(id)) expect(isThere).toBe(true)
        const again = await api.put(`/suggestions/${id}/apply`)
        expect(again.status).toBe(isThere === true ? 400 : 200)
      }
    }
  },
)

async function suggested(api: Client, at: string, branch: string): Promise<Suggested> {
  const actions = [{ action: 'create', file_path: `${branch}.txt`, content: 'good\n' }]
  const commit = { branch, start_branch: 'main', commit_message: branch, actions }
  await api.post(`${at}/repository/commits`, commit)
  const wanted = { source_branch: branch, target_branch: 'main', title: branch }
  const { body: request } = await api.post(`${at}/merge_requests`, wanted)
  const path = `${branch}.txt`
  const position = {
    ...request.diff_refs,
    position_type: 'text',
    old_path: path,
    new_path: path,
    new_line: 1,
  }
  const discussions = `${at}/merge_requests/${request.iid}/discussions`
  const { status, body, text } = await api.post(discussions, {
    body: '```suggestion\nbetter\n```',
    position,
  })
  if (status !== 201) throw new Error(text)
  return { id: body.notes[0].suggestions[0].id, branch, discussion: `${discussions}/${body.id}` }
}

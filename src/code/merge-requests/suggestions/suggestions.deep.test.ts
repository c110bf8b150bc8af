import { expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { cpuTime } from '#test/quick.ts'
import { MAX_BYTES_TOGETHER, MAX_FILE_BYTES } from './limits.ts'
import { block } from './test-support.ts'

test('suggestions for large files are applied as far as these are not too large together', async () => {
  const p = await branchedProject()
  const names = Array.from({ length: MAX_BYTES_TOGETHER / MAX_FILE_BYTES + 1 }, (_, index) => `f${index}.txt`)
  const commit = async (branch: string, start_branch: string | undefined, content: string) => {
    for (const [index, file_path] of names.entries()) {
      const action = start_branch === undefined ? 'update' : 'create'
      const actions = [{ action, file_path, content }]
      const asked = { branch, ...(index === 0 && { start_branch }), commit_message: 'Change', actions }
      expect((await p.owner.post(`/projects/${p.id}/repository/commits`, asked)).status).toBe(201)
    }
  }
  // Nothing costs more than lines without anything in them.
  const rest = '\n'.repeat(MAX_FILE_BYTES - 2)
  await commit('large', 'main', `\n\n${rest}`)
  await p.owner.post(`/projects/${p.id}/repository/branches`, { branch: 'topic', ref: 'large' })
  await commit('topic', undefined, `a\n${rest}`)
  const branches = { source_branch: 'topic', target_branch: 'large' }
  const { path, body } = await openMergeRequest(p, p.owner, branches)
  const ids: number[] = []
  for (const new_path of names) {
    const position = { ...body.diff_refs, position_type: 'text', old_path: new_path, new_path, new_line: 1 }
    const made = await p.owner.post(`${path}/discussions`, { body: block('x\n'), position })
    expect(made.status).toBe(201)
    ids.push(made.body.notes[0].suggestions[0].id)
  }
  const ask = (some: readonly number[]) => p.owner.put('/suggestions/batch_apply', { ids: some })
  const apply = async (some: readonly number[]) => (await ask(some)).status
  expect((await ask(ids)).body).toEqual({
    message: 'The suggestions cannot be applied together: their files are too large. Apply some of them.',
  })
  const spent = await cpuTime(async () => expect(await apply(ids.slice(1))).toBe(200))
  expect(spent).toBeLessThan(2_500)
  expect(await apply(ids.slice(0, 1))).toBe(200)
}, 240_000)

import { expect } from 'vitest'
import { collide, deadlocks } from '#test/conflicts.ts'
import { giveBranches } from '#test/repositories.ts'
import { unique, w } from '#test/world.ts'
import { inProject, newGround, type VerbOn } from './conflict-verbs.ts'

export const mergeIt = inProject('PUT', '/merge_requests/1/merge')

export const changeIt = inProject('PUT', '/merge_requests/1', () => ({
  title: unique('title'),
  description: 'Closes #1',
}))

/** The ids of suggestions on merge requests 1, by the ids of their projects. */
const suggestions = new Map<number, number>()

/** What happens to one merge request, which closes issue 1, at the same moment. */
export const aroundMerge: Readonly<Record<string, VerbOn>> = {
  'merge it': mergeIt,
  'change it': changeIt,
  'close it': inProject('PUT', '/merge_requests/1', () => ({ state_event: 'close' })),
  'write a note on it': inProject('POST', '/merge_requests/1/notes', () => ({ body: 'As in #1' })),
  'publish draft notes on it': inProject('POST', '/merge_requests/1/draft_notes/bulk_publish'),
  'merge another one that closes the same issue': inProject('PUT', '/merge_requests/2/merge'),
  'apply what a note on it suggests': ({ project }) => {
    const id = suggestions.get(project)
    return () => w.root.put(`/suggestions/${id}/apply`)
  },
  'rebase it': inProject('PUT', '/merge_requests/1/rebase'),
  'commit to its source': inProject('POST', '/repository/commits', () => ({
    branch: 'feature',
    commit_message: 'See #1',
    actions: [{ action: 'create', file_path: unique('file'), content: '' }],
  })),
  'commit to its target': inProject('POST', '/repository/commits', () => ({
    branch: 'main',
    commit_message: 'Closes #1, see !1',
    actions: [{ action: 'create', file_path: unique('file'), content: '' }],
  })),
  'delete its source branch': inProject('DELETE', '/repository/branches/feature'),
  'close the issue that it closes': inProject('PUT', '/issues/1', () => ({ state_event: 'close' })),
  'delete it': inProject('DELETE', '/merge_requests/1'),
  'delete the project': inProject('DELETE', ''),
}

/** Has what happens to a merge request meet another such thing, on branches of their own. */
export async function expectMergeMeets(verb: VerbOn, other: VerbOn): Promise<void> {
  const before = await deadlocks()
  const ground = await newGround()
  await giveBranches({ id: ground.project })
  for (const source_branch of ['feature', 'clash']) {
    const wanted = { source_branch, target_branch: 'main', title: 'x', description: 'Closes #1' }
    await w.root.post(`/projects/${ground.project}/merge_requests`, wanted)
  }
  for (const note of ['As in #2', 'As in #1\n/label ~bug\n/milestone %soon'])
    await w.root.post(`/projects/${ground.project}/merge_requests/1/draft_notes`, { note })
  const { body } = await w.root.get(`/projects/${ground.project}/merge_requests/1`)
  const at = { position_type: 'text', old_path: 'a.txt', new_path: 'a.txt', new_line: 2 }
  const thread = await w.root.post(`/projects/${ground.project}/merge_requests/1/discussions`, {
    body: '```suggestion\nLouder\n```',
    position: { ...body.diff_refs, ...at },
  })
  suggestions.set(ground.project, thread.body.notes[0].suggestions[0].id)
  await collide(verb(ground), other(ground), before)
  expect(await deadlocks()).toBe(before)
}

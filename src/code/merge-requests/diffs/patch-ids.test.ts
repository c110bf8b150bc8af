import { expect, it } from 'vitest'
import { onBehalfOf } from '#platform/shares/caller.ts'
import { WorkBudget } from '#platform/shares/work-budget.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { withPatchIds } from './patch-ids.ts'
import { versionsOf } from './queries.ts'

const id = /^[0-9a-f]{40}$/

/** A merge request with a version of few changes, and one of many bytes. */
async function twoVersions() {
  const p = await branchedProject()
  const { path, body } = await openMergeRequest(p, p.developer)
  const large = commits({ branch: 'large', files: { large: 'a line of text\n'.repeat(20_000) } })
  await importInto(p, Buffer.concat([Buffer.from('reset refs/heads/large\nfrom refs/heads/main\n\n'), large]))
  const other = await openMergeRequest(p, p.developer, { source_branch: 'large' })
  await w.db
    .updateTable('merge_request_versions')
    .set({ merge_request_id: body.id })
    .where('merge_request_id', '=', other.body.id)
    .execute()
  const rows = () => versionsOf(w.running.services.db, body.id).orderBy('v.id').execute()
  const known = async () => (await rows()).map(({ patch_id }) => patch_id)
  const within = async (budget: ConstructorParameters<typeof WorkBudget>[0]) => {
    const versions = await rows()
    const asked = () => withPatchIds(w.running.services, p.repository, versions)
    const found = await onBehalfOf(() => 'user 1', asked, new WorkBudget(budget))
    return found.map(({ patch_id }) => patch_id)
  }
  const listed = async () =>
    (await p.reporter.get(`${path}/versions`)).body
      .map(({ patch_id_sha }: { patch_id_sha: string | null }) => patch_id_sha)
      .toReversed()
  return { known, within, listed }
}

it('patch ids that a request had no room for are found by the next one, and those before them stay', async () => {
  const { known, within, listed } = await twoVersions()
  const some = [expect.stringMatching(id), null]
  expect(await within({ milliseconds: 30_000, bytes: 100_000 })).toEqual(some)
  expect(await known()).toEqual(some)
  expect(await listed()).toEqual([expect.stringMatching(id), expect.stringMatching(id)])
})

it('patch ids that a request had no time for are found by the next one', async () => {
  const { known, within, listed } = await twoVersions()
  expect(await within({ milliseconds: 0, bytes: 1_000_000 })).toEqual([null, null])
  expect(await known()).toEqual([null, null])
  expect(await listed()).toEqual([expect.stringMatching(id), expect.stringMatching(id)])
})

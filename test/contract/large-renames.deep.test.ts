import { expect, it } from 'vitest'
import { openMergeRequest } from '#test/merge-requests.ts'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

const FILES = 1_500

/** Files that are alike within a folder, and nowhere else. */
const folder = (name: string): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: FILES }, (_, n) => [
      `${name}/${n}`,
      Array.from({ length: 40 }, (_, line) => `${name} ${n * 7 + line}\n`).join(''),
    ]),
  )

const gone = (name: string) => Object.fromEntries(Object.keys(folder(name)).map((path) => [path, null]))

/** Each file is in another folder with other content, too different for git to take it for the same one quickly. */
async function renaming() {
  const project = await w.project()
  const [old, young] = [folder('old'), folder('young')]
  const repository = await importInto(
    project,
    Buffer.concat([
      commits({ branch: 'main', files: old }),
      Buffer.from('reset refs/heads/young\nfrom refs/heads/main\n\n'),
      commits({ branch: 'young', files: { ...gone('old'), ...young } }),
      Buffer.from('reset refs/heads/edited\nfrom refs/heads/main\n\n'),
      commits({
        branch: 'edited',
        files: Object.fromEntries(Object.keys(old).map((path) => [path, 'other\n'])),
      }),
      commits({ branch: 'main', files: { added: 'x' } }),
    ]),
  )
  return { ...project, repository, api: `/projects/${project.id}` }
}

const isAsked = ['unchecked', 'checking', 'preparing']

it('a merge request that replaces 1,500 files by others can be looked at, checked and merged', async () => {
  const project = await renaming()
  const { api, maintainer } = project
  const { path } = await openMergeRequest(project, maintainer, { source_branch: 'young' })
  await expect.poll(async () => (await maintainer.get(path)).body.merge_status).toBe('can_be_merged')
  for (const view of ['changes', 'diffs?per_page=100', 'raw_diffs', 'versions', 'commits']) {
    expect([view, (await maintainer.get(`${path}/${view}`)).status]).toEqual([view, 200])
  }
  for (const page of ['commits/young/diff', 'compare?from=main&to=young', 'commits/young?stats=true']) {
    expect([page, (await maintainer.get(`${api}/repository/${page}`)).status]).toEqual([page, 200])
  }
  expect((await maintainer.put(`${path}/merge`)).body).toMatchObject({ state: 'merged' })
  const { status } = await maintainer.get(`${api}/repository/files/young%2F7?ref=main`)
  expect(status).toBe(200)
})

it('one that changes them where others replaced them ends in a conflict, not in a check for ever', async () => {
  const project = await renaming()
  const { api, maintainer } = project
  const wanted = { source_branch: 'edited', target_branch: 'young' }
  const { path } = await openMergeRequest(project, maintainer, wanted)
  await expect
    .poll(async () => (await maintainer.get(path)).body.detailed_merge_status)
    .not.toSatisfy((word: string) => isAsked.includes(word))
  expect((await maintainer.get(path)).body).toMatchObject({
    merge_status: 'cannot_be_merged',
    has_conflicts: true,
  })
  const pick = await maintainer.post(`${api}/repository/commits/edited/cherry_pick`, { branch: 'young' })
  expect([pick.status, pick.body.error_code]).toEqual([400, 'conflict'])
})

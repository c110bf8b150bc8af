import { beforeAll, expect, test } from 'vitest'
import { signedIn, Visitor } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// What owners and maintainers decide of a project.

let group: Awaited<ReturnType<typeof w.group>>
let owner: Awaited<ReturnType<typeof signedIn>>
let maintainer: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  group = await w.group()
  owner = await signedIn(w)
  await w.member(group.id, owner, 50)
  maintainer = await signedIn(w)
  await w.member(group.id, maintainer, 40)
})

async function project(): Promise<{ at: string; page: string; path: string }> {
  const { body } = await owner.user.post('/projects', {
    name: unique('p'),
    namespace_id: group.id,
    initialize_with_readme: true,
  })
  const path: string = body.path_with_namespace
  return { at: `/projects/${body.id}`, path, page: `/${path}/-/settings/general` }
}

const shown = async (who: typeof owner, path: string) => (await who.visitor.get(path, HERE)).text

test('each group of settings is saved by itself', async () => {
  const { at, page } = await project()
  const save = async (does: string, fields: Record<string, string>) => {
    const answer = await submit(maintainer.visitor, page, does, fields)
    expect([answer.status, answer.text.slice(0, 500)]).toEqual([303, ''])
    return (await owner.user.get(at)).body
  }
  const name = unique('Renamed')
  expect(
    await save('save-general', { name, description: 'A\nB', topics: 'one, two', default_branch: 'main' }),
  ).toMatchObject({ name, description: 'A\nB', topics: ['one', 'two'], default_branch: 'main' })
  expect(await shown(maintainer, page)).toContain('Saved: name and description.')
  expect(
    await save('save-features', { wiki_access_level: 'disabled', issues_access_level: 'private' }),
  ).toMatchObject({ wiki_access_level: 'disabled', issues_access_level: 'private', name })
  expect(
    await save('save-merging', {
      merge_method: 'ff',
      squash_option: 'always',
      only_allow_merge_if_pipeline_succeeds: 'true',
      merge_commit_template: '',
      squash_commit_template: 'Squash %{title}',
    }),
  ).toMatchObject({
    merge_method: 'ff',
    squash_option: 'always',
    only_allow_merge_if_pipeline_succeeds: true,
    merge_commit_template: null,
    squash_commit_template: 'Squash %{title}',
  })
  const wrong = await submit(maintainer.visitor, page, 'save-general', { default_branch: 'nothing' })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('problem')
  expect(wrong.text).toContain('value="nothing"')
})

test('owners rename, show, transfer, archive and delete', async () => {
  const { at, page, path } = await project()
  await submit(owner.visitor, page, 'visibility', { visibility: 'internal' }).then(({ status }) =>
    expect(status).toBe(400),
  )
  await owner.user.put(`/groups/${group.id}`, { visibility: 'public' })
  await submit(owner.visitor, page, 'visibility', { visibility: 'internal' })
  expect((await owner.user.get(at)).body.visibility).toBe('internal')
  const named = await submit(owner.visitor, page, 'rename', { path: 'other' })
  expect(named.headers.location).toBe(`/${group.fullPath}/other/-/settings/general`)
  expect((await owner.visitor.get(page, HERE)).headers.location).toBe(named.headers.location)
  const other = await w.group()
  await w.member(other.id, owner, 50)
  const moved = await submit(owner.visitor, named.headers.location ?? '', 'transfer', {
    namespace: String(other.id),
  })
  const here = `/${other.fullPath}/other/-/settings/general`
  expect(moved.headers.location).toBe(here)
  await submit(owner.visitor, here, 'archive')
  expect((await owner.user.get(at)).body.archived).toBe(true)
  await submit(owner.visitor, here, 'unarchive')
  expect((await owner.user.get(at)).body.archived).toBe(false)
  const unsure = await submit(owner.visitor, here, 'delete', { full_path: path })
  expect(unsure.status).toBe(400)
  expect(unsure.text).toContain('is not the path of the project')
  const gone = await submit(owner.visitor, here, 'delete', { full_path: `${other.fullPath}/other` })
  expect(gone.headers.location).toBe(`/${other.fullPath}`)
  expect((await owner.user.get(at)).status).toBe(404)
})

test('each is offered what they may', async () => {
  const { page, path } = await project()
  expect(formsIn(await shown(maintainer, page))).toEqual([
    'save-general',
    'save-features',
    'save-merging',
    'export',
  ])
  expect(formsIn(await shown(owner, page))).toEqual(expect.arrayContaining(['delete', 'rename', 'archive']))
  expect(await shown(maintainer, `/${path}`)).toContain(`href="${page}"`)
  const developer = await signedIn(w)
  await w.member(group.id, developer, 30)
  expect(await shown(developer, `/${path}`)).not.toContain(page)
  expect((await developer.visitor.get(page, HERE)).status).toBe(404)
  expect((await new Visitor(w.url).get(page, HERE)).status).toBe(303)
  expect((await owner.visitor.get(`/${path}/edit`, HERE)).headers.location).toBe(page)
})

test('maintainers export a project, and download the archive', async () => {
  const p = await w.project()
  const { visitor, ...maintainer } = await signedIn(w)
  await w.member(p.namespaceId, maintainer, 40)
  const page = `/${p.fullPath}/-/settings/general`
  await submit(visitor, page, 'export')
  await expect.poll(async () => (await visitor.get(page, HERE)).text).toContain('Download the archive')
  const { text } = await visitor.get(page, HERE)
  const [, address = ''] = /href="([^"]*export\/download)"/.exec(text) ?? []
  expect((await visitor.get(address)).status).toBe(200)
  expect(formsIn(text)).toContain('export')
})

import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { branchedProject } from '#test/merge-requests.ts'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe('@gitbeaker/rest', () => {
  test('keeps releases and their links', async () => {
    const { id, groupId, maintainer } = await branchedProject()
    const { ProjectReleases, ReleaseLinks, GroupReleases } = new Gitlab({
      host: w.url,
      token: maintainer.token,
    })
    const made = await ProjectReleases.create(id, { tag_name: 'v1/a', ref: 'main', name: 'One' })
    expect(made).toMatchObject({ tag_name: 'v1/a', name: 'One', commit: { title: 'Add d' } })
    expect(await ProjectReleases.show(id, 'v1/a')).toEqual(made)
    expect(await ProjectReleases.showLatest(id)).toEqual(made)
    expect(await ProjectReleases.all(id, { includeHtmlDescription: true })).toMatchObject([
      { name: 'One', description_html: '' },
    ])
    expect(await GroupReleases.all(groupId)).toEqual([made])
    expect(await ProjectReleases.edit(id, 'v1/a', { name: 'Two' })).toMatchObject({ name: 'Two' })
    await ProjectReleases.createEvidence(id, 'v1/a')
    expect(await ProjectReleases.show(id, 'v1/a')).toMatchObject({ evidences: [{}, {}] })

    const address = `${w.url}/api/v4/version`
    const link = await ReleaseLinks.create(id, 'v1/a', 'tool', address, { directAssetPath: '/bin/tool' })
    expect(await ReleaseLinks.show(id, 'v1/a', link.id)).toEqual(link)
    expect(await ReleaseLinks.edit(id, 'v1/a', link.id, { linkType: 'package' })).toMatchObject({
      link_type: 'package',
    })
    expect(await ReleaseLinks.all(id, 'v1/a')).toMatchObject([{ id: link.id, link_type: 'package' }])
    // What the link leads to.
    expect(await ProjectReleases.download(id, 'v1/a', 'bin/tool')).toMatchObject({
      version: expect.any(String),
    })
    await ReleaseLinks.remove(id, 'v1/a', link.id)
    await ProjectReleases.remove(id, 'v1/a')
    expect(await ProjectReleases.all(id)).toEqual([])
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('keeps releases and their links', { timeout: 180_000 }, async () => {
    await expectHeld('releases.py', w.url, w.root.token, unique('x'))
  })
})

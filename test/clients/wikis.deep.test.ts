import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

/** Wikis of groups need a plan. */
const { url } = await w.licensed()

describe('people who write a wiki', () => {
  test.each(['ProjectWikis', 'GroupWikis'] as const)('with @gitbeaker/rest: %s', async (resource) => {
    const { id, developer } = resource === 'ProjectWikis' ? await w.project() : await w.group()
    const wikis = new Gitlab({ host: url, token: developer.token })[resource]
    const made = await wikis.create(id, 'Read me', 'docs/First page', { format: 'markdown' })
    expect(made).toMatchObject({ slug: 'docs/First-page', title: 'First page', encoding: 'UTF-8' })
    expect(await wikis.show(id, made.slug)).toMatchObject({ content: 'Read me' })
    expect(await wikis.show(id, made.slug, { renderHtml: true })).toMatchObject({
      content: '<p>Read me</p>\n',
    })
    expect(await wikis.edit(id, made.slug, { title: 'Second page' })).toMatchObject({
      slug: 'docs/Second-page',
      wiki_page_meta_id: made['wiki_page_meta_id'],
    })
    expect((await wikis.all(id)).map(({ slug }) => slug)).toEqual(['docs/Second-page'])
    expect(await wikis.all(id, { withContent: true })).toMatchObject([{ content: 'Read me' }])
    const attached = await wikis.uploadAttachment(id, { content: new Blob(['x']), filename: 'dk.png' })
    expect(attached).toMatchObject({ file_name: 'dk.png', branch: 'main' })
    expect(attached.link.markdown).toBe(`![dk](${attached.file_path})`)
    await wikis.remove(id, 'docs/Second-page')
    await expect(wikis.show(id, 'docs/Second-page')).rejects.toMatchObject({
      cause: { description: '404 Wiki Page Not Found', response: { status: 404 } },
    })
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    await expectHeld('wikis.py', url, w.root.token, unique('x'))
  })
})

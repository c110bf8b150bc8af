import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { follow, press as pressOn, signInOn } from './signed-in.ts'

// What people write in the browser besides what they plan: files, branches, wiki pages, snippets.

describe.skipIf(!hasChromium())('writing in the console', { timeout: 300_000 }, () => {
  let browser: Browser
  let ada: Page
  let project = ''
  let at = ''
  let owner: Awaited<ReturnType<typeof w.project>>['owner']

  beforeAll(async () => {
    browser = await startChromium()
    const place = await w.project({ visibility: 'public' })
    owner = place.owner
    at = `/projects/${place.id}`
    project = `${w.url}/${place.fullPath}`
    const file = (file_path: string, content: string) => ({ action: 'create', file_path, content })
    await owner.post(`${at}/repository/commits`, {
      branch: 'main',
      commit_message: 'Begin',
      actions: [
        file('README.md', '# Hello\n'),
        file('src/door.ts', `\nexport const door = '${'long '.repeat(60)}'\n`),
        file('src/windows.txt', 'one\r\ntwo\r\n'),
        { ...file('logo.bin', 'AAEC'), encoding: 'base64' },
      ],
    })
    for (const branch of ['1-mend-the-door', 'a-branch-with-a-name-as-long-as-some-people-make-them'])
      await owner.post(`${at}/repository/commits`, {
        branch,
        start_branch: 'main',
        commit_message: 'Mend the door',
        actions: [file('door.txt', 'It closes.\n')],
      })
    await owner.post(`${at}/repository/tags`, { tag_name: 'v1', ref: 'main', message: 'The first one' })
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(place.namespaceId, { id }, 40)
    ada = await (await browser.newContext({ javaScriptEnabled: true })).newPage()
    await signInOn(ada, { username, password })
  }, 180_000)
  afterAll(() => browser.close())

  const press = (name: string) => pressOn(ada, name)

  const said = () => ada.textContent('main')
  const contentOf = async (path: string) =>
    (await owner.get(`${at}/repository/files/${encodeURIComponent(path)}/raw?ref=main`)).text

  test('files are made, changed, uploaded and deleted', async () => {
    await ada.goto(`${project}/-/tree/main/src`)
    await expectAccessible(ada, 'files-tree')
    await ada.getByRole('link', { name: 'New file' }).click()
    expect(await ada.getByLabel('Path').inputValue()).toBe('src/')
    await expectAccessible(ada, 'files-new')
    await ada.getByLabel('Path').fill('src/new.txt')
    await ada.getByLabel('Content').fill('\none\ntwo\n')
    await press('Commit the file')
    expect(await said()).toContain('The file is there.')
    expect(await contentOf('src/new.txt')).toBe('\none\ntwo\n')
    await expectAccessible(ada, 'files-blob')

    await ada.getByRole('link', { name: 'Change' }).click()
    await ada.getByText('Delete…').click()
    await ada.getByText('Replace it by an upload').click()
    await expectAccessible(ada, 'files-edit')
    await press('Commit the change')
    expect(await contentOf('src/new.txt')).toBe('\none\ntwo\n')

    await ada.goto(`${project}/-/edit/main/src/windows.txt`)
    await press('Commit the change')
    expect(await contentOf('src/windows.txt')).toBe('one\r\ntwo\r\n')

    await ada.goto(`${project}/-/edit/main/logo.bin`)
    await expectAccessible(ada, 'files-edit-bytes')
    await ada.getByText('Replace it by an upload').click()
    const upload = { name: 'other.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([3, 4]) }
    await ada.locator('#replace-file').setInputFiles(upload)
    await press('Replace the file')
    expect(await contentOf('logo.bin')).toBe('\u0003\u0004')

    await ada.goto(`${project}/-/new/main`)
    await ada.getByText('Upload a file instead').click()
    await ada.locator('#upload-file').setInputFiles({ ...upload, name: 'ü b.bin' })
    await expectAccessible(ada, 'files-upload')
    await press('Upload the file')
    expect(await contentOf('ü b.bin')).toBe('\u0003\u0004')
    await ada.getByRole('link', { name: 'Change' }).click()
    await ada.getByText('Delete…').click()
    await press('Delete the file')
    expect(await said()).toContain('The file is deleted.')
  })

  test('a new branch is proposed, others are made and deleted', async () => {
    await ada.goto(`${project}/-/edit/main/README.md`)
    await ada.getByLabel('Content').fill('# Hello, all\n')
    await ada.locator('#save-branch').fill('greet-all')
    await press('Commit the change')
    expect(await said()).toContain('greet-all')
    await press('Open the merge request')
    await ada.goto(`${project}/-/branches`)
    await expectAccessible(ada, 'files-branches')
    await ada.getByText('Delete… 1-mend-the-door').click()
    await follow(ada, ada.getByRole('button', { name: 'Delete 1-mend-the-door' }))
    expect(await said()).toContain('The branch 1-mend-the-door is deleted.')
    await ada.goto(`${project}/-/branches/new`)
    await ada.getByLabel('From').fill('none')
    await ada.getByLabel('Name').fill('other')
    await press('Make the branch')
    await expectAccessible(ada, 'files-branch-new')
    await ada.goto(`${project}/-/tags`)
    await expectAccessible(ada, 'files-tags')
    await ada.goto(`${project}/-/tags/new`)
    await expectAccessible(ada, 'files-tag-new')
  })

  test('a project is starred and forked', async () => {
    await ada.goto(project)
    await press('Star the project')
    await expectAccessible(ada, 'files-project')
    await ada.getByRole('link', { name: 'Fork', exact: true }).click()
    await expectAccessible(ada, 'files-fork')
  })

  test('wiki pages and snippets are written', async () => {
    await ada.goto(`${project}/-/wikis`)
    await expectAccessible(ada, 'files-wiki-empty')
    await ada.getByRole('link', { name: 'Write the page' }).click()
    await ada.getByLabel('Content').fill('# Welcome\n\nTo the door.')
    await expectAccessible(ada, 'files-wiki-new')
    await press('Save the page')
    await expectAccessible(ada, 'files-wiki')
    await ada.getByRole('link', { name: 'Change' }).click()
    await expectAccessible(ada, 'files-wiki-edit')
    for (const list of [`${project}/-/snippets`, `${w.url}/-/snippets`]) {
      await ada.goto(`${list}/new`)
      await ada.getByLabel('Title').fill('A door')
      await ada.getByLabel('Name of the file').fill('door.ts')
      await ada.getByLabel('Content', { exact: true }).fill('open()\n')
      await expectAccessible(ada, 'files-snippet-new')
      await press('Save the snippet')
      await expectAccessible(ada, 'files-snippet')
      await ada.getByRole('link', { name: 'Change' }).click()
      await expectAccessible(ada, 'files-snippet-edit')
    }
  })
})

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { person } from '#test/visitor.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'

const longName = 'a-name-as-long-as-people-make-them-'.repeat(5)

describe.skipIf(!hasChromium())('the console', { timeout: 300_000 }, () => {
  let browser: Browser
  let page: Page
  let owner: Actor
  let fullPath = ''
  let empty = ''
  let namespaceId = 0

  beforeAll(async () => {
    browser = await startChromium()
    page = await browser.newPage()
    const group = await w.group({ visibility: 'public' })
    const project = await w.project({ parent: group.id, visibility: 'public' })
    owner = project.owner
    fullPath = project.fullPath
    namespaceId = project.namespaceId
    const actions = [
      [
        'README.md',
        '# Hello\n\nA project with **files**.\n\n| A | B |\n| - | - |\n| 1 | 2 |\n\n- [x] done\n- [ ] open, see #1\n\n```ts\nconst x = 1\n```\n\n> quoted\n',
      ],
      ['src/deep/main.ts', `export const line = '${'x'.repeat(300)}'\n`.repeat(30)],
      [`docs/${longName}.txt`, 'العربية\n<script>alert(1)</script>\n'],
      ['empty', ''],
    ].map(([file_path, content]) => ({ action: 'create', file_path, content }))
    const at = `/projects/${project.id}`
    await owner.post(`${at}/repository/commits`, { branch: 'main', commit_message: 'Add files', actions })
    await owner.post(`${at}/repository/branches`, { branch: 'feature/one', ref: 'main' })
    await owner.put(at, { name: 'Demo', description: longName, topics: ['tools', 'a topic with words'] })
    await owner.post(`${at}/labels`, { name: 'bug', color: '#d00000' })
    for (const title of ['Cannot sign in', longName, '<img src=x onerror=alert(1)>'])
      await owner.post(`${at}/issues`, { title, description: `**${title}**`, labels: 'bug,ui' })
    await owner.post(`${at}/issues/1/notes`, { body: 'I see it, too.\n\n<b>now</b>' })
    await owner.put(`${at}/issues/1`, { state_event: 'close' })
    const release = { tag_name: 'v1.0', ref: 'main', name: 'First', description: 'It *works*.' }
    await owner.post(`${at}/releases`, release)
    const change = { action: 'update', file_path: 'README.md', content: '# Hello\n\nIt has changed.\n' }
    const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Change', actions: [change] }
    await owner.post(`${at}/repository/commits`, commit)
    const request = { source_branch: 'topic', target_branch: 'main', title: 'Change the README' }
    await owner.post(`${at}/merge_requests`, request)
    empty = (await w.project({ visibility: 'public', parent: group.id })).fullPath
  }, 180_000)
  afterAll(() => browser.close())

  const visit = async (path: string, status = 200) => {
    const answer = await page.goto(`${w.url}${path}`)
    expect([path, answer?.status()]).toEqual([path, status])
  }

  test.each([
    ['explore', () => '/explore', 'Explore'],
    ['project', () => `/${fullPath}`, 'Demo'],
    ['project-empty', () => `/${empty}`, 'The repository is empty'],
    ['group', () => `/${fullPath.split('/')[0]}`, 'Projects'],
    ['person', () => `/${owner.username}`, 'Projects'],
    ['tree', () => `/${fullPath}/-/tree/main/src/deep`, 'main.ts'],
    ['blob', () => `/${fullPath}/-/blob/main/src/deep/main.ts`, 'export const line'],
    ['blob-hostile', () => `/${fullPath}/-/blob/main/docs/${longName}.txt`, '<script>alert(1)</script>'],
    ['branch-with-slash', () => `/${fullPath}/-/blob/feature/one/README.md`, 'A project with'],
    ['commits', () => `/${fullPath}/-/commits/main`, 'Add files'],
    ['issues', () => `/${fullPath}/-/issues`, '<img src=x onerror=alert(1)>'],
    ['issues-none', () => `/${fullPath}/-/issues?search=nowhere`, 'Nothing fits these filters.'],
    ['issue', () => `/${fullPath}/-/issues/1`, 'Cannot sign in'],
    ['branches', () => `/${fullPath}/-/branches`, 'feature/one'],
    ['labels', () => `/${fullPath}/-/labels`, 'bug'],
    ['milestones-none', () => `/${fullPath}/-/milestones`, 'There is no milestone.'],
    ['releases', () => `/${fullPath}/-/releases`, 'Source code (zip)'],
    ['pipelines-none', () => `/${fullPath}/-/pipelines`, 'No pipeline ran yet.'],
    ['merge-requests', () => `/${fullPath}/-/merge_requests`, 'Change the README'],
    ['merge-request', () => `/${fullPath}/-/merge_requests/1`, 'wants to merge'],
    ['merge-request-pipelines', () => `/${fullPath}/-/merge_requests/1/pipelines`, 'No pipeline ran for it.'],
    ['merge-request-commits', () => `/${fullPath}/-/merge_requests/1/commits`, 'Change'],
    ['merge-request-diffs', () => `/${fullPath}/-/merge_requests/1/diffs`, 'It has changed.'],
  ])('%s is shown to strangers', async (name, path, words) => {
    await visit(path())
    expect(await page.textContent('body')).toContain(words)
    await expectAccessible(page, `console-${name}`)
  })

  test('people who are signed in see what is said, and get back after signing in', async () => {
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(namespaceId, { id }, 30)
    await visit(`/${fullPath}/-/issues/1`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Username or e-mail address').fill(username)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Cannot sign in' }).waitFor()
    expect(page.url()).toBe(`${w.url}/${fullPath}/-/issues/1`)
    expect(await page.textContent('main')).toContain('I see it, too.')
    await expectAccessible(page, 'console-issue-signed-in')
    await visit('/dashboard')
    expect(await page.textContent('main')).toContain('Demo')
    await expectAccessible(page, 'console-dashboard')
    for (const path of ['issues', 'merge_requests', 'todos']) await visit(`/dashboard/${path}`)
    await expectAccessible(page, 'console-todos')

    await page.setViewportSize({ width: 360, height: 700 })
    await page.getByRole('link', { name: 'Explore' }).waitFor({ state: 'hidden' })
    await page.getByText('Menu', { exact: true }).click()
    await expectAccessible(page, 'console-menu')
    await page.setViewportSize({ width: 360, height: 700 })
    await page.getByRole('link', { name: 'Explore' }).click()
    await page.getByRole('heading', { name: 'Explore' }).waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(await page.getByText('Menu', { exact: true }).isVisible()).toBe(false)
    await page.getByRole('link', { name: 'To-dos' }).click()
    await page.getByRole('heading', { name: 'To-dos' }).waitFor()
  })

  test('what is not there has one page, for everybody', async () => {
    for (const path of [
      '/nobody/nothing',
      `/${fullPath}/-/issues/999`,
      `/${fullPath}/-/blob/main/none`,
      '/x/-/none',
    ])
      await visit(path, 404)
    await expectAccessible(page, 'console-missing')
  })
})

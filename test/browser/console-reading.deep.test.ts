import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'

const longName = 'a-name-as-long-as-people-make-them-'.repeat(4)

// What one reads besides files, issues and merge requests.
describe.skipIf(!hasChromium())('what people read', { timeout: 300_000 }, () => {
  let browser: Browser
  let page: Page
  let project: Awaited<ReturnType<typeof w.project>>
  let base = ''
  let groupPath = ''
  let snippet = 0

  beforeAll(async () => {
    browser = await startChromium()
    page = await browser.newPage()
    const group = await w.group({ visibility: 'public' })
    project = await w.project({ parent: group.id, visibility: 'public' })
    base = `/${project.fullPath}`
    groupPath = project.fullPath.split('/')[0] ?? ''
    const { owner } = project
    const at = `/projects/${project.id}`
    const code = Array.from(
      { length: 40 },
      (_, index) => `export const line${index} = '${'x'.repeat(index * 4)}'`,
    )
    const files = [
      ['README.md', '# Hello\n\nA project.\n'],
      ['src/main.ts', `${code.join('\n')}\n`],
    ].map(([file_path, content]) => ({ action: 'create', file_path, content }))
    await owner.post(`${at}/repository/commits`, {
      branch: 'main',
      commit_message: 'Add files',
      actions: files,
    })
    const changed = code.map((line, index) => (index % 7 === 0 ? `${line} // changed` : line)).join('\n')
    const actions = [
      { action: 'update', file_path: 'src/main.ts', content: `${changed}\n` },
      { action: 'create', file_path: `src/deep/${longName}.txt`, content: 'new\n' },
      { action: 'delete', file_path: 'README.md' },
    ]
    const commit = { branch: 'topic', start_branch: 'main', commit_message: longName, actions }
    await owner.post(`${at}/repository/commits`, commit)
    await owner.put(at, { name: 'Demo', topics: ['tools'] })
    const text = '# Begin\n\nSee [[Other page]].\n\n- one\n- two\n\n| A | B |\n| - | - |\n| 1 | 2 |\n'
    await owner.post(`${at}/wikis`, { title: 'home', content: text })
    await owner.post(`${at}/wikis`, { title: 'Other page', content: 'العربية' })
    await owner.post(`${at}/wikis`, { title: longName, content: 'Long' })
    const made = await owner.post(`${at}/snippets`, {
      title: 'How to begin',
      visibility: 'public',
      description: 'Two *files*.',
      files: [
        { file_path: 'begin.sh', content: 'npm install\nnpm start\n' },
        { file_path: 'notes.txt', content: 'Nothing\n' },
      ],
    })
    snippet = made.body.id
    const milestone = await owner.post(`${at}/milestones`, {
      title: 'Soon',
      due_date: '2030-01-01',
      description: 'It is **due**.',
    })
    for (const title of ['Do it', longName])
      await owner.post(`${at}/issues`, { title, milestone_id: milestone.body.id, labels: 'bug' })
    await owner.put(`${at}/issues/1`, { state_event: 'close' })
    for (const name of ['thumbsup', 'tada']) await owner.post(`${at}/issues/1/award_emoji`, { name })
  }, 180_000)
  afterAll(() => browser.close())

  const visit = async (path: string, status = 200) => {
    const answer = await page.goto(`${w.url}${path}`)
    expect([path, answer?.status()]).toEqual([path, status])
  }

  test.each([
    ['blame', () => `${base}/-/blame/main/src/main.ts`, 'Add files'],
    ['file-rendered', () => `${base}/-/blob/main/README.md`, 'A project.'],
    ['compare', () => `${base}/-/compare/main...topic`, 'changed'],
    ['compare-parallel', () => `${base}/-/compare/main...topic?view=parallel`, 'changed'],
    ['compare-ask', () => `${base}/-/compare`, 'Which branches'],
    ['contributors', () => `${base}/-/graphs/main`, 'commit'],
    ['forks-none', () => `${base}/-/forks`, 'Nobody has forked'],
    ['wiki', () => `${base}/-/wikis`, 'Other page'],
    ['wiki-pages', () => `${base}/-/wikis/pages`, 'Other page'],
    ['wiki-change', () => `${base}/-/wikis/Other-page/diff?version_id=main`, 'العربية'],
    ['snippets', () => `${base}/-/snippets`, 'How to begin'],
    ['snippet', () => `${base}/-/snippets/${snippet}`, 'npm install'],
    ['milestones', () => `${base}/-/milestones`, 'Soon'],
    ['milestone', () => `${base}/-/milestones/1`, '1 of 2 issues are closed'],
    ['reactions', () => `${base}/-/issues/1`, '👍'],
    ['issues-filtered', () => `${base}/-/issues?labels=bug&search=it&state=all`, 'labels: bug'],
    ['group-issues', () => `/groups/${groupPath}/-/issues`, 'project-'],
    ['group-merge-requests', () => `/groups/${groupPath}/-/merge_requests`, 'There is no merge request'],
    ['topics', () => '/explore/projects/topics', 'tools'],
    ['explore-groups', () => '/explore/groups', groupPath],
    ['help', () => '/help', 'API reference'],
    ['guide', () => '/help/labels', 'Labels'],
  ])('%s', async (name, path, words) => {
    await visit(path())
    expect(await page.textContent('body')).toContain(words)
    await expectAccessible(page, `reading-${name}`)
  })

  test('a wiki page that is gone', async () => {
    await visit(`${base}/-/wikis/gone`, 404)
    expect(await page.textContent('body')).toContain('The wiki has no such page')
    await expectAccessible(page, 'reading-wiki-missing')
  })

  test('code is colored once the page is there, and says the same', async () => {
    for (const path of [`${base}/-/blob/main/src/main.ts`, `${base}/-/compare/main...topic`]) {
      await visit(path)
      await page.locator('.hljs-keyword').first().waitFor()
      expect(await page.textContent('main')).toContain("export const line1 = 'xxxx'")
    }
    await visit(`${base}/-/blob/main/src/main.ts`)
    await page.locator('.hljs-keyword').first().waitFor()
    expect(await page.locator('.line').count()).toBe(40)
    expect(await page.locator('#L2').innerText()).toContain("export const line1 = 'xxxx'")
    await expectAccessible(page, 'reading-colored')
  })

  test('what is one’s own, and what people did', async () => {
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(project.namespaceId, { id }, 30)
    await visit('/users/sign_in')
    await page.getByLabel('Username or e-mail address').fill(username)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Your projects' }).waitFor()
    await expectAccessible(page, 'reading-your-projects')
    for (const [name, path] of [
      ['activity', `${base}/-/activity`],
      ['person', `/${project.owner.username}`],
      ['account', '/-/user_settings'],
      ['reviews', '/dashboard/reviews'],
    ] as const) {
      await visit(path)
      await expectAccessible(page, `reading-${name}`)
    }
  })
})

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE } from '#test/patience.ts'
import { person } from '#test/visitor.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { press, signInOn } from './signed-in.ts'

// What people do in the browser: a day of two developers, without and with JavaScript.

describe.skipIf(!hasChromium())('working in the console', { timeout: 300_000 }, () => {
  let browser: Browser
  /** Without JavaScript. */
  let ada: Page
  /** With it: what looks for mistakes is a script. */
  let withScripts: Page
  let owner: Actor
  let at = ''
  let project = ''

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
        file('.gitlab/merge_request_templates/Default.md', 'What changes?\n'),
      ],
    })
    await owner.post(`${at}/repository/commits`, {
      branch: '1-mend-the-door',
      start_branch: 'main',
      commit_message: 'Mend the door',
      actions: [file('door.txt', 'It closes.\n')],
    })
    for (const name of ['bug', 'door', 'a label as long as people make them'])
      await owner.post(`${at}/labels`, { name, color: '#b00' })
    ada = await signedInPage(place.namespaceId, 40, false)
    withScripts = await signedInPage(place.namespaceId, 40, true)
  }, 180_000)
  afterAll(() => browser.close())

  async function signedInPage(
    namespaceId: number,
    level: 30 | 40,
    javaScriptEnabled: boolean,
  ): Promise<Page> {
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(namespaceId, { id }, level)
    const context = await browser.newContext({ javaScriptEnabled })
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    await signInOn(page, { username, password })
    return page
  }

  /** Looks at the page that the other one shows. */
  async function looked(name: string): Promise<void> {
    await withScripts.goto(ada.url())
    await expectAccessible(withScripts, name)
  }

  test('without JavaScript: an issue is opened, discussed and closed', async () => {
    await ada.goto(`${project}/-/issues`)
    await ada.getByRole('link', { name: 'New issue' }).click()
    await looked('working-issue-new')
    await ada.getByLabel('Title').fill('The door does not close')
    await ada.getByLabel('Description').fill('It **squeaks**, too.\n\n- [ ] oil it')
    await ada.getByLabel('door', { exact: true }).check()
    await press(ada, 'Open the issue')
    expect(await ada.textContent('main')).toContain('The issue is open.')
    await ada.getByLabel('Comment').fill('I look at it :tada:')
    await press(ada, 'Comment')
    expect(await ada.textContent('main')).toContain('I look at it')
    await ada.getByRole('link', { name: 'Reply, react, change' }).click()
    await ada.getByText('Change the comment of Ada').click()
    await looked('working-issue')
    await ada.getByLabel('Comment').first().fill('I have looked at it')
    await press(ada, 'Save the comment of Ada')
    await press(ada, 'Close the issue')
    expect(await ada.textContent('.state')).toBe('Closed')
    await press(ada, 'Open again the issue')
  })

  test('without JavaScript: a branch becomes a merge request, and is merged', async () => {
    await ada.goto(`${project}/-/merge_requests/new`)
    await looked('working-merge-request-branches')
    await ada.getByLabel('The branch with the changes').fill('1-mend-the-door')
    await press(ada, 'Compare and go on')
    expect(await ada.getByLabel('Title').inputValue()).toBe('Mend the door')
    await looked('working-merge-request-new')
    await press(ada, 'Open the merge request')
    await expect
      .poll(async () => (await owner.get(`${at}/merge_requests/1`)).body.detailed_merge_status)
      .toBe('mergeable')
    await ada.reload()
    await looked('working-merge-request')
    await press(ada, 'Approve')
    expect(await ada.textContent('.approvals')).toContain('Approved by Ada')
    await press(ada, 'Merge')
    expect(await ada.textContent('.state')).toBe('Merged')
  })

  test('a refusal is shown at its field', async () => {
    await withScripts.goto(`${project}/-/issues/new`)
    await withScripts.getByLabel('Title').fill(' ')
    await withScripts.getByLabel('Description').fill('Kept')
    await press(withScripts, 'Open the issue')
    expect(await withScripts.getByLabel('Description').inputValue()).toBe('Kept')
    expect(await withScripts.locator('[aria-invalid]').count()).toBeGreaterThan(0)
    await expectAccessible(withScripts, 'working-issue-wrong')
  })
})

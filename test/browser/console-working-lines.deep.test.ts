import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { PATIENCE } from '#test/patience.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { follow, press, signInOn } from './signed-in.ts'

// Comments on lines, and the completion of names, in the browser.

describe.skipIf(!hasChromium())('talking about lines in the console', { timeout: 240_000 }, () => {
  let browser: Browser
  let p: Awaited<ReturnType<typeof branchedProject>>
  /** Without JavaScript. */
  let ada: Page
  /** With it: what looks for mistakes is a script. */
  let withScripts: Page
  let page = ''

  beforeAll(async () => {
    browser = await startChromium()
    p = await branchedProject({ visibility: 'public' })
    const lines = Array.from(
      { length: 20 },
      (_, n) => `export const value${n} = 'a line of code that is as long as lines are'\n`,
    )
    const commit = (branch: string, action: string, changed: readonly string[]) =>
      p.developer.post(`/projects/${p.id}/repository/commits`, {
        branch,
        commit_message: 'Change values',
        actions: [{ action, file_path: 'src/values.ts', content: changed.join('') }],
      })
    await commit('feature', 'create', lines)
    const { body } = await openMergeRequest(p, p.developer)
    page = `${w.url}/${p.fullPath}/-/merge_requests/${body.iid}`
    ada = await signedInPage(false)
    withScripts = await signedInPage(true)
  }, 180_000)
  afterAll(() => browser.close())

  async function signedInPage(javaScriptEnabled: boolean): Promise<Page> {
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(p.namespaceId, { id }, 30)
    const context = await browser.newContext({ javaScriptEnabled })
    context.setDefaultTimeout(PATIENCE)
    const opened = await context.newPage()
    await signInOn(opened, { username, password })
    return opened
  }

  /** Looks at the page that the other one shows. */
  async function looked(name: string): Promise<void> {
    await withScripts.goto(ada.url())
    await expectAccessible(withScripts, name)
  }

  /** The line that has the focus, and whether it is in sight. */
  const focused = (on: Page) =>
    on.evaluate<[string, boolean]>(
      '[document.activeElement.id, document.activeElement.closest("tr").previousElementSibling.getBoundingClientRect().top >= 0]',
    )

  test('without JavaScript: the number of a line leads to a form below it, where one writes at once', async () => {
    await ada.goto(`${page}/diffs`)
    await looked('working-lines')
    await ada.locator('section[aria-label="src/values.ts"] a', { hasText: /^12$/ }).click()
    await ada.waitForURL(/on=/)
    // Its place is known to the browser, and it needs no script.
    expect(await withScripts.goto(ada.url()).then(() => focused(withScripts))).toEqual([
      'draft-line-note',
      true,
    ])
    await looked('working-lines-form')
    await ada.getByLabel('Comment', { exact: true }).fill('Why **this** value?')
    await press(ada, 'Comment now')
    expect(await ada.locator('tr.talk .note').textContent()).toContain('Why this value?')
    await looked('working-lines-said')
    await ada.getByRole('link', { name: 'Reply, react, change' }).click()
    await ada.waitForURL(/note=/)
    await looked('working-lines-reply')
    await ada.getByLabel('Reply', { exact: true }).fill('I know now')
    await press(ada, 'Reply to Ada')
    expect(await ada.locator('tr.talk .note').count()).toBe(2)
  })

  test('side by side, a line is suggested', async () => {
    await withScripts.goto(`${page}/diffs?view=parallel`)
    await withScripts.locator('section[aria-label="src/values.ts"] a', { hasText: /^3$/ }).click()
    await withScripts.getByRole('link', { name: 'Suggest a change of the line' }).click()
    await withScripts.waitForURL(/suggest=/)
    expect(await withScripts.getByLabel('Comment', { exact: true }).inputValue()).toContain('suggestion:-0+0')
    await expectAccessible(withScripts, 'working-lines-parallel')
    await press(withScripts, 'Keep as a draft')
    await expectAccessible(withScripts, 'working-lines-draft')
  })
  test('people, issues and labels are completed while one writes', async () => {
    const { username } = await person(w, { username: unique('zoe'), name: 'Zoë Long-Name' }).then(
      async (one) => {
        await w.member(p.namespaceId, { id: one.id }, 30)
        return one
      },
    )
    await p.owner.post(`/projects/${p.id}/issues`, { title: 'The door <b>squeaks</b>' })
    await p.owner.post(`/projects/${p.id}/issues`, { title: 'Another one' })
    await p.owner.post(`/projects/${p.id}/labels`, { name: 'two words', color: '#b00' })
    const asked: string[] = []
    withScripts.on('request', (request) => asked.push(request.url()))
    await withScripts.goto(`${page}/diffs`)
    // What completes is a script, which is there when the page is.
    await follow(
      withScripts,
      withScripts.locator('section[aria-label="src/values.ts"] a', { hasText: /^2$/ }),
    )
    const text = withScripts.locator('#draft-line-note')
    const options = withScripts.getByRole('option')
    const began = performance.now()
    await text.pressSequentially('Ask @zoe', { delay: 30 })
    // After each letter fewer are left.
    await expect.poll(() => options.allTextContents()).toEqual([`Zoë Long-Name @${username}`])
    // Five times in a second, however many letters are typed.
    const most = 2 + (performance.now() - began) / 200
    expect(asked.filter((url) => url.includes('/members/all')).length).toBeLessThan(most)
    await expectAccessible(withScripts, 'working-lines-completion')
    await text.press('Enter')
    expect(await text.inputValue()).toBe(`Ask @${username} `)
    expect(await options.count()).toBe(0)
    expect(await withScripts.getByRole('listbox').isVisible()).toBe(false)

    await text.pressSequentially('of #')
    await options.nth(1).waitFor()
    expect(await text.getAttribute('aria-activedescendant')).toBeNull()
    await text.press('ArrowDown')
    await text.press('ArrowDown')
    expect(await options.nth(1).getAttribute('aria-selected')).toBe('true')
    await text.press('Escape')
    expect(await text.inputValue()).toBe(`Ask @${username} of #`)
    // The list is made anew with the last answer, also below somebody who clicks.
    const answered = withScripts.waitForResponse(/\bsearch=door\b/)
    await text.pressSequentially('door')
    await answered
    await withScripts.getByRole('option', { name: 'The door <b>squeaks</b> #1' }).click()
    expect(await text.inputValue()).toBe(`Ask @${username} of #1 `)

    await text.pressSequentially('~two')
    await options.first().waitFor()
    await text.press('Tab')
    expect(await text.inputValue()).toBe(`Ask @${username} of #1 ~"two words" `)
    await text.pressSequentially('a@zoe ## x')
    expect(await withScripts.getByRole('listbox').count()).toBe(0)
  })
  test('times are those of the zone of the reader, and days are as they are', async () => {
    await p.owner.post(`/projects/${p.id}/issues`, {
      title: 'Due',
      due_date: '2026-12-24',
      created_at: '2026-01-31T20:05:00Z',
    })
    const context = await browser.newContext({ timezoneId: 'Asia/Kolkata' })
    const reader = await context.newPage()
    const issues = (await p.owner.get(`/projects/${p.id}/issues?search=Due`)).body
    await reader.goto(issues[0].web_url)
    const times = await reader.locator('main time').allTextContents()
    expect(times).toContain('2026-02-01 01:35')
    expect(times).toContain('2026-12-24')
    expect(await reader.locator('main time').first().getAttribute('title')).toContain(
      '(2026-01-31 20:05 UTC)',
    )
    await context.close()
  })
  test('approvals of one merge request have rules', async () => {
    const { url } = await w.licensed()
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(p.namespaceId, { id }, 30)
    const on = await (await browser.newContext()).newPage()
    await w.running.services.limits.forget()
    await on.goto(`${url}/users/sign_in`)
    await on.fill('#login', username)
    await on.fill('#password', password)
    await press(on, 'Sign in')
    await on.goto(page.replace(w.url, url))
    await on.getByRole('link', { name: 'Approval rules' }).click()
    await on.getByText('Add a rule…').click()
    await expectAccessible(on, 'working-lines-rules-none')
    await on.getByLabel('Name', { exact: true }).fill('Security')
    await on.getByLabel('Of these people').fill(username)
    await press(on, 'Add the rule')
    await expectAccessible(on, 'working-lines-rules')
    expect(await on.textContent('main')).toMatch(/1 approval\s+of Ada/)
  })
})

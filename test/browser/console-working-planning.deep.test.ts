import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE } from '#test/patience.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { Keyboard } from './keyboard.ts'
import { press, signInOn } from './signed-in.ts'

// How people plan in the browser: tasks, time, linked issues.

describe.skipIf(!hasChromium())('planning in the console', { timeout: 300_000 }, () => {
  let browser: Browser
  let page: Page
  let owner: Awaited<ReturnType<typeof w.project>>['owner']
  let issues = ''
  let api = ''

  beforeAll(async () => {
    browser = await startChromium()
    const place = await w.project({ visibility: 'public' })
    owner = place.owner
    api = `/projects/${place.id}/issues`
    issues = `${w.url}/${place.fullPath}/-/issues`
    const ada = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(place.namespaceId, ada, 40)
    const context = await browser.newContext()
    context.setDefaultTimeout(PATIENCE)
    page = await context.newPage()
    await signInOn(page, ada)
  }, 180_000)
  afterAll(() => browser.close())

  async function opened(title: string, description = ''): Promise<number> {
    return (await owner.post(api, { title, description })).body.iid
  }

  test('tasks are ticked in place, with the keyboard as well', async () => {
    const iid = await opened('The door', 'To do:\n\n- [ ] oil it\n- [ ] paint it\n  - [ ] twice')
    await page.goto(`${issues}/${iid}`)
    const boxes = page.locator('[data-tasks] input')
    await boxes.nth(0).click()
    await boxes.nth(2).focus()
    await page.keyboard.press('Space')
    await expect
      .poll(async () => (await owner.get(`${api}/${iid}`)).body.description)
      .toBe('To do:\n\n- [x] oil it\n- [ ] paint it\n  - [x] twice')
    expect(page.url()).toBe(`${issues}/${iid}`)
    expect(await page.textContent('.facts')).toContain('2 of 3 done')
    await page.reload()
    expect(await boxes.nth(0).isChecked()).toBe(true)
    expect(await page.textContent('.facts')).toContain('2 of 3 done')
    await expectAccessible(page, 'planning-issue')
  })

  test('what somebody else changed meanwhile is not ticked, and the page says so', async () => {
    const iid = await opened('The window', '- [ ] clean it')
    await page.goto(`${issues}/${iid}`)
    await owner.put(`${api}/${iid}`, { description: '- [ ] open it\n- [ ] clean it' })
    await Promise.all([page.waitForEvent('load'), page.locator('[data-tasks] input').click()])
    expect(await page.textContent('main')).toContain('hese are not the tasks that you saw')
    expect((await owner.get(`${api}/${iid}`)).body.description).toBe('- [ ] open it\n- [ ] clean it')
    await expectAccessible(page, 'planning-issue-wrong')
  })

  test('issues are linked, and time is written down', async () => {
    const [one, other] = [await opened('The roof'), await opened('A ladder that is long enough')]
    await page.goto(`${issues}/${one}`)
    await page.locator('summary', { hasText: 'Link an issue' }).click()
    await page.getByLabel('This issue').selectOption({ label: 'is blocked by' })
    await page.getByLabel('Number of the other issue').fill(String(other))
    await press(page, 'Link')
    expect(await page.textContent('main')).toContain('A ladder that is long enough')
    await page.locator('summary', { hasText: 'Add time' }).click()
    await page.getByLabel('Time', { exact: true }).first().fill('2h')
    await press(page, 'Add that was spent')
    expect(await page.textContent('.facts')).toContain('2h spent')
    await page.locator('summary', { hasText: 'Add time' }).click()
    await page.locator('summary', { hasText: 'Link an issue' }).click()
    await expectAccessible(page, 'planning-issue-linked')
    await page.getByRole('link', { name: 'Change', exact: true }).click()
    await expectAccessible(page, 'planning-issue-change')
  })

  test('a text has a preview, and stays in the tab until it is sent', async () => {
    const iid = await opened('The wall')
    await page.goto(`${issues}/${iid}`)
    const comment = page.getByLabel('Comment', { exact: true })
    await comment.fill('It is **green**, as #1')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('.text.box strong').waitFor()
    expect(await page.locator('.text.box a').getAttribute('href')).toContain('/-/issues/1')
    await expectAccessible(page, 'planning-preview')
    await page.reload()
    expect(await comment.inputValue()).toBe('It is **green**, as #1')
    await press(page, 'Comment')
    expect(await page.textContent('main')).toContain('It is green')
    expect(await comment.inputValue()).toBe('')
  })

  test('what somebody typed is not shown to who signs in next in the same window', async () => {
    const iid = await opened('The shared desk')
    const [first, next] = await Promise.all([person(w), person(w)])
    const shared = await (await browser.newContext()).newPage()
    const comment = shared.getByLabel('Comment', { exact: true })
    await signInOn(shared, first)
    await shared.goto(`${issues}/${iid}`)
    await comment.fill('Between us')
    await press(shared, 'Sign out')
    await signInOn(shared, next)
    await shared.goto(`${issues}/${iid}`)
    expect(await comment.inputValue()).toBe('')
    expect(await shared.evaluate('JSON.stringify(sessionStorage)')).not.toContain('Between us')
    await shared.context().close()
  })

  test('several issues of a list are changed at once', async () => {
    await page.goto(`${issues}?search=roof`)
    await page.getByRole('link', { name: 'Change several' }).click()
    await expectAccessible(page, 'planning-several')
    await press(page, 'Change them')
    await expectAccessible(page, 'planning-several-wrong')
    await page.getByLabel(/The roof/).check()
    await page.getByLabel('State').selectOption({ label: 'Closed' })
    await press(page, 'Change them')
    expect(await page.textContent('main')).toContain('1 issue is changed.')
  })

  test('an issue is opened, discussed and closed by keyboard alone', async () => {
    const keys = new Keyboard(page)
    await page.goto(issues)
    await keys.follow('New issue')
    await keys.write('Title', 'The lock is frozen')
    await keys.write('Description', '- [ ] warm it')
    await keys.follow('Open the issue')
    expect(await page.textContent('main')).toContain('The issue is open.')
    await keys.write('Comment', 'I bring water')
    await keys.follow('Comment')
    expect(await page.textContent('main')).toContain('I bring water')
    await keys.follow('Close the issue')
    expect(await page.textContent('.state')).toBe('Closed')
  })
})

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { failure, tracked } from '#monitoring/error-tracking/test-support.ts'
import { PATIENCE } from '#test/patience.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'

describe.skipIf(!hasChromium())('the pages of errors in a browser', { timeout: 180_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  /** Somebody signed in, whose browser refuses nothing of a page. */
  async function visitor(who: { username: string; password: string }): Promise<Page> {
    const context = await browser.newContext({ baseURL: w.url })
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    onTestFinished(async () => {
      await context.close()
      expect(complaints).toEqual([])
    })
    await page.goto('/users/sign_in')
    await page.getByLabel('Username or e-mail address').fill(who.username)
    await page.getByLabel('Password').fill(who.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Your projects' }).waitFor()
    return page
  }

  const hostile = '<script>alert(1)</script>'

  async function broken() {
    const place = await tracked(w)
    const event = failure(`${hostile} failed`, { release: 'app@1.0.0', extra: { order: 17, hostile } })
    const [exception] = event.exception.values
    const frames = exception?.stacktrace.frames.map((frame) => ({
      ...frame,
      pre_context: ['function pay() {', '  // before'],
      context_line: `  throw new TypeError("${hostile}")`,
      post_context: ['}'],
      vars: { order: '17' },
    }))
    await place.report({ ...event, exception: { values: [{ ...exception, stacktrace: { frames } }] } })
    await place.expectErrors([{ events_count: 1 }])
    return place
  }

  test('list errors, show a stack trace, and let developers resolve them', async () => {
    const place = await broken()
    const who = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(place.namespaceId, who, 30)
    const page = await visitor(who)
    await page.goto(`/-/projects/${place.id}/error_tracking`)
    await expectAccessible(page, 'errors')
    await page.getByRole('link', { name: `TypeError: ${hostile} failed` }).click()
    await page.getByRole('heading', { name: 'Latest event' }).waitFor()
    await page.getByText('/app/src/pay.js:12').waitFor()
    expect(await page.getByText('throw new TypeError').first().isVisible()).toBe(true)
    await expectAccessible(page, 'error')
    await page.getByLabel('Release with the fix').fill('app@2.0.0')
    await page.getByRole('button', { name: 'Resolve' }).click()
    await page.getByText('resolved', { exact: true }).waitFor()
    expect(await place.errors('?status=resolved')).toMatchObject([{ resolved_in_release: 'app@2.0.0' }])
    await page.goto(`/-/projects/${place.id}/error_tracking`)
    await page.getByText('There are none.').waitFor()
    await page.getByLabel('Status').selectOption('resolved')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('link', { name: /failed/ }).waitFor()
  })

  test('and of alert integrations are found from the account, and fit on a phone', async () => {
    const place = await broken()
    const who = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(place.namespaceId, who, 40)
    const page = await visitor(who)
    await page.getByRole('link', { name: `Your account: ${who.username}` }).click()
    await page.getByRole('link', { name: 'Alerts and errors' }).first().click()
    await page.getByRole('heading', { name: 'Alerts and errors' }).waitFor()
    await expectAccessible(page, 'alerts-and-errors')
    await page.getByRole('link', { name: /^Alert integrations/ }).click()
    await page.getByText('New integration…').click()
    await page.getByLabel('Name', { exact: true }).fill('Prometheus')
    await page.getByRole('button', { name: 'Make the integration' }).click()
    await page.getByLabel('Authorization key').waitFor()
    await expectAccessible(page, 'alert-integrations')
    await page.goto('/-/monitoring')
    await page.getByRole('link', { name: /^Errors/ }).click()
    await page.getByRole('heading', { name: /^Errors of/ }).waitFor()
  })

  test('are for reporters, who change nothing; for others there is nothing', async () => {
    const place = await broken()
    const [{ id }] = await place.errors()
    const path = `/-/projects/${place.id}/error_tracking`
    const who = await person(w, { username: unique('bob'), name: 'Bob' })
    const page = await visitor(who)
    for (const hidden of [path, `${path}/${id}`, `${path}/999999`])
      expect((await page.goto(hidden))?.status()).toBe(404)
    await w.member(place.namespaceId, who, 10)
    expect((await page.goto(path))?.status()).toBe(403)
    const reporter = await person(w, { username: unique('eve'), name: 'Eve' })
    await w.member(place.namespaceId, reporter, 20)
    const theirs = await visitor(reporter)
    expect((await theirs.goto(`${path}/${id}`))?.status()).toBe(200)
    expect(await theirs.getByRole('button', { name: 'Resolve' }).count()).toBe(0)
  })
})

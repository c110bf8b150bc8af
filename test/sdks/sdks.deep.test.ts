import { execFile, execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { tracked } from '#monitoring/error-tracking/test-support.ts'
import { hasChromium, startChromium } from '#test/browser/chromium.ts'
import { w } from '#test/world.ts'

// Unmodified SDKs of Sentry report to a DSN of ours.

const run = promisify(execFile)
const here = import.meta.dirname

/** Runs a program that may fail. */
const runs = (program: string, args: readonly string[]) =>
  run(program, args, { timeout: 120_000 }).catch((error: unknown) => error)

type Tracked = Awaited<ReturnType<typeof tracked>>

/** Waits for errors by their titles, in any order. @returns the first with its event. */
async function expectTitles(place: Tracked, titles: readonly string[]) {
  const find = async () => (await place.errors()).map(({ title }: { title: string }) => title).toSorted()
  await expect.poll(find).toEqual(titles.toSorted())
  const all: { id: number; title: string }[] = await place.errors()
  return place.get(all.find(({ title }) => title === titles[0])?.id ?? 0)
}

const framesOf = (error: {
  latest_event: { exceptions: { frames: { function: string; in_app: boolean }[] }[] }
}) => error.latest_event.exceptions.at(-1)?.frames ?? []

describe('@sentry/node', { timeout: 180_000 }, () => {
  const report = (place: Tracked, way: string) =>
    runs(process.execPath, [join(here, 'reports.mjs'), place.dsn, way])

  test.each([
    ['uncaught', 'TypeError: order 17 has no price'],
    ['promise', 'TypeError: order 18 has no price'],
  ])('reports what nobody caught: %s', async (way, title) => {
    const place = await tracked(w)
    await report(place, way)
    const error = await expectTitles(place, [title])
    expect(error).toMatchObject({
      platform: 'node',
      culprit: expect.stringContaining('reports.mjs in pay'),
      releases: [{ name: 'shop@1.0.0' }],
      environments: [{ name: 'test' }],
      users_count: 1,
      latest_event: {
        tags: { part: 'till' },
        user: { id: 'u1', email: '[Filtered]' },
        sdk: expect.stringMatching(/^sentry\.javascript\.node /),
        exceptions: [{ handled: false }],
      },
    })
    expect(framesOf(error).at(-1)).toMatchObject({
      function: 'pay',
      in_app: true,
      context_line: expect.stringContaining('throw new TypeError'),
    })
  })

  test('reports what was caught with its cause, and messages; its transactions and attachments are dropped', async () => {
    const place = await tracked(w)
    expect(await report(place, 'caught')).toMatchObject({ stderr: '' })
    const error = await expectTitles(place, ['Error: the till is broken', 'closed the till'])
    expect(error.latest_event.exceptions).toMatchObject([
      { type: 'TypeError', value: 'order 19 has no price' },
      { type: 'Error', value: 'the till is broken', handled: true },
    ])
  })
})

/** Whether Python has the SDK; Debian's package is `python3-sentry-sdk`. */
function hasPython(): boolean {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import sentry_sdk'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('SKIPPED: python3-sentry-sdk is not installed; its reports are not tried')
    return false
  }
}

describe.skipIf(!hasPython())('sentry-sdk of Python', { timeout: 180_000 }, () => {
  const report = (place: Tracked, way: string) =>
    runs('/usr/bin/python3', [join(here, 'reports.py'), place.dsn, way])

  test.each([
    ['uncaught', 'ValueError: order 17 has no price'],
    ['thread', 'ValueError: order 18 has no price'],
  ])('reports what nobody caught: %s', async (way, title) => {
    const place = await tracked(w)
    await report(place, way)
    const error = await expectTitles(place, [title])
    expect(error).toMatchObject({
      platform: 'python',
      culprit: expect.stringContaining('reports.py in pay'),
      releases: [{ name: 'shop@1.0.0' }],
    })
    expect(framesOf(error).at(-1)).toMatchObject({
      function: 'pay',
      context_line: expect.stringContaining('raise ValueError'),
      vars: { password: '[Filtered]' },
    })
    expect(JSON.stringify(error)).not.toContain('geheim')
  })

  test('reports what was caught with its cause, and messages', async () => {
    const place = await tracked(w)
    await report(place, 'caught')
    const error = await expectTitles(place, ['RuntimeError: the till is broken', 'closed the till'])
    expect(error.latest_event.exceptions).toMatchObject([{ type: 'ValueError' }, { type: 'RuntimeError' }])
  })
})

describe.skipIf(!hasChromium())('@sentry/browser in Chromium', { timeout: 180_000 }, () => {
  let script: string
  beforeAll(async () => {
    await using bundle = await rolldown({ input: join(here, 'reports.browser.js'), logLevel: 'silent' })
    const { output } = await bundle.generate({ format: 'iife', minify: true })
    script = output[0].code
  })

  /** A page of a shop at another address, with the SDK. @returns what the browser was answered. */
  async function visit(dsn: string, act: string, status = 200) {
    const shop = createServer((request, response) => {
      const isPage = request.url === '/'
      response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript')
      response.end(
        isPage
          ? `<script>window.dsn=${JSON.stringify(dsn)}</script><script src="/shop.js"></script>`
          : script,
      )
    })
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
    const address = shop.address()
    const browser = await startChromium()
    onTestFinished(async () => {
      await browser.close()
      shop.close()
    })
    const page = await browser.newPage()
    const answer = page.waitForResponse((one) => one.url().includes('/envelope/') && one.status() === status)
    await page.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`)
    await page.evaluate(act)
    return { page, answer: await answer }
  }

  test.each([
    ['uncaught', 'setTimeout(() => pay(17))', 'TypeError: order 17 has no price'],
    ['promise', 'void Promise.resolve().then(() => pay(18))', 'TypeError: order 18 has no price'],
  ])('reports what nobody caught, from another site: %s', async (_, act, title) => {
    const place = await tracked(w)
    const { answer } = await visit(place.dsn, act)
    expect(answer.status()).toBe(200)
    await expect.poll(async () => (await place.errors()).length).toBe(1)
    const error = await expectTitles(place, [title])
    expect(error).toMatchObject({
      platform: 'javascript',
      latest_event: { request: { headers: { 'User-Agent': expect.stringContaining('Chrome') } } },
    })
    expect(framesOf(error).length).toBeGreaterThan(0)
  })

  test('stays quiet for a while when it is told to', async () => {
    const place = await tracked(w)
    await w.root.put('/application/settings', { error_tracking_events_per_minute: 1 })
    onTestFinished(async () => {
      await w.root.put('/application/settings', { error_tracking_events_per_minute: 0 })
    })
    await place.report({ message: 'the only one of this minute' })
    const { page, answer } = await visit(
      place.dsn,
      "Sentry.captureMessage('too much'); Sentry.flush(5000)",
      429,
    )
    expect([answer.status(), await answer.headerValue('x-sentry-rate-limits')]).toEqual([
      429,
      '10:error:project:quota',
    ])
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.evaluate("Sentry.captureMessage('again'); Sentry.flush(5000)")
    expect(asked.filter((url) => url.includes('/envelope/'))).toEqual([])
  })
})

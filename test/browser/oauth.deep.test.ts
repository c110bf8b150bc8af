import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { application, authorizePath, postAs, signIn as authorize } from '#identity/oauth/test-support.ts'
import { PATIENCE } from '#test/patience.ts'
import { person } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'

/** An application that people are sent back to: says what it got. */
async function startApplication(): Promise<string> {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    response.setHeader('content-type', 'text/html')
    response.end(
      `<title>app</title><p>${searchParams.has('code') ? 'got a code' : searchParams.get('error')}</p>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
}

describe.skipIf(!hasChromium())('OAuth in a browser', { timeout: 180_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())
  beforeEach(() => w.running.services.limits.forget())

  async function open(): Promise<Page> {
    const context = await browser.newContext({ baseURL: w.url })
    context.setDefaultTimeout(PATIENCE)
    onTestFinished(() => context.close())
    return context.newPage()
  }

  async function fillSignIn(page: Page, { username, password }: { username: string; password: string }) {
    await page.getByLabel('Username or e-mail address').fill(username)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  test('somebody who comes from an application signs in, agrees, and is back with it', async () => {
    const redirect_uri = await startApplication()
    const app = await application({ name: 'Release robot', redirect_uri, scopes: 'api read_user' })
    const page = await open()
    const path = authorizePath(app, { redirect_uri, scope: 'api read_user' })
    await page.goto(path)
    await fillSignIn(page, await person(w))
    await page.getByRole('heading', { name: 'Authorize Release robot?' }).waitFor()
    await expectAccessible(page, 'consent')
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.getByText('got a code').waitFor()
    await page.goto(path)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('access_denied').waitFor()
    expect(page.url()).toContain(redirect_uri)
  })

  test('somebody who agreed before only signs in', async () => {
    const redirect_uri = await startApplication()
    const app = await application()
    const who = await person(w)
    await authorize(app, who)
    await w.db
      .updateTable('applications')
      .set({ redirect_uris: [redirect_uri] })
      .where('id', '=', app.id)
      .execute()
    const page = await open()
    await page.goto(authorizePath(app, { redirect_uri }))
    await fillSignIn(page, who)
    await page.getByText('got a code').waitFor()
    expect(page.url()).toContain(redirect_uri)
  })

  test('a device is connected, and every page on the way can be used by everybody', async () => {
    const app = await application({ name: 'Command line', scopes: 'api' })
    const page = await open()
    const { body } = await postAs(app, 'authorize_device', { scope: 'api' })
    await page.goto('/oauth/device')
    await fillSignIn(page, await person(w))
    await page.getByLabel('Code').fill('WRONG-CODE')
    await page.keyboard.press('Enter')
    await page.getByText('This code is wrong or has expired.').waitFor()
    await expectAccessible(page, 'device-wrong')
    await page.getByLabel('Code').fill(body.user_code)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Authorize Command line?' }).waitFor()
    await expectAccessible(page, 'device')
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.getByRole('heading', { name: 'Connected' }).waitFor()
    await expectAccessible(page, 'device-connected')
  })

  test('applications are registered, changed and revoked on pages that everybody can use', async () => {
    const who = await person(w)
    const page = await open()
    await page.goto('/-/user_settings/applications')
    await fillSignIn(page, who)
    await page.getByLabel('Name').fill('My dashboard')
    await page.getByLabel('Redirect URI').fill('http://dashboard.example/callback')
    await page.getByRole('button', { name: 'Register the application' }).click()
    await page.getByText("Scopes can't be blank.").waitFor()
    await expectAccessible(page, 'applications-problem')
    await page.getByLabel('Redirect URI').fill('https://dashboard.example/callback')
    await page.getByLabel('read_api', { exact: true }).check()
    await page.getByRole('button', { name: 'Register the application' }).click()
    await page.getByLabel('Client secret').waitFor()
    await expectAccessible(page, 'application-made')
    await page.goto('/-/user_settings/applications')
    await expectAccessible(page, 'applications')
    await page.getByRole('link', { name: 'My dashboard' }).click()
    await page.getByText('Delete…').click()
    await expectAccessible(page, 'application')
    await authorize(await application({ name: 'Release robot' }), who)
    await page.goto('/-/user_settings/authorized_applications')
    await expectAccessible(page, 'authorized')
    await page.getByText('Revoke…').click()
    await page.getByRole('button', { name: 'Revoke Release robot' }).click()
    await page.getByText('There are none.').waitFor()
    expect(await page.getByRole('status').textContent()).toBe('Revoked.')
  })
})

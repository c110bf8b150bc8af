import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { PATIENCE } from '#test/patience.ts'
import { mails } from '#test/smtp.ts'
import { person } from '#test/visitor.ts'
import { w } from '#test/mail-world.ts'
import { unique } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'

const TOKENS = '/-/user_settings/personal_access_tokens'
const SESSIONS = '/-/user_settings/active_sessions'
const PASSWORD = '/-/user_settings/password'

describe.skipIf(!hasChromium())('the pages in a browser', { timeout: 180_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())
  beforeEach(() => w.running.services.limits.forget())

  /** A browser of its own, in which nothing may be refused by the policy of a page. */
  async function open(options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ baseURL: w.url, ...options })
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        complaints.push(message.text())
      }
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    onTestFinished(async () => {
      await context.close()
      expect(complaints).toEqual([])
    })
    return { context, page }
  }

  async function signIn(page: Page, { username, password }: { username: string; password: string }) {
    await page.goto('/users/sign_in')
    await page.getByLabel('Username or e-mail address').fill(username)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Your projects' }).waitFor()
  }

  /** Presses Tab until an element has the focus. */
  async function tabTo(page: Page, wanted: Locator) {
    for (let count = 0; count < 60; count += 1) {
      await page.keyboard.press('Tab')
      if ((await wanted.and(page.locator(':focus')).count()) > 0) return
    }
    throw new Error(`Tab does not lead to ${String(wanted)}`)
  }

  const clipboardOf = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')
  const allowClipboard = (context: BrowserContext) =>
    context.grantPermissions(['clipboard-read', 'clipboard-write'])

  test('can be used by everybody, light and dark, wide and on a phone', async () => {
    const who = await person(w, { username: unique('ada'), name: 'Ada Lovelace' })
    const { page } = await open()
    await page.goto('/users/sign_in')
    await expectAccessible(page, 'sign-in')
    await page.getByLabel('Username').fill(who.username)
    await page.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await expectAccessible(page, 'sign-in-refused')
    await signIn(page, who)
    await expectAccessible(page, 'overview')
    await page.goto(PASSWORD)
    await expectAccessible(page, 'password')
    await page.getByLabel('Current password').fill('wrong')
    await page.getByLabel('New password', { exact: true }).fill('something new')
    await page.getByLabel('New password again').fill('something new')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Current password is wrong.').waitFor()
    await expectAccessible(page, 'password-wrong')
    await w.session(who)
    await page.goto(SESSIONS)
    await expectAccessible(page, 'sessions')
    await page.goto(`${SESSIONS}?before=nothing`)
    await expectAccessible(page, 'refused')
  })

  test('of mails can be used by everybody, light and dark, wide and on a phone', async () => {
    const who = await person(w)
    const { page } = await open()
    await page.goto('/users/sign_in')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await expectAccessible(page, 'password-forgotten')
    await page.getByLabel('E-mail address').fill(who.email)
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
    await expectAccessible(page, 'password-asked')
    const linkIn = async (address: string) => {
      const { text = '' } = await mails.readMail(address)
      return /^http\S*_token=\S+$/m.exec(text)?.[0] ?? ''
    }
    const link = await linkIn(who.email)
    await page.goto(link)
    await page.getByLabel('New password', { exact: true }).fill('something new')
    await page.getByLabel('New password again').fill('something else')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByText("doesn't match").waitFor()
    await expectAccessible(page, 'password-set-wrong')
    await page.getByLabel('New password', { exact: true }).fill('something new')
    await page.getByLabel('New password again').fill('something new')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor()
    await expectAccessible(page, 'password-set')
    await page.goto(link)
    await expectAccessible(page, 'link-gone')
    const further = `${unique('further')}@example.com`
    await who.user.post('/user/emails', { email: further })
    await page.goto(await linkIn(further))
    await expectAccessible(page, 'confirm')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await expectAccessible(page, 'confirmed')
  })

  test('of tokens can be used by everybody, light and dark, wide and on a phone', async () => {
    const who = await person(w, { admin: true })
    const { page } = await open()
    await signIn(page, who)
    await page.goto(TOKENS)
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByLabel('Name').fill('release robot')
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByText("Scopes can't be blank.").waitFor()
    await expectAccessible(page, 'tokens-problem')
    await page.getByLabel('Description').fill('Publishes packages from the pipeline of the main branch')
    await page.getByLabel('read_api', { exact: true }).check()
    await page.getByLabel('write_virtual_registry', { exact: true }).check()
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByText('it is shown this once').waitFor()
    await expectAccessible(page, 'token-made')
    await page.goto(TOKENS)
    await page.getByText('Revoke… release robot').click()
    await expectAccessible(page, 'tokens')
    await page.getByRole('button', { name: 'Revoke release robot' }).click()
    await page.getByText('Revoked.').waitFor()
    await expectAccessible(page, 'tokens-revoked')
  })

  test('work by keyboard alone: sign in, make a token, copy it, revoke it', async () => {
    const who = await person(w)
    const { context, page } = await open()
    await allowClipboard(context)
    await page.goto(TOKENS)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await tabTo(page, page.getByRole('textbox', { name: 'Username or e-mail address', exact: true }))
    await page.keyboard.type(who.username)
    await page.keyboard.press('Tab')
    await page.keyboard.type(who.password)
    await page.keyboard.press('Enter')
    await page.waitForURL(TOKENS)
    await tabTo(page, page.getByRole('textbox', { name: 'Name', exact: true }))
    await page.keyboard.type('keyboard')
    await tabTo(page, page.getByRole('checkbox', { name: 'read_user', exact: true }))
    await page.keyboard.press('Space')
    await tabTo(page, page.getByRole('button', { name: 'Make the token', exact: true }))
    await page.keyboard.press('Enter')
    await page.getByText('it is shown this once').waitFor()
    await tabTo(page, page.getByRole('button', { name: 'Copy', exact: true }))
    await page.keyboard.press('Enter')
    await page.getByText('Copied.').waitFor()
    const secret = await clipboardOf(page)
    const client = w.anonymous.with({ 'private-token': secret })
    expect((await client.get('/user')).body.id).toBe(who.id)
    await tabTo(page, page.locator('summary', { hasText: 'Revoke… keyboard' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Revoke keyboard', exact: true }))
    await page.keyboard.press('Enter')
    await page.getByText('Revoked.').waitFor()
    expect((await client.get('/user')).status).toBe(401)
  })

  test('let nobody skip by accident: a link leads past the menu to the content', async () => {
    const { page } = await open()
    await signIn(page, await person(w))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content')
  })

  test('show a secret once: a reload makes no second token', async () => {
    const who = await person(w)
    const { page } = await open()
    await signIn(page, who)
    await page.goto(TOKENS)
    await page.getByLabel('Name').fill('once')
    await page.getByLabel('api', { exact: true }).check()
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByText('it is shown this once').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'once' }).waitFor()
    expect(await page.getByText('it is shown this once').count()).toBe(0)
    expect(await page.getByRole('heading', { name: 'once' }).count()).toBe(1)
  })

  test('work where the browser trusts less: at another host without https', async () => {
    const who = await person(w)
    const { context, page } = await open({ baseURL: w.url.replace('127.0.0.1', 'forge.example') })
    await allowClipboard(context).catch(() => undefined)
    await signIn(page, who)
    await page.goto(TOKENS)
    await page.getByLabel('Name').fill('elsewhere')
    await page.getByLabel('read_user', { exact: true }).check()
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied.').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await context.cookies()).toEqual([])
  })

  test('work without any script', async () => {
    const who = await person(w)
    const { page } = await open({ javaScriptEnabled: false })
    await signIn(page, who)
    await page.goto(TOKENS)
    await page.getByLabel('Name').fill('plain')
    await page.getByLabel('read_user', { exact: true }).check()
    await page.getByRole('button', { name: 'Make the token' }).click()
    const secret = await page.getByLabel('Token', { exact: true }).inputValue()
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    expect((await w.anonymous.with({ 'private-token': secret }).get('/user')).status).toBe(200)
    await page.getByText('Revoke… plain').click()
    await page.getByRole('button', { name: 'Revoke plain' }).click()
    await page.getByText('Revoked.').waitFor()
  })

  test('of another site cannot send forms in the name of who is signed in', async () => {
    const who = await person(w)
    const { context, page } = await open()
    await signIn(page, who)
    const evil = await context.newPage()
    await evil.goto(`${w.url.replace('127.0.0.1', 'forge.example')}/-/health`)
    const submitted = evil.waitForURL(`${w.url}/**`)
    await evil.setContent(
      `<form method="post" action="${w.url}${TOKENS}"><button>Win a prize</button></form>`,
    )
    await evil.getByRole('button').click()
    await submitted
    // The browser kept the cookie back: the form was nobody's, who had to sign in first.
    expect(evil.url()).not.toContain(TOKENS)
    await page.goto(TOKENS)
    expect(await page.getByText('There are none yet.').count()).toBe(0)
  })
})

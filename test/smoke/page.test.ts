import { expect, test } from 'vitest'
import { expectAccessible, hasChromium, startChromium } from '#test/browser/chromium.ts'
import { w } from '#test/world.ts'

// One page in a browser. test/browser has the others, and what people do on them.

test.skipIf(!hasChromium())('the page to sign in can be used by everybody', async () => {
  await using browser = await startChromium()
  const page = await browser.newPage({ baseURL: w.url })
  await page.goto('/users/sign_in')
  await expectAccessible(page, 'sign-in')
  await page.getByLabel('Username or e-mail address').fill('root')
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  expect(await page.getByRole('alert').textContent()).not.toBe('')
})
